import { restoreValue } from "../executions/values/values.ts";
import type { NamedStep } from "../machine/checkpoint-list.ts";
import type { MarkdownTexts } from "../machine/exchange/markdown-blocks.ts";
import { listedWorkspace } from "../machine/queries/sessions.ts";
import type { Entry, EntryKind, EntryOf } from "../record/entry.ts";
import type { Seq } from "../record/ids.ts";
import { type Json, type Part, type ReplyPart, textOf } from "../record/parts.ts";
import type { Wording } from "../strings/errors/texts.ts";
import type { Strings } from "../strings/strings.ts";
import { atAShell, errorOnScreen, remarkText, wordingIn } from "../strings/wording.ts";
import type { Outline } from "../timeline/outline.ts";

/** Returns the strings for a Markdown transcript. */
export function markdownTexts(strings: Strings): MarkdownTexts {
  const wording = wordingIn(strings.reasons, atAShell);
  return {
    words: strings.markdown,
    error: ({ code: _, ...error }) => errorOnScreen(strings, error, wording),
  };
}

export interface TextNeeds {
  /** The outline, which contains the place that a journey led to and the checkpoint that a label is for. */
  readonly outline: Outline;
  /** A program's steps, by the checkpoints that follow them. */
  readonly steps?: ReadonlyMap<Seq, NamedStep>;
  readonly strings: Strings;
}

/** Returns the full text of an entry, without its kind, as `log` shows it. The text may have many lines. */
export function entryText(entry: Entry, needs: TextNeeds): string {
  const { looking, phrases } = needs.strings;
  const text = entry.kind === "foreign" ? `${entry.foreignKind}: ${looking.foreign}` : known(entry, needs);
  return entry.forgotten === undefined ? text : phrases.aside(text, looking.forgotten);
}

type Text<Kind extends EntryKind> = (entry: EntryOf<Kind>, needs: TextNeeds) => string;
type Texts = { readonly [Kind in EntryKind]: Text<Kind> };

const texts: Texts = {
  session: (body, { strings: { looking, phrases, sessions } }) =>
    phrases.listed([
      [
        body.session,
        // The mark comes before the folder, because otherwise a session's author could hide the mark behind a long
        // path.
        ...(body.confirmation?.state === "needed" ? [sessions.unconfirmed] : []),
        looking.inWorkspace(looking.modes[body.mode], listedWorkspace(body)),
      ].join(" "),
      ...(body.forkedFrom === undefined ? [] : [looking.forkedFrom(body.forkedFrom.session)]),
      ...(body.execution === undefined ? [] : [looking.executionNamed(body.execution.id)]),
      ...(body.imported === undefined ? [] : [looking.importedFrom(body.imported.from, body.imported.name)]),
    ]),
  prompt: (body, needs) => partsText(body.parts, needs),
  step: ({ number, fill }, { strings: { looking, phrases } }) =>
    phrases.listed([`#${number}`, ...(fill === undefined ? [] : [looking.contextFill(fill)])]),
  reply: (body, needs) => partsText(body.parts, needs),
  "tool-start": ({ name, call, input }) =>
    [name, call, ...(input === undefined ? [] : [JSON.stringify(input)])].join(" "),
  "tool-end": (body, needs) => `${body.call} ${body.outcome}: ${partsText(body.parts, needs)}`,
  notice: ({ text }) => text,
  checkpoint: ({ number, on, seq }, { steps, strings: { checkpoints } }) =>
    `#${number} ${steps?.get(seq)?.name ?? checkpoints.kinds[on]}`,
  snapshot: ({ checkpoint, state, why, reason, params }, { strings }) =>
    strings.phrases.listed([
      strings.looking.snapshotOf(checkpoint, state),
      ...(why === undefined ? [] : [remarkText(strings, { why, reason, params }, atAShellIn(strings))]),
    ]),
  interval: ({ author, during = [] }, { strings: { looking, phrases } }) =>
    author === "outside"
      ? looking.changedOutside
      : looking.changedDuring(phrases.listed(during.map(({ about }) => about))),
  backtrack: (body, needs) =>
    [
      `${needs.strings.journeys.to(body.to)} ${fromText(body.from, needs)}: ${body.note}`,
      ...(body.rationale === undefined ? [] : [needs.strings.looking.rationale(body.rationale)]),
      ...(body.prompt === undefined ? [] : [needs.strings.looking.returnedTo(body.prompt)]),
    ].join("\n"),
  rewind: (body, needs) =>
    needs.strings.phrases.aside(
      `${needs.strings.journeys.to(body.to)} ${fromText(body.from, needs)}`,
      body.scope,
    ),
  redo: (body, needs) => {
    const landed = needs.outline.at(body.seq)?.parent ?? 0;
    return `${undoneText(body, needs)} ${needs.strings.looking.toLine(landed)} ${fromText(body.from, needs)}`;
  },
  restored: (body, { strings: { looking } }) => looking.restored(body),
  compaction: ({ tokensBefore, summary }, { strings: { looking } }) =>
    `${looking.compacted(tokensBefore)}: ${summary}`,
  todos: ({ items }, { strings: { looking } }) => {
    const count = (status: string) => items.filter((item) => item.status === status).length;
    return looking.todos(count("open"), count("doing"), count("done"));
  },
  title: ({ title }) => title,
  label: ({ target, label }, { outline, strings: { looking } }) => {
    const row = outline.byId(target);
    const place = row === undefined ? target : `#${row.number}`;
    return label === "" ? looking.unnamed(place) : `${place} "${label}"`;
  },
  "checkpoint-delete": ({ index, attempt }, { strings: { looking } }) => looking.stepDeleted(index, attempt),
  "execution-finish": (_, { strings: { looking } }) => looking.executionFinished,
  saved: ({ index, name, attempt, status, decided, error }, { strings: { looking, phrases } }) =>
    phrases.listed([
      looking.stepSaved(index, name, attempt),
      looking.stepStatus[status],
      ...(decided === undefined ? [] : [looking.stepDecided[decided]]),
      ...(error === undefined ? [] : [failureText(error)]),
    ]),
  interrupt: ({ by }, { strings: { looking } }) => looking.interruptedBy(by),
  error: ({ code, ...told }, { strings }) => {
    const { message, hint } = errorOnScreen(strings, told, atAShellIn(strings));
    return [`${code}: ${message}`, ...(hint === undefined ? [] : [hint])].join(" ");
  },
  rotated: ({ file }, { strings: { looking } }) => looking.rotated(file),
  host: ({ host, hostSession, message }, { strings: { phrases } }) =>
    phrases.listed([`${host} ${hostSession}`, ...(message === undefined ? [] : [message])]),
};

function atAShellIn(strings: Strings): Wording {
  return wordingIn(strings.reasons, atAShell);
}

/** Describes the journey that a redo undid. A fork may contain the redo without the journey. */
export function undoneText(
  { journey }: EntryOf<"redo">,
  { outline, strings: { journeys } }: TextNeeds,
): string {
  const undone = outline.byId(journey);
  return undone === undefined ? journeys.ofJourneyElsewhere : journeys.ofJourney(undone.kind, journey);
}

function known<Kind extends EntryKind>(entry: EntryOf<Kind>, needs: TextNeeds): string {
  // The table has the matching function for each kind, but the type of a table indexed by a union cannot express this.
  const text = texts[entry.kind as Kind] as Text<Kind>;
  return text(entry, needs);
}

function fromText(from: Entry["id"], { outline, strings: { journeys } }: TextNeeds): string {
  const row = outline.byId(from);
  return row === undefined ? journeys.fromElsewhere : journeys.fromLine(row.seq);
}

function partsText(parts: readonly (Part | ReplyPart)[], { strings: { looking } }: TextNeeds): string {
  const calls = parts.flatMap((part) =>
    part.type === "tool-call" ? [`${part.name} ${JSON.stringify(part.input)}`] : [],
  );
  const images = parts.flatMap((part) => (part.type === "image" ? [looking.image(part.mediaType)] : []));
  const thinks = parts.some((part) => part.type === "thinking");
  const pieces = [textOf(parts), ...images, ...(calls.length === 0 ? [] : [looking.calls(calls.join(", "))])];
  const shown = pieces.filter((piece) => piece !== "");
  return shown.length === 0 && thinks ? looking.thinking : shown.join(" ");
}

/**
 * Returns the error that made a step fail. A long error is stored in a blob, and `forget` may have changed it so that
 * it can no longer be read as an error.
 */
function failureText(error: Json): string {
  try {
    const thrown = restoreValue(error);
    if (thrown instanceof Error) return String(thrown);
    return typeof thrown === "string" ? thrown : JSON.stringify(error);
  } catch {
    return JSON.stringify(error);
  }
}
