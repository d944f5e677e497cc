import type { TreeRow } from "../../../ports/station/looking.ts";
import type { Look } from "../../look/look.ts";
import { cut } from "../pieces/lines.ts";

const LEAST_TEXT = 12;

/** However deep a branch hangs, something of its text is shown: its rails give way. */
export function treeLine(
  row: TreeRow,
  { width, is }: { width: number; is: "chosen" | "not" },
  look: Look,
): string {
  const { glyphs, strings, paint } = look;
  const rails =
    `${glyphs.vertical} `.repeat(row.rails.length) +
    (row.hang === "along" ? "" : `${glyphs.tee}${glyphs.horizontal}`);
  const most = Math.max(0, width - LEAST_TEXT);
  const hung =
    rails.length <= most ? rails : `${glyphs.ellipsis} ${rails.slice(rails.length - Math.max(0, most - 2))}`;
  const sign = row.branch === "here" ? glyphs.bullet : glyphs.open;
  const number = row.number === undefined ? "" : `#${row.number} `;
  const label = row.label === undefined ? "" : `[${row.label}] `;
  const head = row.isHead ? ` ${glyphs.back} ${strings.terminal.dialogs.tree.head}` : "";
  const line = `${hung}${sign} ${number}${label}`;
  const text = cut(
    `${line}${cut(row.text, Math.max(1, width - line.length - head.length), look)}${head}`,
    width,
    look,
  );
  return is === "not" && row.branch === "left" ? paint.dim(text) : text;
}

/**
 * The nearest place at or above a row of the tree that has a number, and so can be gone to. Above an entry stands the one
 * that it goes on from, or the one that its branch begins with; its siblings and what hangs on them are passed over.
 */
export function placeAbove(rows: readonly TreeRow[], index: number): TreeRow | undefined {
  let at = rows[index];
  let next = index - 1;
  while (at !== undefined && at.number === undefined) {
    const depth = at.rails.length;
    while (next >= 0 && !isAbove(rows[next], depth)) next -= 1;
    at = rows[next];
    next -= 1;
  }
  return at;
}

function isAbove(row: TreeRow | undefined, depth: number): boolean {
  if (row === undefined) return false;
  return row.hang === "along" ? row.rails.length === depth : row.rails.length === depth - 1;
}
