import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { graphemesIn } from "../../record/visible-text.ts";
import type { Look } from "./look.ts";
import { flat, spoken } from "./printable.ts";

const ESCAPE = "\u001b";
const ASCII = /^[\u0020-\u007e]*$/u;
/** What takes one column in ASCII, and else two. */
const KNOWN = /^[\u0020-\u007e\u3001-\u3029\u4e00-\u9fff\uff01-\uff60]$/u;
/** What may not begin a line. */
const CLOSING = "，。：；？！）」、";

/** Cuts a line that is too wide; the ellipsis has the room's last columns. What has no colours gets none. */
export function clip(line: string, width: number, ellipsis: string): string {
  if (width <= 0) return "";
  const sign = visibleWidth(ellipsis) < width ? ellipsis : "";
  if (line.includes(ESCAPE)) {
    return visibleWidth(line) <= width ? line : truncateToWidth(line, width, sign);
  }
  if (first(line, width).length === line.length) return line;
  return first(line, width - visibleWidth(sign)) + sign;
}

/** Of plain text as much as fits. It costs what it returns: a line may hold megabytes. */
function first(line: string, width: number): string {
  const begin = line.slice(0, width);
  if (ASCII.test(begin) && !JOINS.test(line.charAt(begin.length))) return begin;
  let used = 0;
  let end = 0;
  for (const segment of graphemesOf(line)) {
    used += widthOf(segment);
    if (used > width) break;
    end += segment.length;
  }
  return line.slice(0, end);
}

/** What may belong to the character before it. */
const JOINS = /[^\u0020-\u007e]/u;

function widthOf(grapheme: string): number {
  if (grapheme.length !== 1 || !KNOWN.test(grapheme)) return visibleWidth(grapheme);
  return grapheme < "\u007f" ? 1 : 2;
}

/** Lines of at most that width, broken at spaces and beside wide characters; what cannot be broken is cut. */
export function wrap(text: string, width: number): readonly string[] {
  const room = Math.max(1, width);
  return text
    .split("\n")
    .flatMap((line) => (line.includes(ESCAPE) ? wrappedColours(line, room) : wrappedLine(line, room)));
}

function wrappedColours(line: string, width: number): readonly string[] {
  return wrapTextWithAnsi(line, width).map((each) => clip(each.trimEnd(), width, ""));
}

function wrappedLine(line: string, width: number): readonly string[] {
  const lines: string[] = [];
  let now = "";
  let used = 0;
  for (const { text, wide, bare } of piecesOf(line)) {
    if (used + bare <= width) {
      now += text;
      used += wide;
      continue;
    }
    if (now !== "") lines.push(now.trimEnd());
    const parts = bare <= width ? [text] : cutApart(text, width);
    lines.push(...parts.slice(0, -1));
    now = parts.at(-1) ?? "";
    used = parts.length === 1 ? wide : visibleWidth(now);
  }
  return now.trimEnd() === "" && lines.length > 0 ? lines : [...lines, now.trimEnd()];
}

/** A word that is wider than the room, in pieces that are not. */
function cutApart(word: string, width: number): readonly string[] {
  const parts: string[] = [];
  let now = "";
  let used = 0;
  for (const segment of graphemesOf(word.trimEnd())) {
    const wide = widthOf(segment);
    if (wide > width) continue;
    if (used + wide > width) {
      parts.push(now);
      now = "";
      used = 0;
    }
    now += segment;
    used += wide;
  }
  return [...parts, now + word.slice(word.trimEnd().length)];
}

interface Piece {
  readonly text: string;
  readonly wide: number;
  /** How wide it is without the spaces behind it. */
  readonly bare: number;
}

/** What stays together: words with the spaces behind them, and single wide characters, as Chinese has no spaces. */
function piecesOf(line: string): readonly Piece[] {
  if (ASCII.test(line)) {
    const words = line.match(/^ +|[^ ]+ */gu) ?? [];
    return words.map((text) => ({ text, wide: text.length, bare: text.trimEnd().length }));
  }
  const pieces: Piece[] = [];
  let last = { segment: "", wide: 0 };
  for (const segment of graphemesOf(line)) {
    const now = { segment, wide: widthOf(segment) };
    const before = isTogether(last, now) ? pieces.pop() : undefined;
    const wide = (before?.wide ?? 0) + now.wide;
    pieces.push({
      text: (before?.text ?? "") + segment,
      wide,
      bare: segment === " " && before !== undefined ? before.bare : wide,
    });
    last = now;
  }
  return pieces;
}

interface Grapheme {
  readonly segment: string;
  readonly wide: number;
}

function isTogether(before: Grapheme, after: Grapheme): boolean {
  if (after.segment === " " || CLOSING.includes(after.segment)) return true;
  return before.segment !== " " && before.wide < 2 && after.wide < 2;
}

export function padded(line: string, width: number): string {
  return line + " ".repeat(Math.max(0, width - visibleWidth(line)));
}

const PART = "…";

/** Plain text in at most that many columns. It is cut before it is painted, so that no colour is cut open. */
export function cut(text: string, width: number, look?: Look): string {
  return clip(flat(text), width, look?.glyphs.ellipsis ?? PART);
}

/** Plain text on as many lines as it needs, `most` at most. */
export function wrapped(text: string, width: number, most = Number.POSITIVE_INFINITY): string[] {
  const lines = [...wrap(spoken(text), width)];
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), cut(`${lines[most - 1]} ${PART}`, width)].slice(0, most);
}

/** `left`, and at the right end of the line `right`, which gives way where both have no room. */
export function between(left: string, right: string, width: number): string {
  const room = width - visibleWidth(right) - 1;
  if (right === "" || visibleWidth(left) > room) return cut(left, width);
  return `${padded(left, room)} ${right}`;
}

/** A row that can be chosen: the one that is has a sign before it, for those who see no colours. */
export function choosable(text: string, is: "chosen" | "not", look: Look): string {
  return is === "chosen"
    ? look.paint.chosen(`${look.glyphs.chosen} ${text}`)
    : `${" ".repeat(visibleWidth(look.glyphs.chosen))} ${text}`;
}

/** The columns that are left for the text of a row that can be chosen. */
export function rowRoom(width: number, look: Look): number {
  return Math.max(1, width - visibleWidth(look.glyphs.chosen) - 1);
}

/**
 * Where each unit is a grapheme, whatever stands beside it: ASCII, the signs that a screen is drawn with, and what Chinese is
 * written with.
 */
const SIMPLE =
  /^[\u0020-\u007e\u2010-\u2027\u2190-\u21ff\u2300-\u23ff\u2500-\u27bf\u3000-\u3029\u4e00-\u9fff\uff01-\uff5e]*$/u;
let segmenter: Intl.Segmenter | undefined;

/** Whether no character of the text joins another. */
export function isSimple(text: string): boolean {
  return SIMPLE.test(text);
}

/** The segmenter is made when it is first needed: its data takes as long to load as a third of a start of Node. */
export function graphemesOf(text: string): Iterable<string> {
  if (isSimple(text)) return text;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return graphemesIn(text, segmenter);
}
