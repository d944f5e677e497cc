import { visibleWidth } from "@earendil-works/pi-tui";
import type {
  FileConflict,
  FileStep,
  FilesPreviewed,
  JourneyPreview,
} from "../../../app/journeys/journey-types.ts";
import type { Choice } from "../../../record/entry.ts";
import { visibleName } from "../../../record/visible-text.ts";
import type { Strings } from "../../../strings/strings.ts";
import { padded } from "../../look/clip.ts";
import type { Look } from "../../look/look.ts";
import { cut } from "../pieces/lines.ts";

/** One path of a preview: what it meets, what becomes of it, or why it stays. */
export type PreviewRow =
  | {
      readonly kind: "conflict";
      readonly path: string;
      readonly choice: Choice;
      readonly merge: FileConflict["merge"];
    }
  | { readonly kind: "step"; readonly path: string; readonly step: FileStep }
  /** What changed while a command ran: it goes back, unless the person keeps it. */
  | { readonly kind: "during"; readonly path: string; readonly step: FileStep; readonly choice: Choice }
  /** A line about the paths below it, or of the diff of the one above. */
  | { readonly kind: "note"; readonly path: string; readonly text: string; readonly tone: "heading" | "diff" }
  | {
      readonly kind: "kept";
      readonly path: string;
      readonly fate: "kept" | "not-restorable";
      readonly why: string;
    };

type Choices = ReadonlyMap<string, Choice>;

/** How many lines of a diff stand below a path. */
const MOST_DIFF_LINES = 12;

/**
 * Conflicts first: they are what a person has to decide. Then what the tools did and what stays; then, below a heading, what
 * changed while commands ran, which may be the person's, with its diff. Each path has one row.
 */
export function previewRows({ files }: JourneyPreview, choices: Choices, strings: Strings): PreviewRow[] {
  if (files === undefined) return [];
  const why = new Map(files.during.map(({ path, kept }) => [path, kept]));
  const conflicts = files.conflicts.flatMap(({ path, choice, merge }): PreviewRow[] => {
    const text = why.get(path);
    const note: PreviewRow[] = text === undefined ? [] : [{ kind: "note", path, text, tone: "diff" }];
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
    // Last, because its heading would seem to cover whatever follows.
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
  return during.flatMap(({ path, commands, diff = [] }): PreviewRow[] => {
    const step = stepOf.get(path);
    if (step === undefined) return [];
    const isNew = commands !== heading;
    heading = commands;
    const choice = choices.get(path) === "keep" ? "keep" : "take";
    const lines = diff.slice(0, MOST_DIFF_LINES);
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

/** What becomes of files that nobody has to decide about. */
function apart({ steps, kept, conflicts }: FilesPreviewed): Pick<FilesPreviewed, "steps" | "kept"> {
  const decided = new Set(conflicts.map(({ path }) => path));
  return {
    steps: steps.filter(({ path }) => !decided.has(path)),
    kept: kept.filter(({ path }) => !decided.has(path)),
  };
}

export interface PreviewCounts {
  readonly created: number;
  readonly changed: number;
  readonly deleted: number;
  readonly kept: number;
}

/** Of files, as they would be with what was chosen: folders come and go with what they hold. */
export function previewCounts({ files }: JourneyPreview, choices: Choices): PreviewCounts {
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

export function previewLine(
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
      ? { sign: "=", what: words.kept(row.why) }
      : { sign: "!", what: words.notRestorable(row.why) };
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

/** The end of a path says more than its beginning. */
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
