import { nearest, wayLeft } from "../../../../timeline/branch.ts";
import type { Outline } from "../../../../timeline/outline.ts";
import { isCheckpoint, isEntryToCount, type Row } from "../../../../timeline/row.ts";
import type { JourneyEntry } from "../../../../travel/redo.ts";
import type { ShownPlace } from "./shown-places.ts";

/** What alone is not worth going back to. */
const BESIDE: ReadonlySet<string> = new Set([
  "snapshot",
  "interval",
  "restored",
  "notice",
  "label",
  "title",
  "rotated",
  "checkpoint",
  "todos",
  "host",
]);

/**
 * The end of what a journey left, where nothing else of it has a row: steps that an agent took back would not be in the tree at
 * all.
 */
export function tipOf(
  outline: Outline,
  { id, from }: JourneyEntry,
  shown: ReadonlyMap<number, ShownPlace>,
): (ShownPlace & { readonly row: Row }) | undefined {
  const start = outline.byId(from);
  const landed = outline.at(outline.byId(id)?.parent ?? 0);
  const way = wayLeft(outline, start, landed);
  if (way.some(({ seq }) => shown.has(seq))) return undefined;
  const tip = way.find(({ kind }) => !BESIDE.has(kind));
  if (tip === undefined) return undefined;
  const step = nearest(outline, tip, isCheckpoint);
  const isOfWay = step !== undefined && step.seq >= (way.at(-1)?.seq ?? 0);
  const entries = way.filter(isEntryToCount).length;
  return { row: tip, what: { kind: "left", entries }, ...(isOfWay ? { checkpoint: step } : {}) };
}
