import { unicodeEscapes } from "../../record/visible-text.ts";

const LINE_BREAKS = /\r\n|[\n\v\f\r\x85\u2028\u2029]/u;
/** What would not be seen, would change how the rest is shown, or could pass for the end of a line. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu;

/** Foreign text in a notice, a `>` before each line: nothing in it can end the quotation. */
export function quoteLines(text: string): string {
  const lines = text.replace(/(?:\r?\n)+$/u, "").split(LINE_BREAKS);
  return lines.map((line) => (line === "" ? ">" : `> ${line}`)).join("\n");
}

/** A foreign name in a notice, as a JSON string: it is one line, and every character of it can be seen. */
export function quoteName(name: string): string {
  return JSON.stringify(name).replace(UNSEEN, unicodeEscapes);
}
