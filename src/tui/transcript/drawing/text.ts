import { Markdown, type MarkdownTheme } from "@earendil-works/pi-tui";
import type { HLJSApi } from "highlight.js";
import type { Look, Paint } from "../../look/look.ts";
import { clip, printable, spoken, wrap } from "../../look/text.ts";
import { type Fence, fenceAtEnd } from "../chunks.ts";

interface Piece {
  readonly text: string;
  readonly insideFence?: Fence;
}

export function drawMarkdown({ text, insideFence }: Piece, width: number, look: Look): readonly string[] {
  const clean = spoken(text);
  if (insideFence === undefined && isPlainWords(clean)) return wrap(clean.trim(), width);
  const opening = insideFence === undefined ? "" : openingOf(insideFence);
  const end = fenceAtEnd(clean, insideFence);
  const source = end === undefined ? clean : clean.trimEnd();
  const drawn = new Markdown(opening + source, 0, 0, markdownTheme(look, width)).render(width);
  const isBorder = (line: string) => line.includes(BORDER);
  // If a piece of code continues the previous piece or is continued in the next one, it has no border at that end.
  const first = insideFence === undefined ? -1 : drawn.findIndex(isBorder);
  const last = end === undefined ? -1 : drawn.findLastIndex(isBorder);
  const lines = drawn.filter((_, index) => index !== first && index !== last);
  return inAscii(withoutEnds(lines.map((line) => line.replace(BORDER, "").trimEnd())), look);
}

/**
 * Marks each line above or below a block of code. Like pi-tui's own cursor marker, this mark takes up no columns.
 * `spoken` removes it from text.
 */
const BORDER = "\x1b_border\x07";

/** Matches characters that Markdown interprets. */
const SIGNS = /[\n*_`#[\]<>|~\\&!]|:\/\/|www\.|@|^\s*(?:[-+=]|\d+[.)])|^ {4}/u;
const LONG = 512;

/**
 * Checks whether the text can be drawn without Markdown. Markdown is slow for long lines of plain words, or of a single
 * word.
 */
function isPlainWords(text: string): boolean {
  if (text.length <= LONG) return false;
  const words = text.trimEnd();
  return !SIGNS.test(words) || !/\s/u.test(words);
}

function openingOf({ sign, length, language }: Fence): string {
  return `${sign.repeat(length)}${spoken(language)}\n`;
}

/** Removes the blank lines at both ends. The caller adds blank lines, because they depend on the neighboring blocks. */
function withoutEnds(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line !== "");
  const last = lines.findLastIndex((line) => line !== "");
  return first === -1 ? [] : lines.slice(first, last + 1);
}

function markdownTheme({ paint, glyphs }: Look, width: number): MarkdownTheme {
  const isPlain = paint.code("x") === "x";
  return {
    heading: paint.heading,
    link: paint.link,
    linkUrl: paint.dim,
    code: isPlain ? (text) => `\`${text}\`` : paint.code,
    codeBlock: (text) => text,
    codeBlockBorder: (text) => `${BORDER}${paint.dim(clip(text, width, glyphs.ellipsis))}`,
    quote: paint.quote,
    quoteBorder: paint.dim,
    hr: paint.dim,
    listBullet: paint.accent,
    bold: paint.strong,
    italic: paint.italic,
    strikethrough: paint.strike,
    underline: paint.underline,
    highlightCode: (code, language) => highlight(code, language, paint),
  };
}

const BOX: Readonly<Record<string, string>> = { "─": "-", "│": "|" };

/** Replaces the characters that draw the lines of tables, which not every terminal can show. */
function inAscii(lines: readonly string[], { glyphs }: Look): readonly string[] {
  if (glyphs.vertical !== "|") return lines;
  return lines.map((line) => line.replace(/[─│┌┐└┘├┤┬┴┼]/gu, (sign) => BOX[sign] ?? "+"));
}

let highlighter: HLJSApi | undefined;

/**
 * Loads the syntax highlighter. Until it is loaded, code is drawn plain. The highlighter is large, and the first frame
 * must not wait for it.
 */
export async function loadHighlighter(): Promise<void> {
  highlighter = (await import("highlight.js/lib/common")).default;
}

/**
 * Returns whether code can be highlighted. Code that was laid out before the state became "ready" must be laid out
 * again.
 */
export function highlighterState(): "plain" | "ready" {
  return highlighter === undefined ? "plain" : "ready";
}

/**
 * Maximum number of characters to highlight. Longer code is drawn plain, because a frame must not wait for the
 * highlighter.
 */
const MAX_CHARACTERS = 20_000;

function highlight(code: string, language: string | undefined, paint: Paint): string[] {
  if (code === "") return [];
  const known = language === undefined ? undefined : highlighter?.getLanguage(language);
  if (highlighter === undefined || known === undefined || code.length > MAX_CHARACTERS) {
    return code.split("\n");
  }
  const { value } = highlighter.highlight(code, { language: language ?? "", ignoreIllegals: true });
  return painted(value, paint);
}

const PIECES = /<span class="([^"]*)">|<\/span>|[^<]+/gu;
const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x27;": "'",
};

/** Parses the HTML from highlight.js. Colors end at the end of a line, so that each line can be drawn separately. */
function painted(html: string, paint: Paint): string[] {
  const scopes: string[] = [];
  let text = "";
  for (const [piece, names] of html.matchAll(PIECES)) {
    if (piece === "</span>") scopes.pop();
    else if (names !== undefined) scopes.push(names.replace(/^hljs-/u, ""));
    else
      text += paintedLines(
        piece,
        paint.token(scopes.findLast((scope) => !scope.startsWith("language-")) ?? ""),
      );
  }
  return text.split("\n");
}

function paintedLines(piece: string, brush: (text: string) => string): string {
  const plain = piece.replace(/&(?:amp|lt|gt|quot|#x27);/gu, (entity) => ENTITIES[entity] ?? entity);
  return plain
    .split("\n")
    .map((line) => (line === "" ? "" : brush(line)))
    .join("\n");
}

/** Some lines of text, and the number of omitted lines. */
interface SomeLines {
  readonly lines: readonly string[];
  readonly left: number;
}

/** Returns the first lines of the text. Processes only these lines, because the text may be megabytes long. */
export function firstLines(text: string, most: number): SomeLines {
  let at = -1;
  for (let line = 0; line < most; line += 1) {
    at = text.indexOf("\n", at + 1);
    if (at === -1) return { lines: linesOf(text), left: 0 };
  }
  return { lines: linesOf(text.slice(0, at)), left: lineBreaks(text.slice(at + 1).trimEnd()) + 1 };
}

export function lastLines(text: string, most: number): SomeLines {
  const whole = text.trimEnd();
  let at = whole.length;
  for (let line = 0; line < most; line += 1) {
    at = at <= 0 ? -1 : whole.lastIndexOf("\n", at - 1);
    if (at === -1) return { lines: linesOf(whole), left: 0 };
  }
  return { lines: linesOf(whole.slice(at + 1)), left: lineBreaks(whole.slice(0, at)) + 1 };
}

export function lineCount(text: string): number {
  const whole = text.trimEnd();
  return whole === "" ? 0 : lineBreaks(whole) + 1;
}

function linesOf(text: string): readonly string[] {
  const whole = printable(text.trimEnd());
  return whole === "" ? [] : whole.split("\n");
}

function lineBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** Wraps text after a mark that takes up two columns. Continuation lines are aligned with the text. */
export function behind(mark: string, text: string, width: number): string[] {
  return wrap(text, width - 2).map((line, index) => (index === 0 ? `${mark} ${line}` : `  ${line}`));
}

export function indented(lines: readonly string[]): string[] {
  return lines.map((line) => (line === "" ? "" : `  ${line}`));
}

/** Draws one truncated line for each string, indented below the block that the strings belong to. */
export function cutLines(lines: readonly string[], width: number, { glyphs, paint }: Look): string[] {
  return indented(lines.map((line) => paint.dim(clip(line, width - 2, glyphs.ellipsis))));
}

export function wrappedLines(lines: readonly string[], width: number, { paint }: Look): string[] {
  return indented(lines.flatMap((line) => wrap(line, width - 2).map((piece) => paint.dim(piece))));
}
