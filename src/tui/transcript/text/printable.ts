/** Sequences that terminals obey: CSI, those that carry a string (OSC, DCS, APC, PM, SOS), and the short ones. */
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /(?:\u001b\[|\u009b)[\u0020-\u003f]*[\u0040-\u007e]|(?:\u001b[\]P_^X]|[\u009d\u0090\u009f\u009e\u0098])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|\u001b[\u0020-\u002f]*[\u0030-\u007e]/gu;
/** What is overwritten on its line, as a bar of progress is. */
const OVERWRITTEN = /^[^\n]*\r(?=[^\n])/gmu;
/** Controls, what reorders the text beside it, and halves of characters. */
const UNSEEN = /[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const SEPARATORS = /[\u2028\u2029]/gu;
const PLAIN = /^[\n\u0020-\u007e]*$/u;
const TAB = "    ";

/**
 * Text of a model, a file, a program or a name, such that it cannot control the terminal: colours and commands to the terminal
 * go away, other controls become visible. Line breaks stay; tabs are spaces.
 */
export function printable(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .replaceAll("\r\n", "\n")
    .replace(SEQUENCES, "")
    .replace(OVERWRITTEN, "")
    .replaceAll("\t", TAB)
    .replace(SEPARATORS, "\n")
    .replace(UNSEEN, (character) => (character === "\n" ? "\n" : pictureOf(character)));
}

/** The same on one line. */
export function oneLine(text: string): string {
  return printable(text).replace(/\s+/gu, " ").trim();
}

function pictureOf(character: string): string {
  if (character === "\r") return "";
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : "\ufffd";
}
