import type { KeyPress } from "../../view/key-press.ts";

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

/** The key's one name: terminals and libraries have several for some. Ctrl+C leaves a dialog as Esc does. */
export function nameOf(key: KeyPress): string {
  return OTHER_NAMES.get(key.key) ?? key.key;
}

/** The letter, digit or sign that was typed, as a command; undefined for pasted text and for keys that write nothing. */
export function typed(key: KeyPress): string | undefined {
  if (key.key === "paste" || key.key.startsWith("ctrl+") || key.key.startsWith("alt+")) return undefined;
  const text = key.text ?? key.key;
  return text.length === 1 && text > " " ? text : undefined;
}

export function digitOf(key: KeyPress): number | undefined {
  const text = typed(key);
  return text !== undefined && text >= "0" && text <= "9" ? Number(text) : undefined;
}
