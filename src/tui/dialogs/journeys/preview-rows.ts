import { visibleWidth } from "@earendil-works/pi-tui";
import type { FileStep, JourneyPreview } from "../../../ports/station/journeys.ts";
import type { Choice } from "../../../record/entry.ts";
import { padded } from "../../look/clip.ts";
import type { Look } from "../../look/look.ts";
import { cut } from "../pieces/lines.ts";

/** One path of a preview: what it meets, what becomes of it, or why it stays. */
export type PreviewRow =
  | { readonly kind: "conflict"; readonly path: string; readonly choice: Choice }
  | { readonly kind: "step"; readonly path: string; readonly step: FileStep }
  | { readonly kind: "kept"; readonly path: string; readonly why: string };

/** Conflicts first: they are what a person has to decide. */
export function previewRows({ files }: JourneyPreview, choices: ReadonlyMap<string, Choice>): PreviewRow[] {
  if (files === undefined) return [];
  const conflicts = files.conflicts.map(({ path, choice }): PreviewRow => {
    return { kind: "conflict", path, choice: choices.get(path) ?? choice };
  });
  const steps = files.steps.map((step): PreviewRow => ({ kind: "step", path: step.path, step }));
  const kept = files.kept.map(({ path, why }): PreviewRow => ({ kind: "kept", path, why }));
  return [...conflicts, ...steps, ...kept];
}

export function previewLine(
  row: PreviewRow,
  { width, is }: { width: number; is: "chosen" | "not" },
  look: Look,
): string {
  const { sign, what } = saidOf(row, look);
  const tail = cut(what, Math.max(8, width - 12), look);
  const room = Math.max(4, width - 3 - visibleWidth(tail));
  const path = padded(cutStart(row.path, room, look), room);
  if (is === "chosen") return cut(`${sign} ${path} ${tail}`, width, look);
  const { paint } = look;
  const brush =
    row.kind === "conflict" ? paint.warning : row.kind === "kept" ? paint.dim : brushOf(row.step, look);
  return brush(cut(`${sign} ${path} ${tail}`, width, look));
}

function saidOf(row: PreviewRow, { strings }: Look): { sign: string; what: string } {
  const words = strings.terminal.dialogs.preview;
  if (row.kind === "conflict") return { sign: "!", what: words.choices[row.choice] };
  if (row.kind === "kept") return { sign: "=", what: words.kept(row.why) };
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
