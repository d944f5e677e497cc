import type { Look, Space } from "../look/look.ts";
import type { KeyPress } from "../view/key-press.ts";

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
