import type { Outline } from "./outline.ts";
import type { Row } from "./row.ts";

/** The entries from the root to `head`, in order. */
export function branchOf(outline: Outline, head: Row | undefined = outline.head): Row[] {
  const branch: Row[] = [];
  for (let row = head; row !== undefined; row = outline.at(row.parent)) branch.push(row);
  return branch.reverse();
}

/** The lines of the branch of the head, for those who ask of many rows whether they are on it. */
export function linesOfBranch(outline: Outline): ReadonlySet<number> {
  return new Set(branchOf(outline).map((row) => row.seq));
}

/** The branch from line `from` on. The walk stops there: what lies before may be 100,000 lines. */
export function branchSince(outline: Outline, from: number, head: Row | undefined = outline.head): Row[] {
  const since: Row[] = [];
  for (let row = head; row !== undefined && row.seq >= from; row = outline.at(row.parent)) since.push(row);
  return since.reverse();
}

/** Whether `row` lies on the way from the root to `head`. */
export function isOnBranch(outline: Outline, row: Row, head: Row | undefined = outline.head): boolean {
  let at = head;
  // Parents stand above their children in the file, so the walk may stop at the wanted line.
  while (at !== undefined && at.seq > row.seq) at = outline.at(at.parent);
  return at?.seq === row.seq;
}

/** The nearest entry at or above `row` that `wanted` accepts. */
export function nearest(
  outline: Outline,
  row: Row | undefined,
  wanted: (row: Row) => boolean,
): Row | undefined {
  let at = row;
  while (at !== undefined && !wanted(at)) at = outline.at(at.parent);
  return at;
}
