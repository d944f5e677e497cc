import { type BlankWords, condensedBlanks } from "../../record/visible-text.ts";

const controls = /[\p{Cc}]/gu;
const lineBreaks = /[\r\n\t\p{Zl}\p{Zp}]+/gu;
const MAX_LINE_CHARACTERS = 200;
const MAX_END_CHARACTERS = 60;
const BLANKS: BlankWords = {
  spaces: (count) => `⋯ ${count} spaces ⋯`,
  blanks: (count) => `⋯ ${count} blank characters ⋯`,
  lines: (count) => `⋯ ${count} blank lines ⋯`,
};

/**
 * Returns up to `count` characters from the start of the text. Never splits a surrogate pair, because providers reject
 * requests that contain half of one.
 */
export function firstCharacters(text: string, count: number): string {
  const cut = text.slice(0, count);
  return isHighSurrogate(cut.charCodeAt(cut.length - 1)) && cut.length < text.length ? cut.slice(0, -1) : cut;
}

export function lastCharacters(text: string, count: number): string {
  if (count <= 0) return "";
  const cut = text.slice(-count);
  return isLowSurrogate(cut.charCodeAt(0)) && cut.length < text.length ? cut.slice(1) : cut;
}

/** Makes the control characters in a program's output visible. Keeps tabs, and turns every line break into `\n`. */
export function visible(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(controls, (each) => (each === "\n" || each === "\t" ? each : pictureOf(each)));
}

/** Makes the control characters in a name visible, including line breaks, so that the name fits on one line. */
export function visibleName(name: string): string {
  return name.replace(controls, pictureOf);
}

/**
 * Shortens text about a call to one line for the user. Keeps the beginning and the end, and condenses long runs of
 * blanks.
 */
export function oneLine(text: string): string {
  const line = visible(condensedBlanks(text.trim(), BLANKS).replace(lineBreaks, " ")).trim();
  if (line.length <= MAX_LINE_CHARACTERS) return line;
  return `${firstCharacters(line, MAX_LINE_CHARACTERS - MAX_END_CHARACTERS)} … ${lastCharacters(line, MAX_END_CHARACTERS)}`;
}

export function plural(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** Returns the number of lines in the text. Text after the last line break counts as a line. */
export function lineCount(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return text === "" || text.endsWith("\n") ? count : count + 1;
}

function pictureOf(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : "\ufffd";
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
