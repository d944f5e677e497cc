import { escapedUnseen, visibleText } from "./visible-text.ts";

const lineBreaks = /[\r\n\t\p{Zl}\p{Zp}]+/gu;

/**
 * Makes visible what cannot be seen, so that a title or a message with an escape sequence cannot control the terminal, reorder
 * what is beside it, or pass for another one. Line breaks and tabs stay.
 */
export function printable(text: string): string {
  return visibleText(text.replaceAll("\r\n", "\n"));
}

/** The same for what must stay on one line: line breaks and tabs become spaces. */
export function oneLine(text: string): string {
  return printable(text.replace(lineBreaks, " ")).trim();
}

/** "line": all of it on one line. */
export type JsonForm = "lines" | "line";

/** Its values are exact: what cannot be seen is escaped as JSON escapes it. */
export function printableJson(value: object, form: JsonForm = "lines"): string {
  return escapedUnseen(JSON.stringify(value, undefined, form === "lines" ? 2 : undefined));
}
