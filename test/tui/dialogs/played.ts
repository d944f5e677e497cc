import { CURSOR_MARKER, visibleWidth } from "@earendil-works/pi-tui";
import { en } from "../../../src/strings/en.ts";
import type { Strings } from "../../../src/strings/strings.ts";
import { callReasons as zhCallReasons } from "../../../src/strings/zh-cn/call-reasons.ts";
import { dialogs as zhDialogs } from "../../../src/strings/zh-cn/dialogs.ts";
import type { Dialog, Room } from "../../../src/tui/dialogs/dialog.ts";
import type { Brush, Look, Paint } from "../../../src/tui/look/look.ts";
import type { KeyPress } from "../../../src/tui/terminal/keys.ts";

const same: Brush = (text) => text;

const paint: Paint = {
  accent: same,
  strong: same,
  dim: same,
  good: same,
  bad: same,
  warning: same,
  added: same,
  removed: same,
  heading: same,
  code: same,
  link: same,
  quote: same,
  italic: same,
  underline: same,
  strike: same,
  chosen: same,
  said: same,
  border: same,
  token: () => same,
};

export const NOW = Date.UTC(2026, 10, 15, 12, 0, 0);

/** The dialogs' texts in Chinese; the rest of the catalogue does not matter here. */
export const zh: Strings = {
  ...en,
  callReasons: zhCallReasons,
  terminal: { ...en.terminal, dialogs: zhDialogs },
};

/** Without colors, as under NO_COLOR: everything important must still be visible. */
export function plainLook(strings: Strings = en): Look {
  return {
    strings,
    paint,
    now: NOW,
    glyphs: {
      prompt: ">",
      bullet: "*",
      done: "v",
      failed: "x",
      open: "o",
      doing: ".",
      folded: "+",
      unfolded: "-",
      chosen: ">",
      back: "<-",
      ellipsis: "…",
      horizontal: "-",
      vertical: "|",
      corners: ["+", "+", "+", "+"],
      tee: "|",
      elbow: "L",
      full: "#",
      empty: ".",
      spinner: ["-"],
    },
  };
}

export interface Played<Answer> {
  readonly lines: readonly string[];
  readonly outcome: { readonly answer: Answer | undefined } | "open";
}

/** Keys by name; quoted text is typed character by character: `press("down", "'abc'", "enter")`. */
export function keyPresses(...names: readonly string[]): KeyPress[] {
  return names.flatMap((name): KeyPress[] => {
    if (name.startsWith("'"))
      return [...name.slice(1, -1)].map((text) => ({ key: text === " " ? "space" : text, text }));
    if (name === "space") return [{ key: "space", text: " " }];
    return [name.length === 1 ? { key: name, text: name } : { key: name }];
  });
}

export function roomOf(width = 80, rows = 20, strings: Strings = en): Room {
  return { width, rows, look: plainLook(strings) };
}

/** Presses the keys in order, and checks that every frame fits its room. */
export function play<State, Answer>(
  dialog: Dialog<State, Answer>,
  keys: readonly string[],
  room: Room = roomOf(),
): Played<Answer> {
  let state = dialog.start;
  for (const key of keyPresses(...keys)) {
    drawIn(dialog, state, room);
    const pressed = dialog.press(state, key, room);
    if ("answer" in pressed) return { lines: [], outcome: { answer: pressed.answer } };
    state = pressed.state;
  }
  return { lines: drawIn(dialog, state, room), outcome: "open" };
}

/** The lines, with the cursor as `_`. */
export function drawIn<State, Answer>(dialog: Dialog<State, Answer>, state: State, room: Room): string[] {
  const lines = dialog.draw(state, room, room.look);
  if (lines.length > room.rows) throw new Error(`${lines.length} lines in ${room.rows} rows`);
  for (const line of lines) {
    if (visibleWidth(line) > room.width) throw new Error(`wider than ${room.width}: ${line}`);
    if (line.includes("\n")) throw new Error(`a line break in: ${line}`);
  }
  return lines.map((line) => line.replace(CURSOR_MARKER, "_"));
}
