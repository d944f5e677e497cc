import { visibleWidth } from "@earendil-works/pi-tui";
import type { Look } from "../../look/look.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;
const PART = "…";
/** What may not begin a line. */
const CLOSING = /^[，。：；？！）」、]/u;
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** On one line, and without anything that a terminal would act on: names and prompts may hold whatever they like. */
export function oneLine(text: string): string {
  return text.replace(CONTROL, " ");
}

/** Plain text in at most that many columns. It is cut before it is painted, so that no colour is cut open. */
export function cut(text: string, width: number, look?: Look): string {
  const line = oneLine(text);
  if (visibleWidth(line) <= width) return line;
  if (width <= 0) return "";
  const ellipsis = look?.glyphs.ellipsis ?? PART;
  const kept = width - visibleWidth(ellipsis);
  return kept < 0 ? first(line, width) : `${first(line, kept)}${ellipsis}`;
}

function first(line: string, width: number): string {
  let used = 0;
  let end = 0;
  for (const { segment } of segmenter.segment(line)) {
    used += visibleWidth(segment);
    if (used > width) break;
    end += segment.length;
  }
  return line.slice(0, end);
}

/** Filled with spaces to that many columns. */
export function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - visibleWidth(text)));
}

/** Plain text on as many lines as it needs, `most` at most. */
export function wrapped(text: string, width: number, most = Number.POSITIVE_INFINITY): string[] {
  const lines = text.split("\n").flatMap((line) => wrappedLine(oneLine(line), Math.max(2, width)));
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), cut(`${lines[most - 1]} ${PART}`, width)].slice(0, most);
}

function wrappedLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let now = "";
  for (const piece of piecesOf(line)) {
    if (now !== "" && visibleWidth(now + piece.trimEnd()) > width) {
      lines.push(now.trimEnd());
      now = "";
    }
    let rest = now + piece;
    while (visibleWidth(rest.trimEnd()) > width) {
      const head = first(rest, width);
      lines.push(head);
      rest = rest.slice(head.length);
    }
    now = rest;
  }
  return [...lines, now.trimEnd()];
}

/** What stays together: words with the spaces behind them, and single wide characters, as Chinese has no spaces. */
function piecesOf(line: string): string[] {
  const pieces: string[] = [];
  let last = "";
  for (const { segment } of segmenter.segment(line)) {
    if (pieces.length > 0 && isTogether(last, segment)) pieces[pieces.length - 1] += segment;
    else pieces.push(segment);
    last = segment;
  }
  return pieces;
}

function isTogether(before: string, after: string): boolean {
  if (after === " " || CLOSING.test(after)) return true;
  return before !== " " && visibleWidth(before) < 2 && visibleWidth(after) < 2;
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
