import type { Outline } from "./outline.ts";
import { linesOfBranch } from "./outline.ts";
import type { Row } from "./row.ts";

/** One line of the drawn tree: a row, its connection to the rows above it, and whether it is on the current branch. */
export interface TreeLine {
  readonly row: Row;
  /** The columns to the left, which show other branches. "open": the branch continues below this line. */
  readonly rails: readonly ("open" | "closed")[];
  /**
   * "along": the row continues the branch above it. "fork": the row begins another branch. "last": the row begins the
   * last of the other branches.
   */
  readonly hang: "along" | "fork" | "last";
  readonly branch: "here" | "left";
}

/**
 * The whole tree from the root down, including abandoned branches. Rows that `wanted` rejects are skipped, and their
 * children move up to the nearest row that is shown. Where branches diverge, the abandoned branches come first and are
 * indented. The path to the head continues below them.
 */
export function treeOf(outline: Outline, wanted: (row: Row) => boolean): TreeLine[] {
  const shown = shownChildren(outline, wanted);
  const here = linesOfBranch(outline);
  const lines: TreeLine[] = [];
  const stack: PendingLine[] = hang(shown.get(0) ?? [], [], here);
  // A stack is used instead of recursion, because the tree of a session may be 100,000 entries deep.
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { row, rails, hang: how } = next;
    lines.push({ row, rails, hang: how, branch: here.has(row.seq) ? "here" : "left" });
    const below =
      how === "along" ? rails : [...rails, how === "last" ? ("closed" as const) : ("open" as const)];
    for (const hanging of hang(shown.get(row.seq) ?? [], below, here)) stack.push(hanging);
  }
  return lines;
}

interface PendingLine {
  readonly row: Row;
  readonly rails: TreeLine["rails"];
  readonly hang: TreeLine["hang"];
}

/** Returns the children in stack order, so that the child that is drawn first comes last. */
function hang(children: readonly Row[], rails: TreeLine["rails"], here: ReadonlySet<number>): PendingLine[] {
  const main = children.find((row) => here.has(row.seq)) ?? children.at(-1);
  const others = children.filter((row) => row !== main);
  const last = others.length - 1;
  const hanging = others.map(
    (row, index): PendingLine => ({ row, rails, hang: index === last ? "last" : "fork" }),
  );
  const along = main === undefined ? [] : [{ row: main, rails, hang: "along" as const }];
  return [...along, ...hanging.reverse()];
}

function shownChildren(outline: Outline, wanted: (row: Row) => boolean): Map<number, Row[]> {
  const children = new Map<number, Row[]>();
  /** For each line, the nearest line at or above it that is shown. */
  const shownAbove = new Map<number, number>();
  for (const row of outline.rows()) {
    const above = shownAbove.get(row.parent) ?? 0;
    const isShown = wanted(row);
    shownAbove.set(row.seq, isShown ? row.seq : above);
    if (!isShown) continue;
    const siblings = children.get(above);
    if (siblings === undefined) children.set(above, [row]);
    else siblings.push(row);
  }
  return children;
}
