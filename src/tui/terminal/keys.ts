import { decodeKittyPrintable, isKeyRelease, parseKey } from "@earendil-works/pi-tui";

/** A key press, or pasted text. */
export interface KeyPress {
  /** The name of the key, such as "up", "enter", "ctrl+o", "shift+tab" or "a", or "paste" for pasted text. */
  readonly key: string;
  /** The text that the key types, if any. */
  readonly text?: string;
}

/**
 * Parses a chunk of input into keys, in order. tmux sends two presses of Esc as one chunk. Such a chunk is treated as
 * two presses, never as Alt+Esc, because pressing Esc twice is a command. Key releases are ignored, and so are reports
 * about mouse positions, focus and the terminal.
 */
export function readKeys(chunk: string): readonly KeyPress[] {
  return (chunk.match(TOKENS) ?? []).flatMap((token) => keyOf(token) ?? []);
}

const ESCAPE = "\x1b";
const BELL = "\x07";
const PASTE_START = `${ESCAPE}[200~`;
const PASTE_END = `${ESCAPE}[201~`;

/**
 * Matches pasted text, a mouse report, a control sequence, a response from the terminal, a function key, Alt with a
 * key, or any other key.
 */
const TOKENS = new RegExp(
  [
    String.raw`${ESCAPE}\[200~[\s\S]*?(?:${ESCAPE}\[201~|$)`,
    String.raw`${ESCAPE}\[M[\s\S]{3}`,
    String.raw`${ESCAPE}\[\[?[0-9;:<=>?]*[ -/]*[@-~]`,
    String.raw`${ESCAPE}[\]P_][\s\S]+?(?:${BELL}|${ESCAPE}\\|$)`,
    `${ESCAPE}O[ -~]`,
    `${ESCAPE}[^${ESCAPE}]`,
    String.raw`[\s\S]`,
  ].join("|"),
  "gu",
);

const WHEEL = new RegExp(String.raw`^${ESCAPE}\[<(\d+);\d+;\d+M$`, "u");
const WHEEL_BUTTONS = 64;
const OTHER_KEYS_PRINTABLE = new RegExp(String.raw`^${ESCAPE}\[27;[12];(\d+)~$`, "u");
/**
 * Matches characters without a visible form: control characters, and the codes that the kitty protocol uses for keys.
 */
const WRITES_NOTHING = /^[\p{Cc}\p{Co}]$/u;

function keyOf(data: string): KeyPress | undefined {
  if (data.startsWith(PASTE_START)) return { key: "paste", text: pasted(data) };
  if (data.startsWith("\x1b[<")) return wheelOf(data);
  if (data.startsWith("\x1b[M") || isKeyRelease(data)) return undefined;
  const text = writtenBy(data);
  if (text !== undefined) return { key: text === " " ? "space" : text, text };
  const name = SPECIAL[data] ?? parseKey(data) ?? altOf(data);
  return name === undefined ? undefined : { key: name };
}

const SPECIAL: Readonly<Record<string, string>> = {
  // Home and End in the form sent by tmux and the Linux console, which the decoder does not support.
  "\x1b[1~": "home",
  "\x1b[4~": "end",
  "\n": "ctrl+j",
  "\x1b\n": "alt+enter",
  "\x1b[13;2~": "shift+enter",
};

/**
 * Matches a line break or a tab that tmux sends to a popup as part of a paste. The character is encoded as Ctrl with a
 * letter.
 */
const AS_CONTROL_KEY = new RegExp(String.raw`${ESCAPE}\[(9[7-9]|1[01]\d|12[0-2]);5u`, "gu");

function controlOf(letter: number): string {
  return String.fromCharCode(letter - 96);
}

function pasted(data: string): string {
  const text = data.slice(PASTE_START.length).replace(PASTE_END, "");
  return text
    .replace(AS_CONTROL_KEY, (_all, code: string) => controlOf(Number(code)))
    .replaceAll(/\r\n?/gu, "\n");
}

function wheelOf(data: string): KeyPress | undefined {
  const button = Number(WHEEL.exec(data)?.[1] ?? 0);
  if (button < WHEEL_BUTTONS || button >= 2 * WHEEL_BUTTONS) return undefined;
  if (button % 4 > 1) return undefined;
  return { key: button % 4 === 0 ? "wheel-up" : "wheel-down" };
}

function writtenBy(data: string): string | undefined {
  const otherKeys = OTHER_KEYS_PRINTABLE.exec(data)?.[1];
  const text =
    otherKeys === undefined ? (decodeKittyPrintable(data) ?? data) : String.fromCodePoint(Number(otherKeys));
  const isOne = [...text].length === 1 && !text.startsWith("\x1b");
  return isOne && !WRITES_NOTHING.test(text) ? text : undefined;
}

/** Returns the name for Alt with a key that the decoder has no name for. */
function altOf(data: string): string | undefined {
  const [first, rest, ...more] = [...data];
  return first === ESCAPE && rest !== undefined && more.length === 0 ? `alt+${rest}` : undefined;
}

const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["return", "enter"],
  ["esc", "escape"],
  ["pageup", "pageUp"],
  ["pagedown", "pageDown"],
  ["ctrl+p", "up"],
  ["ctrl+n", "down"],
  ["ctrl+c", "escape"],
  ["wheel-up", "up"],
  ["wheel-down", "down"],
  [" ", "space"],
]);

/**
 * Returns the canonical name of a key, because terminals and libraries use several names for some keys. Ctrl+C is
 * treated as Esc, because it also leaves a dialog.
 */
export function nameOf(key: KeyPress): string {
  return OTHER_NAMES.get(key.key) ?? key.key;
}

/**
 * Returns the typed letter, digit or symbol, for use as a command. Returns undefined for pasted text and for keys that
 * do not type anything.
 */
export function typed(key: KeyPress): string | undefined {
  if (key.key === "paste" || key.key.startsWith("ctrl+") || key.key.startsWith("alt+")) return undefined;
  const text = key.text ?? key.key;
  return text.length === 1 && text > " " ? text : undefined;
}

export function digitOf(key: KeyPress): number | undefined {
  const text = typed(key);
  return text !== undefined && text >= "0" && text <= "9" ? Number(text) : undefined;
}
