import { clip, wrap } from "../../look/lines.ts";
import type { Look } from "../../look/look.ts";
import { printable } from "../../look/printable.ts";

/** Some lines of a text, and how many were left out. */
export interface SomeLines {
  readonly lines: readonly string[];
  readonly left: number;
}

/** Only what is shown is looked at closely: a text may hold megabytes. */
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

/** Behind a mark of two columns; further lines stand below the text, not below the mark. */
export function behind(mark: string, text: string, width: number): string[] {
  return wrap(text, width - 2).map((line, index) => (index === 0 ? `${mark} ${line}` : `  ${line}`));
}

export function indented(lines: readonly string[]): string[] {
  return lines.map((line) => (line === "" ? "" : `  ${line}`));
}

/** Each on one line, below what they belong to. */
export function cutLines(lines: readonly string[], width: number, { glyphs, paint }: Look): string[] {
  return indented(lines.map((line) => paint.dim(clip(line, width - 2, glyphs.ellipsis))));
}

export function wrappedLines(lines: readonly string[], width: number, { paint }: Look): string[] {
  return indented(lines.flatMap((line) => wrap(line, width - 2).map((piece) => paint.dim(piece))));
}
