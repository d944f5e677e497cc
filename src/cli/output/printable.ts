/** Line breaks and tabs are the only control characters that a terminal may be handed as they are. */
const controls = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;
const lineBreaks = /[\r\n\t\p{Zl}\p{Zp}]+/gu;

/**
 * Makes control characters visible, so that a title or a message with an escape sequence cannot
 * control the terminal, nor reorder what stands beside it. Line breaks and tabs stay.
 */
export function printable(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(controls, pictureOf);
}

/** The same for what must stay on one line: line breaks and tabs become spaces. */
export function oneLine(text: string): string {
  return printable(text.replace(lineBreaks, " ")).trim();
}

/** "line": all of it on one line. */
export type JsonForm = "lines" | "line";

/** JSON escapes the old control characters itself; a terminal obeys some others too, such as U+009B. */
export function printableJson(value: object, form: JsonForm = "lines"): string {
  return JSON.stringify(value, undefined, form === "lines" ? 2 : undefined).replace(controls, (character) =>
    character === "\n" ? character : escapeOf(character),
  );
}

function pictureOf(character: string): string {
  if (character === "\n" || character === "\t") return character;
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : escapeOf(character);
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
