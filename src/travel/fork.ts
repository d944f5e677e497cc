import type { Outline } from "../timeline/outline.ts";
import { branchOf } from "../timeline/outline.ts";
import type { Row } from "../timeline/row.ts";
import type { Journey } from "./rewind.ts";
import { requireCheckpoint, requireHead } from "./rewind.ts";

/** Plans a fork by selecting the lines to copy to the new session. Does not change the original session. */
export function planFork(outline: Outline, at: number | undefined): Journey {
  const place = at === undefined ? requireHead(outline) : requireCheckpoint(outline, at);
  const lines = branchOf(outline, place)
    .filter(isCopied)
    .map((row) => row.seq);
  return { reason: "fork", moves: [{ do: "copy", lines, place: place.id }] };
}

/**
 * Checks whether a fork copies the row. The new session has its own first line and its own entries about files. Labels
 * and titles are read from the whole log and added at the end of the new log.
 */
export function isCopied(row: Row): boolean {
  return !["session", "rotated", "label", "title"].includes(row.kind);
}
