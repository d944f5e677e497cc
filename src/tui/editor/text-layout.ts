import { visibleWidth } from "@earendil-works/pi-tui";
import { graphemesOf, isSimple } from "../look/text.ts";

/** A grapheme of a line, or the marker of a folded paste. The cursor is never inside a segment. */
export interface Segment {
  readonly text: string;
  /** The segment's index in the line. */
  readonly at: number;
  readonly kind: "grapheme" | "marker";
}

/** Pasted strings, by the markers that replace them in the text. */
export type Folds = ReadonlyMap<string, string>;

const MARKER = /\[paste #\d+ (?:\+\d+ lines|\d+ chars)\]/gu;

/** Splits a line into segments. `line` must not contain a line break. */
export function segmentsOf(line: string, folds: Folds): readonly Segment[] {
  const segments: Segment[] = [];
  let end = 0;
  for (const { 0: marker, index } of folds.size === 0 ? [] : line.matchAll(MARKER)) {
    if (!folds.has(marker)) continue;
    addGraphemes(segments, line.slice(end, index), end);
    segments.push({ text: marker, at: index, kind: "marker" });
    end = index + marker.length;
  }
  addGraphemes(segments, line.slice(end), end);
  return segments;
}

function addGraphemes(segments: Segment[], text: string, at: number): void {
  let start = at;
  for (const grapheme of graphemesOf(text)) {
    segments.push({ text: grapheme, at: start, kind: "grapheme" });
    start += grapheme.length;
  }
}

/** Replaces the markers in a string with the pasted strings. */
export function unfold(text: string, folds: Folds): string {
  return folds.size === 0 ? text : text.replace(MARKER, (marker) => folds.get(marker) ?? marker);
}

/** Returns a marker for a paste. The marker's number is not used by another paste or in the text. */
export function markerFor(pasted: string, folds: Folds, text: string): string {
  const taken = [...folds.keys(), text].flatMap((each) =>
    [...each.matchAll(NUMBERED)].map(([, number]) => Number(number)),
  );
  const number = Math.max(0, ...taken) + 1;
  const lines = pasted.split("\n").length;
  return lines > MAX_LINES
    ? `[paste #${number} +${lines} lines]`
    : `[paste #${number} ${pasted.length} chars]`;
}

const NUMBERED = /\[paste #(\d+)/gu;
const MAX_LINES = 10;
const MAX_CHARACTERS = 1_000;

/** Checks whether a paste is so large that a marker replaces it. */
export function isLarge(pasted: string): boolean {
  return pasted.length > MAX_CHARACTERS || pasted.split("\n").length > MAX_LINES;
}

/** Returns the index where the line that contains a position begins. */
export function lineStart(text: string, position: number): number {
  return position === 0 ? 0 : text.lastIndexOf("\n", position - 1) + 1;
}

export function lineEnd(text: string, position: number): number {
  const end = text.indexOf("\n", position);
  return end === -1 ? text.length : end;
}

/** Returns the next boundary after a position. At the end of the text, returns the end. */
export function nextBorder(text: string, position: number, folds: Folds): number {
  if (position >= text.length || text[position] === "\n") return Math.min(position + 1, text.length);
  if (folds.size === 0 && isSimple(text.slice(position, position + 2))) return position + 1;
  const start = lineStart(text, position);
  const next = segmentsOf(text.slice(start, lineEnd(text, position)), folds).find(
    ({ at, text: each }) => start + at + each.length > position,
  );
  return next === undefined ? position + 1 : start + next.at + next.text.length;
}

/** Returns the last boundary before a position. At the beginning of the text, returns the beginning. */
export function previousBorder(text: string, position: number, folds: Folds): number {
  if (position <= 0 || text[position - 1] === "\n") return Math.max(0, position - 1);
  if (folds.size === 0 && isSimple(text.slice(Math.max(0, position - 2), position))) return position - 1;
  const start = lineStart(text, position);
  const before = segmentsOf(text.slice(start, lineEnd(text, position)), folds).findLast(
    ({ at }) => start + at < position,
  );
  return before === undefined ? position - 1 : start + before.at;
}

/**
 * Returns the position itself if it is a boundary, otherwise the next boundary. This is needed because an edit may join
 * characters that it did not touch.
 */
export function settled(text: string, position: number, folds: Folds): number {
  const start = lineStart(text, position);
  if (position === start || position === lineEnd(text, position)) return position;
  if (folds.size === 0 && isSimple(text.slice(position - 1, position + 1))) return position;
  return nextBorder(text, position - 1, folds);
}

const SPACE = /^\s/u;
/** Matches punctuation and symbols, except underscores, which are part of names, and emoji, which count as words. */
const SIGN = /^[^\P{P}_]|^[\p{Sm}\p{Sc}\p{Sk}]/u;

type Class = "space" | "sign" | "word" | "marker";

function classOf({ text, kind }: Segment): Class {
  if (kind === "marker") return "marker";
  if (SPACE.test(text)) return "space";
  return SIGN.test(text) ? "sign" : "word";
}

/**
 * Returns the index where the word before the position begins. At the beginning of a line, this is the end of the
 * previous line.
 */
export function wordBefore(text: string, position: number, folds: Folds): number {
  const start = lineStart(text, position);
  if (position === start) return Math.max(0, position - 1);
  const segments = segmentsOf(text.slice(start, lineEnd(text, position)), folds)
    .filter(({ at }) => start + at < position)
    .toReversed();
  const word = passed(segments).at(-1);
  return word === undefined ? start : start + word.at;
}

/**
 * Returns the index where the word after the position ends. At the end of a line, this is the beginning of the next
 * line.
 */
export function wordAfter(text: string, position: number, folds: Folds): number {
  const end = lineEnd(text, position);
  if (position === end) return Math.min(text.length, position + 1);
  const start = lineStart(text, position);
  const segments = segmentsOf(text.slice(start, end), folds).filter(({ at }) => start + at >= position);
  const last = passed(segments).at(-1);
  return last === undefined ? end : start + last.at + last.text.length;
}

/** Returns the leading spaces and the following segments of one kind: a word, symbols, or one marker. */
function passed(segments: readonly Segment[]): readonly Segment[] {
  const first = segments.findIndex((each) => classOf(each) !== "space");
  const begun = segments[first];
  if (begun === undefined) return segments;
  const kind = classOf(begun);
  const more = segments.slice(first + 1).findIndex((each) => classOf(each) !== kind || kind === "marker");
  return more === -1 ? segments : segments.slice(0, first + 1 + more);
}

/** A piece of the text that is drawn as one line. */
export interface Row {
  readonly from: number;
  readonly to: number;
  /**
   * "wrapped" means that the line continues in the next row, so the end of this row is the beginning of the next row.
   */
  readonly end: "line" | "wrapped";
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Lays out text that changes over time. Only lines that have changed since the previous text are wrapped again. */
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

/** Characters that must not begin a row, and characters that must not end one. */
const CLOSING = "，。、：；？！）」』》〉】〕…";
const OPENING = "（「『《〈【〔";

interface Piece extends Pick<Segment, "text" | "at"> {
  readonly width: number;
}

/**
 * Breaks a line into rows, after spaces and next to wide characters. A piece that is wider than a row is split. No
 * character is dropped.
 */
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

/**
 * Splits a segment into pieces that can be placed on a row. The marker of a paste is split only if it is wider than a
 * row.
 */
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

/** Returns the index of the row with the cursor. */
export function rowAt(rows: readonly Row[], cursor: number): number {
  return rows.findLastIndex(({ from }) => from <= cursor);
}

/**
 * Returns the first row to draw, chosen so that the cursor's row is visible and the text scrolls as little as possible.
 */
export function scrolled(
  first: number,
  cursorRow: number,
  { shown, all }: { readonly shown: number; readonly all: number },
): number {
  const near = Math.max(Math.min(first, cursorRow), cursorRow - shown + 1);
  return Math.max(0, Math.min(near, all - shown));
}

interface Standing {
  readonly text: string;
  readonly cursor: number;
  readonly folds: Folds;
  /** The column that the cursor tries to keep while it moves up and down. */
  readonly goal: number | undefined;
}

/**
 * Moves the cursor one row up or down. From the first row, it moves to the beginning of the line, and from the last
 * row, to the end of the line.
 */
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

/**
 * Returns the last boundary in the row that is not after the column. Returns undefined if the whole row is inside a
 * marker.
 */
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
