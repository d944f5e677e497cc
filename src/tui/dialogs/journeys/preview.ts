import type { JourneyPreview } from "../../../app/journeys/journey-types.ts";
import type { Choice } from "../../../record/entry.ts";
import type { Strings } from "../../../strings/strings.ts";
import type { Look } from "../../look/look.ts";
import type { KeyPress } from "../../view/key-press.ts";
import type { Dialog, Pressed, Room } from "../dialog.ts";
import { firstShown, framed } from "../pieces/frame.ts";
import { nameOf, typed } from "../pieces/keys.ts";
import { between, choosable, cut, rowRoom, wrapped } from "../pieces/lines.ts";
import { moved } from "../pieces/menu.ts";
import { type PreviewRow, previewCounts, previewLine, previewRows } from "./preview-rows.ts";

export interface PreviewOptions {
  readonly title: string;
  readonly preview: JourneyPreview;
  /** Commands that still run in the background and may change files again. */
  readonly running: readonly string[];
  /** What was chosen before, where it is shown again. */
  readonly from?: PreviewAnswer;
}

export interface PreviewState {
  readonly chosen: number;
  readonly choices: ReadonlyMap<string, Choice>;
  readonly running: "leave" | "stop";
}

export interface PreviewAnswer {
  /** Only those that the person chose. */
  readonly choices: ReadonlyMap<string, Choice>;
  readonly running: "leave" | "stop";
}

const AROUND = 6;
const TITLE_AND_KEYS = 2;
const CHOICES: Readonly<Record<string, Choice>> = { k: "keep", t: "take", m: "merge" };

/** What a journey would do, before it does it. */
export function previewDialog(
  strings: Strings,
  options: PreviewOptions,
): Dialog<PreviewState, PreviewAnswer> {
  const from: PreviewAnswer = options.from ?? { choices: new Map(), running: "leave" };
  return {
    start: { chosen: 0, ...from },
    extent: "part",
    press: (state, key, room) => pressPreview(state, key, { options, room, strings }),
    draw: (state, space, look) => {
      const head = factsOf(options, state, look)
        .flatMap(({ text, tone }) => wrapped(text, space.width, 2).map((line) => look.paint[tone](line)))
        .slice(0, Math.max(1, Math.floor(space.rows / 2)));
      return framed(
        {
          title: titleOf(options, state, { ...space, rows: space.rows - head.length, look }),
          head,
          body: (rows) => bodyOf(options, state, { width: space.width, rows, look }),
          keys: keysOf(options, state, strings),
        },
        space,
        look,
      );
    },
  };
}

/** With the number of the row that is chosen, where not all of them can be seen. */
function titleOf(
  { title, preview }: PreviewOptions,
  { chosen, choices }: PreviewState,
  { width, rows, look }: Room,
): string {
  const count = previewRows(preview, choices, look.strings).length;
  const where = count > rows - TITLE_AND_KEYS ? `${chosen + 1}/${count}` : "";
  return between(cut(title, width, look), where, width);
}

function keysOf({ preview, running }: PreviewOptions, state: PreviewState, strings: Strings): string {
  const { go, look, conflicts, running: stop, back } = strings.terminal.dialogs.keys.preview;
  return [
    go,
    hasChoices(preview) ? conflicts : look,
    ...(running.length > 0 ? [stop[state.running]] : []),
    back,
  ].join(" · ");
}

function hasChoices({ files }: JourneyPreview): boolean {
  return files !== undefined && files.conflicts.length + files.during.length > 0;
}

function pressPreview(
  state: PreviewState,
  key: KeyPress,
  { options, room, strings }: { options: PreviewOptions; room: Room; strings: Strings },
): Pressed<PreviewState, PreviewAnswer> {
  const name = nameOf(key);
  const letter = typed(key);
  if (name === "escape" || letter === "q") return { answer: undefined };
  if (name === "enter") return { answer: { choices: state.choices, running: state.running } };
  if (letter === "s" && options.running.length > 0) {
    return { state: { ...state, running: state.running === "stop" ? "leave" : "stop" } };
  }
  const rows = previewRows(options.preview, state.choices, strings);
  const choice = letter === undefined ? undefined : CHOICES[letter.toLowerCase()];
  if (choice !== undefined)
    return {
      state: { ...state, choices: chosenFor(state, { choice, all: letter !== letter?.toLowerCase() }, rows) },
    };
  const page = Math.max(1, room.rows - AROUND);
  return { state: { ...state, chosen: moved(state.chosen, key, { count: rows.length, page }) } };
}

/** With a capital letter for all of them, else for the one that is chosen. */
function chosenFor(
  { choices, chosen }: PreviewState,
  { choice, all }: { choice: Choice; all: boolean },
  rows: readonly PreviewRow[],
): ReadonlyMap<string, Choice> {
  // A line below a path belongs to it.
  const path = rows[chosen]?.path;
  const meant = rows.filter((row) => {
    if (!(all || row.path === path)) return false;
    if (row.kind === "during") return choice !== "merge";
    if (row.kind !== "conflict") return false;
    // What does not merge cleanly would be kept: it is not said to be merged.
    return choice !== "merge" || row.merge !== "unclean";
  });
  return new Map([...choices, ...meant.map((row) => [row.path, choice] as const)]);
}

interface Fact {
  readonly text: string;
  readonly tone: "dim" | "warning";
}

function factsOf({ preview, running }: PreviewOptions, state: PreviewState, { strings }: Look): Fact[] {
  const words = strings.terminal.dialogs.preview;
  const { files } = preview;
  const facts: Fact[] = [];
  const warn = (text: string) => facts.push({ text, tone: "warning" });
  // Warnings first: where there is little room, they are what must be seen.
  if (preview.newer !== undefined) warn(words.returns(preview.place));
  if (preview.opens !== undefined) warn(words.opens(preview.opens.title ?? preview.opens.session));
  if (preview.filesStay !== undefined) warn(words.filesStay(preview.filesStay));
  for (const text of conflictFact(preview, strings)) warn(text);
  if (running.length > 0) warn(words.running(running.join("; "), state.running));
  if (files?.git !== undefined) warn(words.git(files.git.was, files.git.now));
  if (files?.tracked === "touched") warn(words.touchedOnly);
  for (const text of throughFacts(preview, strings)) warn(text);
  if (files !== undefined) {
    facts.push({ text: words.counts(previewCounts(preview, state.choices)), tone: "dim" });
  }
  if (preview.scope !== "files" && preview.entries > 0) {
    facts.push({ text: words.leaves(preview.entries, preview.tokens), tone: "dim" });
  }
  return facts;
}

/** What another agent that takes the files back cannot do. */
function throughFacts({ files }: JourneyPreview, strings: Strings): string[] {
  if (files?.through === undefined) return [];
  const { name, limits, undo } = files.through;
  const words = strings.files.through;
  return [
    words.by(name),
    ...limits.map((limit) => `- ${words.limits[limit]}`),
    ...(undo === "captured" ? [] : [words.noUndo]),
  ];
}

/** Before anybody chooses, all have the same: an agent's session keeps, others take. */
function conflictFact({ files }: JourneyPreview, { terminal }: Strings): string[] {
  const { conflicts = [] } = files ?? {};
  const [first] = conflicts;
  if (first === undefined) return [];
  const fate = first.choice === "take" ? "take" : "keep";
  return [terminal.dialogs.preview.conflicts(conflicts.length, fate)];
}

function bodyOf(
  { preview }: PreviewOptions,
  { choices, chosen }: PreviewState,
  { width, rows: height, look }: Room,
): string[] {
  const rows = previewRows(preview, choices, look.strings);
  if (rows.length === 0) {
    const words = look.strings.terminal.dialogs.preview;
    return preview.files === undefined ? [] : [look.paint.dim(words.noFiles)];
  }
  const first = firstShown(chosen, rows.length, height);
  return rows.slice(first, first + height).map((row, offset) => {
    const is = first + offset === chosen ? "chosen" : "not";
    return choosable(previewLine(row, { width: rowRoom(width, look), is }, look), is, look);
  });
}
