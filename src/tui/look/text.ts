import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { graphemesIn, visibleText } from "../../record/visible-text.ts";
import type { Strings } from "../../strings/strings.ts";
import type { Look } from "./look.ts";

const ESCAPE = "\u001b";
const ASCII = /^[\u0020-\u007e]*$/u;
/** Characters whose width is known: one column for ASCII, two for all other characters here. */
const KNOWN = /^[\u0020-\u007e\u3001-\u3029\u4e00-\u9fff\uff01-\uff60]$/u;
/** Characters that must not begin a line. */
const CLOSING = "，。：；？！）」、";

/** Truncates a line that is too wide; the ellipsis takes the last columns. Adds no colors to a line without colors. */
export function clip(line: string, width: number, ellipsis: string): string {
  if (width <= 0) return "";
  const sign = visibleWidth(ellipsis) < width ? ellipsis : "";
  if (line.includes(ESCAPE)) {
    return visibleWidth(line) <= width ? line : truncateToWidth(line, width, sign);
  }
  if (first(line, width).length === line.length) return line;
  return first(line, width - visibleWidth(sign)) + sign;
}

/**
 * The part of plain text that fits. The cost depends on the length of the result, because a line may be megabytes long.
 */
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

/** Characters that may combine with the one before them. */
const JOINS = /[^\u0020-\u007e]/u;

function widthOf(grapheme: string): number {
  if (grapheme.length !== 1 || !KNOWN.test(grapheme)) return visibleWidth(grapheme);
  return grapheme < "\u007f" ? 1 : 2;
}

/**
 * Breaks the text into lines of at most this width, at spaces and next to wide characters. A piece that is wider than a
 * line is split.
 */
export function wrap(text: string, width: number): readonly string[] {
  const room = Math.max(1, width);
  return text
    .split("\n")
    .flatMap((line) => (line.includes(ESCAPE) ? wrappedColors(line, room) : wrappedLine(line, room)));
}

function wrappedColors(line: string, width: number): readonly string[] {
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

/** Splits a word that is wider than the room into pieces that fit. */
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
  /** The width without the spaces after it. */
  readonly bare: number;
}

/**
 * The pieces that stay together: words with the spaces after them, and single wide characters, because Chinese has no
 * spaces.
 */
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

/**
 * Truncates plain text to at most this many columns. Call this before painting, so that no color sequence is split.
 */
export function cut(text: string, width: number, look?: Look): string {
  return clip(flat(text), width, look?.glyphs.ellipsis ?? PART);
}

/** Wraps plain text into at most `most` lines. */
export function wrapped(text: string, width: number, most = Number.POSITIVE_INFINITY): string[] {
  const lines = [...wrap(spoken(text), width)];
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), cut(`${lines[most - 1]} ${PART}`, width)].slice(0, most);
}

/** A line with `left` at its start and `right` at its end. `right` is dropped if there is no room for both. */
export function between(left: string, right: string, width: number): string {
  const room = width - visibleWidth(right) - 1;
  if (right === "" || visibleWidth(left) > room) return cut(left, width);
  return `${padded(left, room)} ${right}`;
}

/** A row that can be chosen. The chosen row has a sign before it, for users who see no colors. */
export function choosable(text: string, is: "chosen" | "not", look: Look): string {
  return is === "chosen"
    ? look.paint.chosen(`${look.glyphs.chosen} ${text}`)
    : `${" ".repeat(visibleWidth(look.glyphs.chosen))} ${text}`;
}

/** How many columns are left for the text of a row that can be chosen. */
export function rowRoom(width: number, look: Look): number {
  return Math.max(1, width - visibleWidth(look.glyphs.chosen) - 1);
}

/**
 * Characters that always form a grapheme alone, whatever is next to them: ASCII, the signs that the screen is drawn
 * with, and Chinese text.
 */
const SIMPLE =
  /^[\u0020-\u007e\u2010-\u2027\u2190-\u21ff\u2300-\u23ff\u2500-\u27bf\u3000-\u3029\u4e00-\u9fff\uff01-\uff5e]*$/u;
let segmenter: Intl.Segmenter | undefined;

/** Whether no character of the text combines with another. */
export function isSimple(text: string): boolean {
  return SIMPLE.test(text);
}

/**
 * The graphemes of a text. The segmenter is created when it is first needed, because loading its data takes a third as
 * long as starting Node.
 */
export function graphemesOf(text: string): Iterable<string> {
  if (isSimple(text)) return text;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return graphemesIn(text, segmenter);
}

/**
 * Sequences that terminals obey: CSI, sequences with a string (OSC, DCS, APC, PM, SOS), and short ones. The pattern
 * ends a string where another one begins, so that even many strings take only linear time.
 */
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is meant to match control characters.
  /(?:\u001b\[|\u009b)[\u0020-\u003f]*[\u0040-\u007e]|(?:\u001b[\]P_^X]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0090\u0098\u009c-\u009f]*(?:\u0007|\u001b\\|\u009c)|\u001b[\u0020-\u002f]*[\u0030-\u007e]/gu;
/** Text that is overwritten on its line, as by a progress bar. */
const OVERWRITTEN = /^[^\n]*\r(?=[^\n])/gmu;
/**
 * Characters that users may not type: controls, characters that reorder the text around them, and unpaired
 * surrogates.
 */
const UNTYPED = /[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const SEPARATORS = /[\u2028\u2029]/gu;
const PLAIN_LINE = /^[\u0020-\u007e]*$/u;
const PLAIN = /^[\n\u0020-\u007e]*$/u;
const TAB = "    ";

/**
 * The text of a program, a file or a name, changed so that it cannot control the terminal: colors and terminal
 * commands are removed, other control characters become visible. Line breaks are kept; tabs become spaces; text that
 * the program overwrote is removed.
 */
export function printable(text: string): string {
  if (PLAIN.test(text)) return text;
  return shown(text.replaceAll("\r\n", "\n").replace(SEQUENCES, "").replace(OVERWRITTEN, ""));
}

/**
 * Like `printable`, for prompts and replies: there, a lone carriage return is a line break and does not overwrite the
 * line.
 */
export function spoken(text: string): string {
  return PLAIN.test(text) ? text : printable(text.replace(/\r\n?/gu, "\n"));
}

/**
 * Text for one of our own lines: without line breaks, and with every character of a name shown. Spaces stay as they
 * are.
 */
export function flat(text: string): string {
  return PLAIN_LINE.test(text) ? text : shown(text.replace(/\r\n?/gu, "\n")).replaceAll("\n", " ");
}

function shown(text: string): string {
  return visibleText(text.replaceAll("\t", TAB).replace(SEPARATORS, "\n").replace(/\r/gu, ""));
}

/** Printable text on one line, with runs of spaces shortened. */
export function oneLine(text: string): string {
  return spoken(text).replace(/\s+/gu, " ").trim();
}

/** Text for an editor. It is sent exactly as shown, so forbidden characters are removed and not replaced. */
export function typable(text: string): string {
  return text
    .replace(/\r\n?/gu, "\n")
    .replace(SEQUENCES, "")
    .replace(UNTYPED, (character) => (character === "\n" || character === "\t" ? character : ""));
}

/**
 * Colors, links and the cursor mark, which we draw with, and any control character. All other sequences come from
 * foreign text.
 */
const OURS_OR_CONTROL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is meant to match control characters.
  /\u001b\[[0-9;:]*m|\u001b_pi:c\u0007|\u001b\]8;[^\u0007\u001b]*(?:\u0007|\u001b\\)|[\u0000-\u001f\u007f-\u009f]/gu;

/**
 * The last safeguard for a drawn line. It cannot tell our colors from those in foreign text, which must be made
 * `printable` first.
 */
export function harmless(line: string): string {
  return line.replace(OURS_OR_CONTROL, (found) => (found.length === 1 ? "" : found));
}

/** Signs in our own text, with an ASCII replacement of the same width. */
const SIGNS: Readonly<Record<string, string>> = {
  "·": "-",
  "…": ".",
  "⋯": "~",
  "↵": "$",
  "→": ">",
  "←": "<",
  "↑": "^",
  "↓": "v",
  "±": "~",
  "•": "*",
  "–": "-",
  "▸": ">",
  "▾": "v",
};
const FOUND = new RegExp(`[${Object.keys(SIGNS).join("")}]`, "gu");

/** The line for a terminal whose locale supports only ASCII. */
export function inAscii(line: string): string {
  return line.replace(FOUND, (sign) => SIGNS[sign] ?? sign);
}

const THOUSAND = 1000;
const MINUTE_S = 60;

/** `812`, `41k`, `1.2M`: a count that can be read at a glance. */
export function shortCount(count: number): string {
  if (count < THOUSAND) return String(Math.round(count));
  if (count < THOUSAND * THOUSAND) return `${trimmed(count / THOUSAND)}k`;
  return `${trimmed(count / (THOUSAND * THOUSAND))}M`;
}

function trimmed(value: number): string {
  return value >= 10 ? String(Math.round(value)) : value.toFixed(1).replace(/\.0$/u, "");
}

/** `12 s`, `2 min 5 s`. */
export function durationText(
  milliseconds: number,
  { seconds, minutes }: Strings["terminal"]["screen"],
): string {
  const whole = Math.max(0, Math.floor(milliseconds / THOUSAND));
  return whole < MINUTE_S ? seconds(whole) : minutes(Math.floor(whole / MINUTE_S), whole % MINUTE_S);
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MAX_DAYS = 30;

/** How long ago a time was; the date if it was long ago. */
export function ago(at: number, now: number, { time }: Strings): string {
  const past = now - at;
  if (past < SECOND) return time.now;
  if (past < MINUTE) return time.seconds(Math.floor(past / SECOND));
  if (past < HOUR) return time.minutes(Math.floor(past / MINUTE));
  if (past < DAY) return time.hours(Math.floor(past / HOUR));
  if (past < MAX_DAYS * DAY) return time.days(Math.floor(past / DAY));
  const date = new Date(at);
  return [date.getFullYear(), twoDigits(date.getMonth() + 1), twoDigits(date.getDate())].join("-");
}

/** `10:30:45`, in the user's time zone. */
export function clockTime(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(":");
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

type Words = Pick<Strings["terminal"]["transcript"], "milliseconds" | "seconds" | "minutes">;

/** `40 ms`, `1.2 s`, `12 s`, `2 min 5 s`. "whole": whole seconds, for work that is still running. */
export function tookText(milliseconds: number, words: Words, parts: "fine" | "whole" = "fine"): string {
  if (milliseconds >= MINUTE) {
    const minutes = Math.floor(milliseconds / MINUTE);
    return words.minutes(minutes, Math.floor((milliseconds % MINUTE) / SECOND));
  }
  if (parts === "whole") return words.seconds(String(Math.floor(milliseconds / SECOND)));
  if (milliseconds < SECOND / 10) return words.milliseconds(Math.round(milliseconds));
  const digits = milliseconds < 10 * SECOND ? 1 : 0;
  return words.seconds((milliseconds / SECOND).toFixed(digits));
}
