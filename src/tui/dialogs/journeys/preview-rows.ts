import { visibleWidth } from "@earendil-works/pi-tui";
import type {
  FileConflict,
  FileStep,
  FilesPreviewed,
  JourneyPreview,
} from "../../../ports/station/journeys.ts";
import type { Choice } from "../../../record/entry.ts";
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
  | {
      readonly kind: "kept";
      readonly path: string;
      readonly fate: "kept" | "not-restorable";
      readonly why: string;
    };

type Choices = ReadonlyMap<string, Choice>;

/** Conflicts first: they are what a person has to decide. Each path has one row. */
export function previewRows({ files }: JourneyPreview, choices: Choices): PreviewRow[] {
  if (files === undefined) return [];
  const conflicts = files.conflicts.map(({ path, choice, merge }): PreviewRow => {
    return { kind: "conflict", path, choice: choices.get(path) ?? choice, merge };
  });
  const { steps, kept } = apart(files);
  return [
    ...conflicts,
    ...steps.map((step): PreviewRow => ({ kind: "step", path: step.path, step })),
    ...kept.map((each): PreviewRow => ({ kind: "kept", ...each })),
  ];
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
  for (const step of steps) if (step.kind !== "folder") counts[countOf(step)] += 1;
  for (const conflict of files.conflicts) {
    const choice = choices.get(conflict.path) ?? conflict.choice;
    counts[choice === "keep" ? "kept" : choice === "merge" ? "changed" : countOf(conflict)] += 1;
  }
  return { ...counts, kept: counts.kept + kept.filter(({ fate }) => fate === "kept").length };
}

export function countOf({ what }: Pick<FileStep, "what">): "created" | "changed" | "deleted" {
  return what === "created" || what === "deleted" ? what : "changed";
}

export function previewLine(
  row: PreviewRow,
  { width, is }: { width: number; is: "chosen" | "not" },
  look: Look,
): string {
  const { sign, what } = saidOf(row, look);
  const tail = cut(what, Math.max(8, width - 12), look);
  const room = Math.max(4, width - 3 - visibleWidth(tail));
  const isFolder = row.kind === "step" && row.step.kind === "folder";
  const path = padded(cutStart(isFolder ? `${row.path}/` : row.path, room, look), room);
  if (is === "chosen") return cut(`${sign} ${path} ${tail}`, width, look);
  const { paint } = look;
  const brush =
    row.kind === "conflict" ? paint.warning : row.kind === "kept" ? paint.dim : brushOf(row.step, look);
  return brush(cut(`${sign} ${path} ${tail}`, width, look));
}

function saidOf(row: PreviewRow, { strings }: Look): { sign: string; what: string } {
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
