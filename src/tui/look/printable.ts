import { visibleText } from "../../record/visible-text.ts";

/**
 * Sequences that terminals obey: CSI, those that carry a string (OSC, DCS, APC, PM, SOS), and the short ones. A string holds no
 * other beginning of one, so that many of them cost no more than their length.
 */
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /(?:\u001b\[|\u009b)[\u0020-\u003f]*[\u0040-\u007e]|(?:\u001b[\]P_^X]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0090\u0098\u009c-\u009f]*(?:\u0007|\u001b\\|\u009c)|\u001b[\u0020-\u002f]*[\u0030-\u007e]/gu;
/** What is overwritten on its line, as a bar of progress is. */
const OVERWRITTEN = /^[^\n]*\r(?=[^\n])/gmu;
/** Controls, what reorders the text beside it, and halves of characters: what may not be typed. */
const UNTYPED = /[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const SEPARATORS = /[\u2028\u2029]/gu;
const PLAIN_LINE = /^[\u0020-\u007e]*$/u;
const PLAIN = /^[\n\u0020-\u007e]*$/u;
const TAB = "    ";

/**
 * Text of a program, a file or a name, such that it cannot control the terminal: colours and commands to the terminal go away,
 * other controls become visible. Line breaks stay; tabs are spaces; what a program wrote over is gone.
 */
export function printable(text: string): string {
  if (PLAIN.test(text)) return text;
  return shown(text.replaceAll("\r\n", "\n").replace(SEQUENCES, "").replace(OVERWRITTEN, ""));
}

/** The same of what somebody said: nobody writes over their own words, so a lone return is a line break. */
export function spoken(text: string): string {
  return PLAIN.test(text) ? text : printable(text.replace(/\r\n?/gu, "\n"));
}

/** Of a line of ours: without line breaks, and with nothing left out of a name in it. Spaces stay as they are. */
export function flat(text: string): string {
  return PLAIN_LINE.test(text) ? text : shown(text.replace(/\r\n?/gu, "\n")).replaceAll("\n", " ");
}

function shown(text: string): string {
  return visibleText(text.replaceAll("\t", TAB).replace(SEPARATORS, "\n").replace(/\r/gu, ""));
}

/** Printable, on one line, and with no more spaces than it needs. */
export function oneLine(text: string): string {
  return spoken(text).replace(/\s+/gu, " ").trim();
}

/** What goes into an editor: it is sent as it stands there, so nothing takes the place of what may not be in it. */
export function typable(text: string): string {
  return text
    .replace(/\r\n?/gu, "\n")
    .replace(SEQUENCES, "")
    .replace(UNTYPED, (character) => (character === "\n" || character === "\t" ? character : ""));
}

/** Colours, links, the mark of the cursor: what we draw with. Everything else of its kind is somebody else's. */
const OURS_OR_CONTROL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /\u001b\[[0-9;:]*m|\u001b_pi:c\u0007|\u001b\]8;[^\u0007\u001b]*(?:\u0007|\u001b\\)|[\u0000-\u001f\u007f-\u009f]/gu;

/** The last net below a line that is drawn already: it cannot tell our colours from those of others, who must be `printable`. */
export function harmless(line: string): string {
  return line.replace(OURS_OR_CONTROL, (found) => (found.length === 1 ? "" : found));
}

/** Signs of our own words, each by one that every terminal has and that is as wide. */
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

/** For a terminal whose locale has no other signs than those of ASCII. */
export function inAscii(line: string): string {
  return line.replace(FOUND, (sign) => SIGNS[sign] ?? sign);
}
