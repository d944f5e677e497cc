import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { graphemesIn, visibleText } from "../../record/visible-text.ts";
import type { Strings } from "../../strings/strings.ts";
import type { Look } from "./look.ts";

const ESCAPE = "\u001b";
const ASCII = /^[\u0020-\u007e]*$/u;
/** Matches characters whose width is known: one column for ASCII, and two columns for the others. */
const KNOWN = /^[\u0020-\u007e\u3001-\u3029\u4e00-\u9fff\uff01-\uff60]$/u;
/** Characters that must not begin a line. */
const CLOSING = "，。：；？！）」、";

/**
 * Truncates a line that is too wide. The ellipsis takes up the last columns. Does not add color sequences to a line
 * without colors.
 */
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
 * Returns the part of plain text that fits. The cost depends only on the length of the result, because a line may be
 * megabytes long.
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

/** Matches characters that may combine with the character before them. */
const JOINS = /[^\u0020-\u007e]/u;

function widthOf(grapheme: string): number {
  if (grapheme.length !== 1 || !KNOWN.test(grapheme)) return visibleWidth(grapheme);
  return grapheme < "\u007f" ? 1 : 2;
}

/**
 * Breaks the text into lines that are at most this wide, at spaces and next to wide characters. A piece that is wider
 * than a line is split.
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

/** Splits a word that is wider than a line into pieces that fit. */
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
  /** The width of the piece without the spaces at its end. */
  readonly bare: number;
}

/**
 * Splits a line into pieces that must not be broken: words with the spaces after them, and single wide characters,
 * because Chinese has no spaces.
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
 * Truncates plain text to at most this many columns. Call this before painting, so that color sequences are not split.
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

/** Returns a line with `left` at its start and `right` at its end. Drops `right` if there is no room for both. */
export function between(left: string, right: string, width: number): string {
  const room = width - visibleWidth(right) - 1;
  if (right === "" || visibleWidth(left) > room) return cut(left, width);
  return `${padded(left, room)} ${right}`;
}

/** Draws a row that can be chosen. A symbol precedes the chosen row, for users who do not see colors. */
export function choosable(text: string, is: "chosen" | "not", look: Look): string {
  return is === "chosen"
    ? look.paint.chosen(`${look.glyphs.chosen} ${text}`)
    : `${" ".repeat(visibleWidth(look.glyphs.chosen))} ${text}`;
}

/** Returns the number of columns left for the text of a selectable row. */
export function rowRoom(width: number, look: Look): number {
  return Math.max(1, width - visibleWidth(look.glyphs.chosen) - 1);
}

/**
 * Matches characters that always form a grapheme of their own, no matter what is next to them: ASCII, the symbols used
 * to draw the screen, and Chinese text.
 */
const SIMPLE =
  /^[\u0020-\u007e\u2010-\u2027\u2190-\u21ff\u2300-\u23ff\u2500-\u27bf\u3000-\u3029\u4e00-\u9fff\uff01-\uff5e]*$/u;
let segmenter: Intl.Segmenter | undefined;

/** Checks whether none of the text's characters combines with another. */
export function isSimple(text: string): boolean {
  return SIMPLE.test(text);
}

/**
 * Returns the graphemes in the text. The segmenter is created when it is first needed, because loading its data takes a
 * third as long as starting Node.
 */
export function graphemesOf(text: string): Iterable<string> {
  if (isSimple(text)) return text;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return graphemesIn(text, segmenter);
}

/**
 * Matches sequences that terminals obey: CSI, sequences with a string (OSC, DCS, APC, PM, SOS), and short ones. In the
 * pattern, a string ends where another one begins, so that matching takes linear time even if there are many strings.
 */
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is meant to match control characters.
  /(?:\u001b\[|\u009b)[\u0020-\u003f]*[\u0040-\u007e]|(?:\u001b[\]P_^X]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0090\u0098\u009c-\u009f]*(?:\u0007|\u001b\\|\u009c)|\u001b[\u0020-\u002f]*[\u0030-\u007e]/gu;
/** Matches text that is overwritten on its line, for example by a progress bar. */
const OVERWRITTEN = /^[^\n]*\r(?=[^\n])/gmu;
/**
 * Matches characters that users must not type: control characters, characters that reorder the text around them, and
 * unpaired surrogates.
 */
const UNTYPED = /[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const SEPARATORS = /[\u2028\u2029]/gu;
const PLAIN_LINE = /^[\u0020-\u007e]*$/u;
const PLAIN = /^[\n\u0020-\u007e]*$/u;
const TAB = "    ";

/**
 * Changes foreign text, such as a program's output, so that it cannot control the terminal. Removes colors and terminal
 * commands, and makes other control characters visible. Keeps line breaks, replaces tabs with spaces, and removes text
 * that the program overwrote.
 */
export function printable(text: string): string {
  if (PLAIN.test(text)) return text;
  return shown(text.replaceAll("\r\n", "\n").replace(SEQUENCES, "").replace(OVERWRITTEN, ""));
}

/**
 * Does the same as `printable` for prompts and replies, where a lone carriage return is a line break and does not
 * overwrite the line.
 */
export function spoken(text: string): string {
  return PLAIN.test(text) ? text : printable(text.replace(/\r\n?/gu, "\n"));
}

/**
 * Changes text so that it fits into one of our own lines. Removes line breaks, but shows every character, for example
 * in a name. Spaces stay as they are.
 */
export function flat(text: string): string {
  return PLAIN_LINE.test(text) ? text : shown(text.replace(/\r\n?/gu, "\n")).replaceAll("\n", " ");
}

function shown(text: string): string {
  return visibleText(text.replaceAll("\t", TAB).replace(SEPARATORS, "\n").replace(/\r/gu, ""));
}

/** Returns printable text on one line, with runs of spaces shortened to one. */
export function oneLine(text: string): string {
  return spoken(text).replace(/\s+/gu, " ").trim();
}

/**
 * Changes text so that it can be put into an editor. Such text is sent exactly as shown, so forbidden characters are
 * removed and not replaced.
 */
export function typable(text: string): string {
  return text
    .replace(/\r\n?/gu, "\n")
    .replace(SEQUENCES, "")
    .replace(UNTYPED, (character) => (character === "\n" || character === "\t" ? character : ""));
}

/**
 * Matches control characters and everything that the screen itself draws with: colors, links, and the cursor mark. All
 * other sequences come from foreign text.
 */
const OURS_OR_CONTROL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is meant to match control characters.
  /\u001b\[[0-9;:]*m|\u001b_pi:c\u0007|\u001b\]8;[^\u0007\u001b]*(?:\u0007|\u001b\\)|[\u0000-\u001f\u007f-\u009f]/gu;

/**
 * Removes control characters from a drawn line as a last safeguard. This function cannot distinguish our colors from
 * colors in foreign text, so foreign text must be made `printable` first.
 */
export function harmless(line: string): string {
  return line.replace(OURS_OR_CONTROL, (found) => (found.length === 1 ? "" : found));
}

/** Symbols in our own text, each with an ASCII replacement of the same width. */
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

/** Converts a line for a terminal whose locale supports only ASCII. */
export function inAscii(line: string): string {
  return line.replace(FOUND, (sign) => SIGNS[sign] ?? sign);
}

const THOUSAND = 1000;
const MINUTE_S = 60;

/** Formats a count so that it can be read at a glance: `812`, `41k`, `1.2M`. */
export function shortCount(count: number): string {
  if (count < THOUSAND) return String(Math.round(count));
  if (count < THOUSAND * THOUSAND) return `${trimmed(count / THOUSAND)}k`;
  return `${trimmed(count / (THOUSAND * THOUSAND))}M`;
}

function trimmed(value: number): string {
  return value >= 10 ? String(Math.round(value)) : value.toFixed(1).replace(/\.0$/u, "");
}

/** Formats a duration, such as `12 s` or `2 min 5 s`. */
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

/** Formats how long ago a time was. Returns the date if it was more than a month ago. */
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

/** Formats a time in the user's time zone: `10:30:45`. */
export function clockTime(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(":");
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

type Words = Pick<Strings["terminal"]["transcript"], "milliseconds" | "seconds" | "minutes">;

/**
 * Formats how long something took, such as `40 ms`, `1.2 s`, `12 s` or `2 min 5 s`. "whole" means whole seconds, for
 * work that is still running.
 */
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
