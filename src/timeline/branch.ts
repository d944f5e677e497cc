import type { EntryId } from "../record/ids.ts";
import type { Outline } from "./outline.ts";
import type { Row, RowKind } from "./row.ts";

/** The entries from the root to `head`, in order. */
export function branchOf(outline: Outline, head: Row | undefined = outline.head): Row[] {
  const branch: Row[] = [];
  for (let row = head; row !== undefined; row = outline.at(row.parent)) branch.push(row);
  return branch.reverse();
}

/** The lines of the branch of the head, for those who ask of many rows whether they are on it. */
export function linesOfBranch(outline: Outline): ReadonlySet<number> {
  const lines = new Set<number>();
  for (let line = outline.head?.seq ?? 0; outline.kindAt(line) !== undefined; line = outline.parentAt(line))
    lines.add(line);
  return lines;
}

/** The branch from line `from` on. The walk stops there: what lies before may be 100,000 lines. */
export function branchSince(outline: Outline, from: number, head: Row | undefined = outline.head): Row[] {
  const since: Row[] = [];
  for (let row = head; row !== undefined && row.seq >= from; row = outline.at(row.parent)) since.push(row);
  return since.reverse();
}

/** Whether `row` lies on the way from the root to `head`. */
export function isOnBranch(outline: Outline, row: Row, head: Row | undefined = outline.head): boolean {
  let line: number = head?.seq ?? 0;
  // Parents stand above their children in the file, so the walk may stop at the wanted line.
  while (line > row.seq) line = outline.parentAt(line);
  return line === row.seq;
}

/** The rows that only the way to `from` has, and the way to `to` does not; newest first. */
export function wayLeft(outline: Outline, from: Row | undefined, to: Row | undefined): readonly Row[] {
  const left: Row[] = [];
  let [a, b] = [from, to];
  // Parents stand above their children in the log, so the later of the two is never on the way to the earlier.
  while (a !== undefined && a.seq !== b?.seq) {
    if (b === undefined || a.seq > b.seq) {
      left.push(a);
      a = outline.at(a.parent);
    } else b = outline.at(b.parent);
  }
  return left;
}

/**
 * The rows that a journey left, oldest first. What is on the branch of the head is not left, even if this journey once left it.
 * None where the log does not have them, such as in a fork.
 */
export function rowsLeftBy(
  outline: Outline,
  { seq, from }: { readonly seq: number; readonly from: EntryId },
): readonly Row[] {
  const tip = outline.byId(from);
  const sinceLanding = wayLeft(outline, tip, outline.at(outline.at(seq)?.parent ?? 0));
  const offBranch = wayLeft(outline, tip, outline.head);
  // Both go up the same way from the same place, and end at different heights of it.
  return (sinceLanding.length < offBranch.length ? sinceLanding : offBranch).toReversed();
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

/**
 * The line before `row` in what the user has asked for: a backtrack takes along the prompts of the way that it left, whose
 * last line is the one before it. In a fork, which has no such way, that is its parent.
 */
export function askedBefore(outline: Outline, row: Pick<Row, "seq" | "kind" | "parent">): Row | undefined {
  return outline.at(row.kind === "backtrack" ? row.seq - 1 : row.parent);
}

/** For many rows: the nearest entry at or above each whose kind is wanted. Together they cost one walk over the log. */
export class NearestAbove {
  readonly #outline: Outline;
  readonly #wanted: (kind: RowKind) => boolean;
  readonly #way: "branch" | "asked";
  /** By line; 0 where there is none above. */
  readonly #known = new Map<number, number>();

  /** "asked": over the ways that backtracks left, as `askedBefore`. */
  constructor(outline: Outline, wanted: (kind: RowKind) => boolean, way: "branch" | "asked" = "branch") {
    this.#outline = outline;
    this.#wanted = wanted;
    this.#way = way;
  }

  of(row: Row): Row | undefined {
    const passed: number[] = [];
    let line: number = row.seq;
    let found = this.#known.get(line);
    while (found === undefined) {
      const kind = this.#outline.kindAt(line);
      if (kind === undefined) found = 0;
      else if (this.#wanted(kind)) found = line;
      else {
        passed.push(line);
        const isLeft = this.#way === "asked" && kind === "backtrack";
        line = isLeft ? line - 1 : this.#outline.parentAt(line);
        found = this.#known.get(line);
      }
    }
    for (const each of passed) this.#known.set(each, found);
    return this.#outline.at(found);
  }
}
