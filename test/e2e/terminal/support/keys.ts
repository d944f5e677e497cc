/**
 * The keyboard encoding of a terminal: the legacy one, or kitty's protocol once the program has asked for it.
 */
export type Keyboard = "legacy" | "kitty";

const LEGACY: Readonly<Record<string, string>> = {
  escape: "\x1b",
  enter: "\r",
  tab: "\t",
  backspace: "\x7f",
  delete: "\x1b[3~",
  space: " ",
  up: "\x1b[A",
  down: "\x1b[B",
  right: "\x1b[C",
  left: "\x1b[D",
  home: "\x1b[H",
  end: "\x1b[F",
  pageup: "\x1b[5~",
  pagedown: "\x1b[6~",
  "shift+tab": "\x1b[Z",
  "alt+enter": "\x1b\r",
  "ctrl+left": "\x1b[1;5D",
  "ctrl+right": "\x1b[1;5C",
  "ctrl+up": "\x1b[1;5A",
  "ctrl+down": "\x1b[1;5B",
};

/** Only the keys whose encoding differs; plain enter, tab and backspace are unchanged. */
const KITTY: Readonly<Record<string, string>> = {
  escape: "\x1b[27u",
  "shift+tab": "\x1b[9;2u",
  "shift+enter": "\x1b[13;2u",
  "ctrl+enter": "\x1b[13;5u",
  "alt+enter": "\x1b[13;3u",
};

/** The bytes that a terminal sends for a key: "escape", "ctrl+c", "alt+b", "shift+tab". */
export function bytesOfKey(key: string, keyboard: Keyboard = "legacy"): string {
  const named = (keyboard === "kitty" ? KITTY[key] : undefined) ?? LEGACY[key];
  if (named !== undefined) return named;
  const [, modifier, letter = ""] = /^(ctrl|alt)\+(.)$/u.exec(key) ?? [];
  if (modifier === undefined) throw new Error(`This keyboard (${keyboard}) has no key ${key}`);
  if (keyboard === "kitty") return `\x1b[${letter.charCodeAt(0)};${modifier === "ctrl" ? 5 : 3}u`;
  return modifier === "alt"
    ? `\x1b${letter}`
    : String.fromCharCode(letter.toUpperCase().charCodeAt(0) & 0x1f);
}
