import { visibleWidth } from "@earendil-works/pi-tui";
import type {
  FileConflict,
  FileStep,
  FilesPreviewed,
  JourneyPreview,
  KeptReason,
} from "../../app/journeys/journey-types.ts";
import type { Choice } from "../../record/entry.ts";
import { visibleName } from "../../record/visible-text.ts";
import { keptReasonText, placeText } from "../../show/journey-text.ts";
import { diffLines } from "../../show/patch.ts";
import type { Strings } from "../../strings/strings.ts";
import { errorOnScreen } from "../../strings/wording.ts";
import type { Look } from "../look/look.ts";
import { between, choosable, cut, padded, rowRoom, wrapped } from "../look/text.ts";
import { type KeyPress, nameOf, typed } from "../terminal/keys.ts";
import { type Dialog, firstShown, framed, moved, type Pressed, type Room } from "./dialog.ts";

export interface PreviewOptions {
  readonly title: string;
  readonly preview: JourneyPreview;
  /** Commands that are still running in the background and may change files again. */
  readonly running: readonly string[];
  /** The user's earlier choices, if the preview is shown again. */
  readonly from?: PreviewAnswer;
}

interface PreviewState {
  readonly chosen: number;
  readonly choices: ReadonlyMap<string, Choice>;
  readonly running: "leave" | "stop";
}

export interface PreviewAnswer {
  /** The choices that the user made. Choices that the user did not make are missing. */
  readonly choices: ReadonlyMap<string, Choice>;
  readonly running: "leave" | "stop";
}

const AROUND = 6;
const TITLE_AND_KEYS = 2;
const CHOICES: Readonly<Record<string, Choice>> = { k: "keep", t: "take", m: "merge" };

/** Creates a dialog that shows what a journey would do before it is performed. */
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

/** Returns the title, followed by the number of the chosen row if not all rows are visible. */
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

/**
 * Returns the choices after a key press. An uppercase letter sets all rows, and a lowercase letter only the chosen row.
 */
function chosenFor(
  { choices, chosen }: PreviewState,
  { choice, all }: { choice: Choice; all: boolean },
  rows: readonly PreviewRow[],
): ReadonlyMap<string, Choice> {
  // A line below a path counts as part of that path.
  const path = rows[chosen]?.path;
  const meant = rows.filter((row) => {
    if (!(all || row.path === path)) return false;
    if (row.kind === "during") return choice !== "merge";
    if (row.kind !== "conflict") return false;
    // A path that does not merge cleanly would be kept, so it must not be set to "merge".
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
  // Warnings come first, so that they are visible on a small screen.
  if (preview.newer !== undefined) warn(words.returns(placeText(preview.place, strings)));
  if (preview.opens !== undefined) warn(words.opens(preview.opens.title ?? preview.opens.session));
  if (preview.filesStay !== undefined)
    warn(words.filesStay(errorOnScreen(strings, preview.filesStay).message));
  for (const text of conflictFact(preview, strings)) warn(text);
  if (running.length > 0) warn(words.running(running.join("; "), state.running));
  if (files?.git !== undefined) warn(words.git(files.git.was, files.git.now ?? strings.files.nothing));
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

/** Returns the limits of the other agent that restores the files. */
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

/**
 * Returns the line about conflicts. Until the user chooses, the same default applies to all conflicts. In an agent's
 * session, the files are kept. Otherwise, the files are overwritten.
 */
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

/** One path in a preview: its conflict, what will happen to it, or why it is kept. */
type PreviewRow =
  | {
      readonly kind: "conflict";
      readonly path: string;
      readonly choice: Choice;
      readonly merge: FileConflict["merge"];
    }
  | { readonly kind: "step"; readonly path: string; readonly step: FileStep }
  /** A path that changed while a command ran. The path is restored unless the user chooses to keep it. */
  | { readonly kind: "during"; readonly path: string; readonly step: FileStep; readonly choice: Choice }
  /** A line about the paths below it, or a line of the diff of the path above it. */
  | { readonly kind: "note"; readonly path: string; readonly text: string; readonly tone: "heading" | "diff" }
  | {
      readonly kind: "kept";
      readonly path: string;
      readonly fate: "kept" | "not-restorable";
      readonly why: KeptReason;
    };

type Choices = ReadonlyMap<string, Choice>;

/** Maximum number of diff lines to show below a path. */
const MAX_DIFF_LINES = 12;

/**
 * Returns one row for each path. Conflicts come first, because the user has to decide about them. Next come changes
 * made by tools, and kept paths. The last group contains changes made while commands ran, some of which may be the
 * user's. Changes in this group have a heading and a diff.
 */
function previewRows({ files }: JourneyPreview, choices: Choices, strings: Strings): PreviewRow[] {
  if (files === undefined) return [];
  const why = new Map(files.during.map(({ path, kept }) => [path, kept]));
  const conflicts = files.conflicts.flatMap(({ path, choice, merge }): PreviewRow[] => {
    const reason = why.get(path);
    const note: PreviewRow[] =
      reason === undefined
        ? []
        : [{ kind: "note", path, text: keptReasonText(reason, strings), tone: "diff" }];
    return [{ kind: "conflict", path, choice: choices.get(path) ?? choice, merge }, ...note];
  });
  const { steps, kept } = apart(files);
  const ambiguous = new Set(files.during.map(({ path }) => path));
  return [
    ...conflicts,
    ...steps
      .filter(({ path }) => !ambiguous.has(path))
      .map((step): PreviewRow => ({ kind: "step", path: step.path, step })),
    ...kept.map((each): PreviewRow => ({ kind: "kept", ...each })),
    // These rows are last, because their heading would seem to apply to any rows below them.
    ...duringRows(files, { steps, choices, strings }),
  ];
}

function duringRows(
  { during }: FilesPreviewed,
  known: {
    readonly steps: readonly FileStep[];
    readonly choices: Choices;
    readonly strings: Strings;
  },
): PreviewRow[] {
  const { steps, choices, strings } = known;
  const { during: headingOf } = strings.terminal.dialogs.preview;
  const { moreLines } = strings.files.during;
  const stepOf = new Map(steps.map((step) => [step.path, step]));
  let heading = "";
  return during.flatMap(({ path, commands, diff: changed }): PreviewRow[] => {
    const diff = changed === undefined ? [] : diffLines(changed, strings);
    const step = stepOf.get(path);
    if (step === undefined) return [];
    const isNew = commands !== heading;
    heading = commands;
    const choice = choices.get(path) === "keep" ? "keep" : "take";
    const lines = diff.slice(0, MAX_DIFF_LINES);
    const more = diff.length - lines.length;
    return [
      ...(isNew ? [{ kind: "note", path, text: headingOf(commands), tone: "heading" } as const] : []),
      { kind: "during", path, step, choice },
      ...[...lines, ...(more > 0 ? [moreLines(more)] : [])].map(
        (text): PreviewRow => ({ kind: "note", path, text, tone: "diff" }),
      ),
    ];
  });
}

/** Returns the files that do not need a decision. */
function apart({ steps, kept, conflicts }: FilesPreviewed): Pick<FilesPreviewed, "steps" | "kept"> {
  const decided = new Set(conflicts.map(({ path }) => path));
  return {
    steps: steps.filter(({ path }) => !decided.has(path)),
    kept: kept.filter(({ path }) => !decided.has(path)),
  };
}

/**
 * Counts the files that would change with the current choices. Folders are not counted, because they change with
 * their contents.
 */
function previewCounts(
  { files }: JourneyPreview,
  choices: Choices,
): { readonly created: number; readonly changed: number; readonly deleted: number; readonly kept: number } {
  const counts = { created: 0, changed: 0, deleted: 0, kept: 0 };
  if (files === undefined) return counts;
  const { steps, kept } = apart(files);
  const isKept = ({ path }: FileStep): boolean =>
    choices.get(path) === "keep" && files.during.some((each) => each.path === path);
  for (const step of steps) if (step.kind !== "folder") counts[isKept(step) ? "kept" : countOf(step)] += 1;
  for (const conflict of files.conflicts) {
    const choice = choices.get(conflict.path) ?? conflict.choice;
    counts[choice === "keep" ? "kept" : choice === "merge" ? "changed" : countOf(conflict)] += 1;
  }
  return { ...counts, kept: counts.kept + kept.filter(({ fate }) => fate === "kept").length };
}

function countOf({ what }: Pick<FileStep, "what">): "created" | "changed" | "deleted" {
  return what === "created" || what === "deleted" ? what : "changed";
}

function previewLine(
  row: PreviewRow,
  { width, is }: { width: number; is: "chosen" | "not" },
  look: Look,
): string {
  if (row.kind === "note") return noteLine(row, width, look);
  const { sign, what } = saidOf(row, look);
  const tail = cut(what, Math.max(8, width - 12), look);
  const room = Math.max(4, width - 3 - visibleWidth(tail));
  const isFolder = "step" in row && row.step.kind === "folder";
  const name = visibleName(row.path);
  const path = padded(cutStart(isFolder ? `${name}/` : name, room, look), room);
  if (is === "chosen") return cut(`${sign} ${path} ${tail}`, width, look);
  const { paint } = look;
  const brush =
    row.kind === "conflict" ? paint.warning : row.kind === "kept" ? paint.dim : brushOf(row.step, look);
  return brush(cut(`${sign} ${path} ${tail}`, width, look));
}

function noteLine({ text, tone }: Extract<PreviewRow, { kind: "note" }>, width: number, look: Look): string {
  const { paint } = look;
  if (tone === "heading") return paint.warning(cut(text, width, look));
  const line = cut(`    ${text}`, width, look);
  if (text.startsWith("+")) return paint.added(line);
  return text.startsWith("-") ? paint.removed(line) : paint.dim(line);
}

function saidOf(
  row: Exclude<PreviewRow, { kind: "note" }>,
  { strings }: Look,
): { sign: string; what: string } {
  const words = strings.terminal.dialogs.preview;
  if (row.kind === "conflict") {
    const unclean = row.merge === "unclean" ? ` · ${words.noMerge}` : "";
    return { sign: "!", what: `${words.choices[row.choice]}${unclean}` };
  }
  if (row.kind === "kept") {
    return row.fate === "kept"
      ? { sign: "=", what: words.kept(keptReasonText(row.why, strings)) }
      : { sign: "!", what: words.notRestorable(keptReasonText(row.why, strings)) };
  }
  if (row.kind === "during" && row.choice === "keep") return { sign: "=", what: words.duringKept };
  const { what, added, removed } = row.step;
  const lines = added === undefined && removed === undefined ? "" : ` +${added ?? 0} -${removed ?? 0}`;
  return { sign: SIGNS[what], what: `${words.steps[what]}${lines}` };
}

const SIGNS: Readonly<Record<FileStep["what"], string>> = {
  created: "+",
  deleted: "-",
  changed: "~",
  mode: "~",
  kind: "~",
};

function brushOf({ what }: FileStep, { paint }: Look): (text: string) => string {
  if (what === "created") return paint.added;
  return what === "deleted" ? paint.removed : (text) => text;
}

/** Truncates a path at its start, because the end is more informative. */
function cutStart(path: string, width: number, { glyphs }: Look): string {
  if (visibleWidth(path) <= width) return cut(path, width);
  const characters = [...path];
  const room = width - visibleWidth(glyphs.ellipsis);
  let used = 0;
  let first = characters.length;
  while (first > 0 && used + visibleWidth(characters[first - 1] ?? "") <= room) {
    first -= 1;
    used += visibleWidth(characters[first] ?? "");
  }
  return cut(`${glyphs.ellipsis}${characters.slice(first).join("")}`, width);
}
