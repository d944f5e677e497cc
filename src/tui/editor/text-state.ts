import type { KeyPress } from "../terminal/keys.ts";
import {
  type Folds,
  isLarge,
  lineEnd,
  lineStart,
  markerFor,
  movedByRow,
  nextBorder,
  previousBorder,
  type Row,
  settled,
  wordAfter,
  wordBefore,
} from "./text-layout.ts";

/** Text that is being edited. Every function in this file returns the next state. */
export interface TextState {
  readonly text: string;
  /** An index into the text, at the boundary of a grapheme or a marker. */
  readonly cursor: number;
  readonly folds: Folds;
  /** The states that undo returns to, oldest first. */
  readonly undo: readonly Place[];
  /** Text that was cut (the kill ring), newest last. */
  readonly ring: readonly string[];
  readonly last: LastEdit;
  /** The column that the cursor tries to keep while it moves up and down. */
  readonly goal: number | undefined;
  /** Set if the next typed character is the one to jump to. */
  readonly jump: "forward" | "backward" | undefined;
}

interface Place {
  readonly text: string;
  readonly cursor: number;
}

/** The last edit, which the next edit may continue. */
type LastEdit =
  | { readonly did: "type" | "cut" | "else" }
  /** `from` is the index where the inserted text begins. */
  | { readonly did: "yank"; readonly from: number };

const MAX_UNDO = 1_000;
const MAX_IN_RING = 60;
const TAB = "    ";

export const EMPTY_TEXT: TextState = {
  text: "",
  cursor: 0,
  folds: new Map(),
  undo: [],
  ring: [],
  last: { did: "else" },
  goal: undefined,
  jump: undefined,
};

export interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly by: string;
}

/** Replaces a part of the text as one undo step. The cursor moves to the end of the replacement. */
export function replaced(state: TextState, replacement: Replacement): TextState {
  return replace(state, replacement, "step");
}

function replace(state: TextState, { from, to, by }: Replacement, undo: "step" | "same step"): TextState {
  const before = state.text.slice(0, from) + by.replaceAll("\t", TAB);
  const text = before + state.text.slice(to);
  const { cursor } = state;
  return {
    ...state,
    text,
    cursor: settled(text, before.length, state.folds),
    undo: undo === "step" ? [...state.undo, { text: state.text, cursor }].slice(-MAX_UNDO) : state.undo,
    last: { did: "else" },
    goal: undefined,
    jump: undefined,
  };
}

/** Inserts text at the cursor as one undo step. */
export function insert(state: TextState, text: string): TextState {
  const { cursor } = state;
  return text === "" ? state : replace(state, { from: cursor, to: cursor, by: text }, "step");
}

/** Inserts typed letters, which undo removes word by word. */
function type(state: TextState, text: string): TextState {
  const { cursor, last } = state;
  const undo = last.did === "type" && text.trim() !== "" ? "same step" : "step";
  return { ...replace(state, { from: cursor, to: cursor, by: text }, undo), last: { did: "type" } };
}

/** Inserts pasted text. A large paste is folded into a marker. */
export function paste(state: TextState, pasted: string): TextState {
  const text = pasted.replaceAll("\t", TAB);
  if (!isLarge(text)) {
    const isPathInWord = /^[/~.]/u.test(text) && /\w/u.test(state.text.charAt(state.cursor - 1));
    return insert(state, isPathInWord ? ` ${text}` : text);
  }
  const marker = markerFor(text, state.folds, state.text);
  return insert({ ...state, folds: new Map([...state.folds, [marker, text]]) }, marker);
}

/** Replaces the whole text. The replacement can be undone. */
export function withText(state: TextState, by: string): TextState {
  const whole = { from: 0, to: state.text.length, by };
  return replace(state, whole, state.text === by.replaceAll("\t", TAB) ? "same step" : "step");
}

/** Returns the state after the text has been sent. Text that was cut can still be pasted into the next text. */
export function emptied({ ring, folds }: TextState): TextState {
  const kept = [...folds].filter(([marker]) => ring.some((cut) => cut.includes(marker)));
  return { ...EMPTY_TEXT, ring, folds: new Map(kept) };
}

function remove(state: TextState, from: number, to: number): TextState {
  return from === to ? moved(state, state.cursor) : replace(state, { from, to, by: "" }, "step");
}

/** Cuts a range. Consecutive cuts are joined, so that they can be pasted together. */
function cut(state: TextState, from: number, to: number): TextState {
  if (from === to) return state;
  const piece = state.text.slice(from, to);
  const latest = state.last.did === "cut" ? (state.ring.at(-1) ?? "") : "";
  const older = state.last.did === "cut" ? state.ring.slice(0, -1) : state.ring;
  const whole = from < state.cursor ? piece + latest : latest + piece;
  const ring = [...older, whole].slice(-MAX_IN_RING);
  return { ...remove(state, from, to), ring, last: { did: "cut" } };
}

/** Cuts to the end of the line. If the cursor is already there, cuts the line break. */
function cutToEnd(state: TextState): TextState {
  const { text, cursor } = state;
  const end = lineEnd(text, cursor);
  return cut(state, cursor, end === cursor ? Math.min(text.length, cursor + 1) : end);
}

function cutToStart(state: TextState): TextState {
  const { text, cursor } = state;
  const start = lineStart(text, cursor);
  return cut(state, start === cursor ? Math.max(0, cursor - 1) : start, cursor);
}

/** Inserts the text that was cut last. */
function yank(state: TextState): TextState {
  const latest = state.ring.at(-1);
  if (latest === undefined) return state;
  return { ...insert(state, latest), last: { did: "yank", from: state.cursor } };
}

/** Replaces the text that was just inserted with the text that was cut before it. */
function yankOlder(state: TextState): TextState {
  const { last, ring } = state;
  const latest = ring.at(-1);
  if (last.did !== "yank" || latest === undefined || ring.length < 2) return state;
  const turned = [latest, ...ring.slice(0, -1)];
  const replaced = { from: last.from, to: last.from + latest.length, by: turned.at(-1) ?? "" };
  return { ...replace(state, replaced, "step"), ring: turned, last };
}

function undone(state: TextState): TextState {
  const before = state.undo.at(-1);
  if (before === undefined) return state;
  const { text } = before;
  const cursor = settled(text, before.cursor, state.folds);
  return { ...moved({ ...state, text }, cursor), undo: state.undo.slice(0, -1) };
}

function moved(state: TextState, cursor: number): TextState {
  return { ...state, cursor, last: { did: "else" }, goal: undefined, jump: undefined };
}

function movedUpOrDown(state: TextState, rows: readonly Row[], direction: "up" | "down"): TextState {
  const { cursor, goal } = movedByRow(state, rows, direction);
  return { ...moved(state, cursor), goal };
}

/** Moves the cursor to the nearest occurrence of a character in the whole text, if there is one. */
function jumped(state: TextState, sought: string, direction: "forward" | "backward"): TextState {
  const { text, folds } = state;
  for (let at = state.cursor; ; ) {
    if (direction === "backward" && at === 0) return moved(state, state.cursor);
    at = direction === "forward" ? text.indexOf(sought, at + 1) : text.lastIndexOf(sought, at - 1);
    if (at === -1) return moved(state, state.cursor);
    if (settled(text, at, folds) === at) return moved(state, at);
  }
}

/**
 * Applies a key. `rows` returns the current layout of the text. Returns undefined for a key that does nothing while
 * text is being edited.
 */
export function pressText(
  before: TextState,
  { key, text }: KeyPress,
  rows: () => readonly Row[],
): TextState | undefined {
  const { jump } = before;
  const state: TextState = { ...before, jump: undefined };
  const jumps = JUMPS[key];
  if (jumps !== undefined) return jump === undefined ? { ...moved(state, state.cursor), jump: jumps } : state;
  if (jump !== undefined && text !== undefined) return jumped(state, text, jump);
  if (key === "up" || key === "down") return movedUpOrDown(state, rows(), key);
  const edit = EDITS[key];
  if (edit !== undefined) return edit(state);
  if (text !== undefined) return type(state, text);
  return jump === undefined ? undefined : state;
}

const JUMPS: Readonly<Record<string, "forward" | "backward">> = {
  "ctrl+]": "forward",
  "ctrl+alt+]": "backward",
};

type Edit = (state: TextState) => TextState;

const toLeft: Edit = (state) => moved(state, previousBorder(state.text, state.cursor, state.folds));
const toRight: Edit = (state) => moved(state, nextBorder(state.text, state.cursor, state.folds));
const toWordBefore: Edit = (state) => moved(state, wordBefore(state.text, state.cursor, state.folds));
const toWordAfter: Edit = (state) => moved(state, wordAfter(state.text, state.cursor, state.folds));
const toLineStart: Edit = (state) => moved(state, lineStart(state.text, state.cursor));
const toLineEnd: Edit = (state) => moved(state, lineEnd(state.text, state.cursor));
const removeBefore: Edit = (state) =>
  remove(state, previousBorder(state.text, state.cursor, state.folds), state.cursor);
const removeAfter: Edit = (state) =>
  remove(state, state.cursor, nextBorder(state.text, state.cursor, state.folds));
const cutWordBefore: Edit = (state) =>
  cut(state, wordBefore(state.text, state.cursor, state.folds), state.cursor);
const cutWordAfter: Edit = (state) =>
  cut(state, state.cursor, wordAfter(state.text, state.cursor, state.folds));

const EDITS: Readonly<Record<string, Edit>> = {
  left: toLeft,
  "ctrl+b": toLeft,
  right: toRight,
  "ctrl+f": toRight,
  "alt+left": toWordBefore,
  "ctrl+left": toWordBefore,
  "alt+b": toWordBefore,
  "alt+right": toWordAfter,
  "ctrl+right": toWordAfter,
  "alt+f": toWordAfter,
  home: toLineStart,
  "ctrl+a": toLineStart,
  end: toLineEnd,
  "ctrl+e": toLineEnd,
  backspace: removeBefore,
  "shift+backspace": removeBefore,
  delete: removeAfter,
  "shift+delete": removeAfter,
  "ctrl+d": removeAfter,
  "ctrl+w": cutWordBefore,
  "alt+backspace": cutWordBefore,
  "alt+d": cutWordAfter,
  "alt+delete": cutWordAfter,
  "ctrl+u": cutToStart,
  "ctrl+k": cutToEnd,
  "ctrl+y": yank,
  "alt+y": yankOlder,
  "ctrl+-": undone,
};
