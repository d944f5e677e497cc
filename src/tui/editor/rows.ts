import { visibleWidth } from "@earendil-works/pi-tui";
import { type Folds, lineEnd, lineStart, type Segment, segmentsOf } from "./segments.ts";

/** A piece of the text that is drawn as one line. */
export interface Row {
  readonly from: number;
  readonly to: number;
  /** "wrapped": the line goes on in the next row, and its end is that row's beginning. */
  readonly end: "line" | "wrapped";
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Lays texts out one after the other. Only the lines that have changed since are wrapped again. */
export type LayOut = (text: string, width: number, folds: Folds) => readonly Row[];

export function rowLayout(): LayOut {
  let known: { readonly width: number; readonly folds: Folds; readonly lines: Map<string, readonly Span[]> };
  return (text, width, folds) => {
    const before = known?.width === width && known.folds === folds ? known.lines : undefined;
    const lines = new Map<string, readonly Span[]>();
    known = { width, folds, lines };
    const rows: Row[] = [];
    let start = 0;
    for (const line of text.split("\n")) {
      const spans = lines.get(line) ?? before?.get(line) ?? wrapLine(line, width, folds);
      lines.set(line, spans);
      for (const [index, { from, to }] of spans.entries()) {
        const end = index === spans.length - 1 ? "line" : "wrapped";
        rows.push({ from: start + from, to: start + to, end });
      }
      start += line.length + 1;
    }
    return rows;
  };
}

/** What must not begin a row, and what must not end one. */
const CLOSING = "，。、：；？！）」』》〉】〕…";
const OPENING = "（「『《〈【〔";

interface Piece extends Pick<Segment, "text" | "at"> {
  readonly width: number;
}

/** Rows break after spaces and beside wide characters; what is wider than a row is cut. Nothing is left out. */
function wrapLine(line: string, width: number, folds: Folds): readonly Span[] {
  if (line.length <= width && visibleWidth(line) <= width) return [{ from: 0, to: line.length }];
  const spans: Span[] = [];
  const pieces = segmentsOf(line, folds).flatMap((segment) => piecesOf(segment, width));
  let start = 0;
  let used = 0;
  let chance: { readonly at: number; readonly used: number } | undefined;
  for (const [index, piece] of pieces.entries()) {
    if (used + piece.width > width && piece.at > start) {
      const fits = chance !== undefined && used - chance.used + piece.width <= width;
      const end = fits && chance !== undefined ? chance : { at: piece.at, used };
      spans.push({ from: start, to: end.at });
      start = end.at;
      used -= end.used;
      chance = undefined;
    }
    used += piece.width;
    const next = pieces[index + 1];
    if (next !== undefined && mayBreak(piece, next)) chance = { at: next.at, used };
  }
  return [...spans, { from: start, to: line.length }];
}

/** The marker of a paste is broken only where it is wider than a row. */
function piecesOf({ text, at, kind }: Segment, most: number): readonly Piece[] {
  const width = visibleWidth(text);
  if (kind === "grapheme" || width <= most) return [{ text, at, width }];
  return Array.from(text, (each, index) => ({ text: each, at: at + index, width: 1 }));
}

function mayBreak(before: Piece, after: Piece): boolean {
  if (after.text.trim() === "") return false;
  if (before.text.trim() === "") return true;
  if (CLOSING.includes(after.text) || OPENING.includes(before.text)) return false;
  return isWide(before) || isWide(after);
}

function isWide({ text, width }: Piece): boolean {
  return width === 2 && !text.startsWith("[");
}

/** The index of the row that the cursor is in. */
export function rowAt(rows: readonly Row[], cursor: number): number {
  return rows.findLastIndex(({ from }) => from <= cursor);
}

/** Which row is drawn first, such that the row of the cursor is drawn and as little as possible moves. */
export function scrolled(first: number, cursorRow: number, { shown, all }: ShownRows): number {
  const near = Math.max(Math.min(first, cursorRow), cursorRow - shown + 1);
  return Math.max(0, Math.min(near, all - shown));
}

interface ShownRows {
  readonly shown: number;
  readonly all: number;
}

interface Standing {
  readonly text: string;
  readonly cursor: number;
  readonly folds: Folds;
  /** The column that the cursor tries to keep, while it goes up and down. */
  readonly goal: number | undefined;
}

/** A row up or down. At the first row it is the line's beginning, at the last its end. */
export function movedByRow(
  { text, cursor, folds, goal }: Standing,
  rows: readonly Row[],
  direction: "up" | "down",
): { readonly cursor: number; readonly goal: number | undefined } {
  const at = rowAt(rows, cursor);
  const column = goal ?? visibleWidth(text.slice(rows[at]?.from, cursor));
  const step = direction === "up" ? -1 : 1;
  for (let target = at + step; rows[target] !== undefined; target += step) {
    const reached = positionIn(rows[target], { text, folds }, column);
    if (reached !== undefined) return { cursor: reached, goal: column };
  }
  return { cursor: direction === "up" ? lineStart(text, cursor) : lineEnd(text, cursor), goal: undefined };
}

/** The border in the row that is nearest before the column; none where the row is the middle of a marker. */
function positionIn(
  row: Row | undefined,
  { text, folds }: Pick<Standing, "text" | "folds">,
  column: number,
): number | undefined {
  if (row === undefined) return undefined;
  const start = lineStart(text, row.from);
  let reached: number | undefined;
  let used = 0;
  for (const segment of segmentsOf(text.slice(start, lineEnd(text, row.from)), folds)) {
    const at = start + segment.at;
    const isInside = at >= row.from && at < row.to;
    if (isInside && (reached === undefined || used <= column)) reached = at;
    if (at + segment.text.length > row.from && at < row.to) {
      used += visibleWidth(text.slice(Math.max(at, row.from), Math.min(at + segment.text.length, row.to)));
    }
  }
  return row.end === "line" && (reached === undefined || used <= column) ? row.to : reached;
}
