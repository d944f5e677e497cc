import { visibleWidth } from "@earendil-works/pi-tui";
import type { Strings } from "../../strings/strings.ts";
import { cut } from "../look/lines.ts";
import type { Look, Space } from "../look/look.ts";
import type { KeyPress } from "../terminal/keys.ts";

/**
 * What stands in the editor's place and has all keys until it is answered. Pure: a key leads from one state to the next, or
 * to the answer; `undefined` is the answer of who leaves.
 */
export interface Dialog<State, Answer> {
  readonly start: State;
  /** `room` is what it was last drawn in: how far a page goes, and where the end is, depends on it. */
  readonly press: (state: State, key: KeyPress, room: Room) => Pressed<State, Answer>;
  /** Lines of at most `space.width` columns, at most `space.rows` of them. The cursor stands where CURSOR_MARKER is. */
  readonly draw: (state: State, space: Space, look: Look) => readonly string[];
  /** "full": it has the whole screen above the status line; else as many lines as it draws, below the conversation. */
  readonly extent: "full" | "part";
  /** Begun when it opens, for what is looked up while it stands there. */
  readonly beside?: (tell: Tell<State>) => Beside<State>;
}

/** What whoever asks the user needs: the screen's dialogs, and the words of its language. */
export interface AskContext {
  readonly strings: Strings;
  /** Resolves with the answer, or with undefined when the user left. A second dialog waits for the first. */
  ask<State, Answer>(dialog: Dialog<State, Answer>): Promise<Answer | undefined>;
}

export type Pressed<State, Answer> = { readonly state: State } | { readonly answer: Answer | undefined };

export interface Room extends Space {
  readonly look: Look;
}

/** Changes the state from outside of a key, and has the dialog drawn again. Does nothing once the dialog was answered. */
export type Tell<State> = (change: (state: State) => State) => void;

export interface Beside<State> {
  /** Called with the first state, and with each one that a key led to. */
  see(state: State): void;
  /** Called once, when the dialog was answered or left. */
  end(): void;
}

interface Frame {
  readonly title: string;
  /** Already cut and painted lines under the title. */
  readonly head?: readonly string[];
  readonly body: (rows: number) => readonly string[];
  /** What the keys do, dim, as the last line. */
  readonly keys: string;
}

const LEAST_BODY = 3;
/** From here on there is room for a second line of keys. */
const ROOMY = 10;
const BETWEEN_KEYS = " · ";

/** Title, body, keys, in the rows that there are: where they are few, the keys go first and then the title. */
export function framed({ title, head = [], body, keys }: Frame, space: Space, look: Look): string[] {
  const { width, rows } = space;
  const most = rows - head.length >= ROOMY ? 2 : rows - head.length >= LEAST_BODY + 2 ? 1 : 0;
  const foot = keyLines(keys, width, most).map((line) => look.paint.dim(cut(line, width, look)));
  const top =
    rows - head.length - foot.length > LEAST_BODY ? [look.paint.strong(cut(title, width, look))] : [];
  const above = [...top, ...head].slice(0, Math.max(0, rows - 1));
  const left = Math.max(1, rows - above.length - foot.length);
  return [...above, ...body(left).slice(0, left), ...foot].slice(0, rows);
}

/**
 * What the keys do, on `most` lines at most, broken only between one key and the next. Where there is no room for all, how to
 * leave, which comes last, stays.
 */
export function keyLines(keys: string, width: number, most: number): string[] {
  const shown = keys === "" ? [] : keys.split(BETWEEN_KEYS);
  let lines = laidOut(shown, width);
  while (lines.length > most && shown.length > 1) {
    shown.splice(-2, 1);
    lines = laidOut(shown, width);
  }
  return lines.slice(0, Math.max(0, most));
}

function laidOut(keys: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const key of keys) {
    const longer = `${lines.at(-1)}${BETWEEN_KEYS}${key}`;
    if (lines.length > 0 && visibleWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(key);
  }
  return lines;
}

/** The first of `count` that is shown, so that the chosen one is among the `rows` that are. */
export function firstShown(chosen: number, count: number, rows: number): number {
  const middle = chosen - Math.floor(rows / 2);
  return Math.max(0, Math.min(middle, count - rows));
}

/** Those lines of the blocks that fit, with the chosen block among them. */
export function linesAround(blocks: readonly (readonly string[])[], chosen: number, rows: number): string[] {
  const lines = blocks.flat();
  if (lines.length <= rows) return lines;
  const before = blocks.slice(0, chosen).reduce((sum, block) => sum + block.length, 0);
  const own = Math.min(rows, blocks[chosen]?.length ?? 1);
  const first = Math.max(0, Math.min(before - Math.floor((rows - own) / 2), lines.length - rows));
  return lines.slice(first, first + rows);
}
