import { visibleWidth } from "@earendil-works/pi-tui";
import type { Strings } from "../../strings/strings.ts";
import type { Look, Space } from "../look/look.ts";
import { choosable, cut, rowRoom, wrapped } from "../look/text.ts";
import { digitOf, type KeyPress, nameOf, typed } from "../terminal/keys.ts";

/**
 * A dialog replaces the editor and receives all keys until it is answered. It is pure: a key leads from one state to
 * the next state or to the answer. The answer `undefined` means that the user left the dialog.
 */
export interface Dialog<State, Answer> {
  readonly start: State;
  /**
   * Applies a key. `room` is the space that the dialog was last drawn in. This space determines the length of a page
   * and the position of the end.
   */
  readonly press: (state: State, key: KeyPress, room: Room) => Pressed<State, Answer>;
  /** Draws at most `space.rows` lines, each at most `space.width` columns wide. CURSOR_MARKER marks the cursor. */
  readonly draw: (state: State, space: Space, look: Look) => readonly string[];
  /**
   * "full": the dialog takes the whole screen above the status line. "part": it takes as many lines as it draws, below
   * the conversation.
   */
  readonly extent: "full" | "part";
  /** Starts lookups that run while the dialog is open. Called when the dialog opens. */
  readonly background?: (update: UpdateState<State>) => BackgroundWork<State>;
}

/** Everything needed to ask the user: the screen's dialogs, and the strings in the user's language. */
export interface AskContext {
  readonly strings: Strings;
  /**
   * Shows a dialog. Resolves with the answer, or with undefined if the user left the dialog. A second dialog waits for
   * the first.
   */
  ask<State, Answer>(dialog: Dialog<State, Answer>): Promise<Answer | undefined>;
}

export type Pressed<State, Answer> = { readonly state: State } | { readonly answer: Answer | undefined };

export interface Room extends Space {
  readonly look: Look;
}

/** Changes the state without a key press, and redraws the dialog. Does nothing after the dialog has been answered. */
export type UpdateState<State> = (change: (state: State) => State) => void;

export interface BackgroundWork<State> {
  /** Called with the first state, and with each state that follows a key. */
  onState(state: State): void;
  /** Called once when the user has answered or left the dialog. */
  end(): void;
}

interface Frame {
  readonly title: string;
  /** Lines below the title, which are already truncated and painted. */
  readonly head?: readonly string[];
  readonly body: (rows: number) => readonly string[];
  /** The line that explains the keys, dimmed and drawn below everything else. */
  readonly keys: string;
}

const MIN_BODY = 3;
/** Minimum number of rows at which the line that explains the keys may take up a second line. */
const ROOMY = 10;
const BETWEEN_KEYS = " · ";

/**
 * Draws the title, the body and the keys in the available rows. If there are too few rows, drops the keys first and
 * then the title.
 */
export function framed({ title, head = [], body, keys }: Frame, space: Space, look: Look): string[] {
  const { width, rows } = space;
  const most = rows - head.length >= ROOMY ? 2 : rows - head.length >= MIN_BODY + 2 ? 1 : 0;
  const foot = keyLines(keys, width, most).map((line) => look.paint.dim(cut(line, width, look)));
  const top = rows - head.length - foot.length > MIN_BODY ? [look.paint.strong(cut(title, width, look))] : [];
  const above = [...top, ...head].slice(0, Math.max(0, rows - 1));
  const left = Math.max(1, rows - above.length - foot.length);
  return [...above, ...body(left).slice(0, left), ...foot].slice(0, rows);
}

/**
 * Wraps the line that explains the keys into at most `most` lines, with breaks only between two keys. If there is not
 * enough room, the last key is still shown, because it closes the dialog.
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

/**
 * Returns the index of the first of `count` rows to draw, so that the chosen row is among the `rows` that are visible.
 */
export function firstShown(chosen: number, count: number, rows: number): number {
  const middle = chosen - Math.floor(rows / 2);
  return Math.max(0, Math.min(middle, count - rows));
}

/** Returns the lines that fit, including those of the chosen block. */
function linesAround(blocks: readonly (readonly string[])[], chosen: number, rows: number): string[] {
  const lines = blocks.flat();
  if (lines.length <= rows) return lines;
  const before = blocks.slice(0, chosen).reduce((sum, block) => sum + block.length, 0);
  const own = Math.min(rows, blocks[chosen]?.length ?? 1);
  const first = Math.max(0, Math.min(before - Math.floor((rows - own) / 2), lines.length - rows));
  return lines.slice(first, first + rows);
}

export interface MenuRow<Answer> {
  readonly text: string;
  readonly description?: string;
  readonly answer: Answer;
}

interface MenuOptions<Answer> {
  readonly title: string;
  /** Lines above the menu that the user should read before choosing. */
  readonly about?: readonly string[];
  readonly rows: readonly MenuRow<Answer>[];
  readonly chosen?: number;
  readonly keys: string;
}

export interface MenuState {
  readonly chosen: number;
}

const MAX_NUMBERED = 9;

const DESCRIPTION_LINES = 2;

/**
 * Creates a menu with a few rows. The user chooses one of them immediately with its digit, or with the arrow keys and
 * Enter.
 */
export function menu<Answer>(options: MenuOptions<Answer>): Dialog<MenuState, Answer> {
  return {
    start: { chosen: options.chosen ?? 0 },
    extent: "part",
    press: (state, key) => pressMenu(state, key, options.rows),
    draw: (state, space, look) =>
      framed(
        {
          title: options.title,
          head: aboutLines(options.about ?? [], space, look),
          body: (rows) =>
            menuRows({ rows: options.rows, chosen: state.chosen, height: rows }, space.width, look),
          keys: options.keys,
        },
        space,
        look,
      ),
  };
}

export function pressMenu<Answer>(
  state: MenuState,
  key: KeyPress,
  rows: readonly MenuRow<Answer>[],
): Pressed<MenuState, Answer> {
  const digit = digitOf(key);
  if (digit !== undefined && digit > 0 && rows.length <= MAX_NUMBERED) {
    const row = rows[digit - 1];
    return row === undefined ? { state } : { answer: row.answer };
  }
  const name = nameOf(key);
  if (name === "escape" || digit === 0 || typed(key) === "q") return { answer: undefined };
  if (name === "enter") {
    return { answer: rows[state.chosen]?.answer };
  }
  return { state: { chosen: moved(state.chosen, key, { count: rows.length, page: MAX_NUMBERED }) } };
}

/** Returns the row that a navigation key leads to, or the same row for all other keys. */
export function moved(
  chosen: number,
  key: KeyPress,
  { count, page }: { count: number; page: number },
): number {
  const last = Math.max(0, count - 1);
  switch (nameOf(key)) {
    case "up":
      return Math.max(0, chosen - 1);
    case "down":
      return Math.min(last, chosen + 1);
    case "pageUp":
      return Math.max(0, chosen - page);
    case "pageDown":
      return Math.min(last, chosen + page);
    case "home":
      return 0;
    case "end":
      return last;
    default:
      return chosen;
  }
}

interface Shown<Answer> {
  readonly rows: readonly MenuRow<Answer>[];
  readonly chosen: number;
  readonly height: number;
  /** How a row that is too long is shown. "wrap" shows it in full, because all of its text matters for the choice. */
  readonly long?: "cut" | "wrap";
}

export function menuRows<Answer>(
  { rows, chosen, height, long = "cut" }: Shown<Answer>,
  width: number,
  look: Look,
): string[] {
  const blocks = rows.map((row, index) =>
    menuRow(row, { index, isChosen: index === chosen, width, long }, look),
  );
  return linesAround(blocks, chosen, height);
}

interface At {
  readonly index: number;
  readonly isChosen: boolean;
  readonly width: number;
  readonly long: "cut" | "wrap";
}

function menuRow<Answer>(row: MenuRow<Answer>, { index, isChosen, width, long }: At, look: Look): string[] {
  const room = rowRoom(width, look);
  const is = isChosen ? "chosen" : "not";
  const description = row.description ?? "";
  const [first = "", ...more] =
    long === "wrap" ? wrapped(`${index + 1}. ${row.text}`, room) : [`${index + 1}. ${row.text}`];
  const text = cut(first, room, look);
  if (more.length > 0) {
    const below = description === "" ? [] : descriptionLines(description, width, look);
    const paint = isChosen ? look.paint.chosen : (line: string): string => line;
    const rest = more.map((line) => paint(" ".repeat(width - room) + line));
    return [choosable(text, is, look), ...rest, ...below];
  }
  if (description === "") return [choosable(text, is, look)];
  if (visibleWidth(text) + visibleWidth(description) + 2 <= room) {
    return [`${choosable(text, is, look)}  ${look.paint.dim(cut(description, room, look))}`];
  }
  return [choosable(text, is, look), ...descriptionLines(description, width, look)];
}

function descriptionLines(description: string, width: number, look: Look): readonly string[] {
  const indent = " ".repeat(5);
  const lines = wrapped(description, Math.max(1, width - indent.length), DESCRIPTION_LINES);
  return lines.map((line) => indent + look.paint.dim(line));
}

/**
 * Returns the lines above the menu, which take up at most half of the room. If there are more lines, a note says so.
 */
function aboutLines(about: readonly string[], { width, rows }: Space, look: Look): readonly string[] {
  const lines = about.flatMap((line) => wrapped(line, width));
  const most = Math.max(0, Math.floor(rows / 2) - 1);
  if (lines.length <= most) return lines;
  const more = look.strings.terminal.dialogs.moreLines(lines.length - most + 1);
  return [...lines.slice(0, Math.max(0, most - 1)), look.paint.dim(cut(more, width, look))].slice(0, most);
}

/**
 * Creates a menu with "yes" and "no". "No" is chosen at first, so that pressing Enter without reading does not change
 * anything.
 */
export function confirm(
  strings: Strings,
  options: {
    readonly question: string;
    readonly about?: readonly string[];
    readonly yes: string;
    readonly no: string;
  },
): Dialog<MenuState, "yes" | "no"> {
  const asked = menu<"yes" | "no">({
    title: options.question,
    ...(options.about === undefined ? {} : { about: options.about }),
    rows: [
      { text: options.yes, answer: "yes" },
      { text: options.no, answer: "no" },
    ],
    chosen: 1,
    keys: strings.terminal.dialogs.keys.confirm,
  });
  return {
    ...asked,
    press: (state, key, room) => {
      const letter = typed(key)?.toLowerCase();
      if (letter === "y") return { answer: "yes" };
      return letter === "n" ? { answer: "no" } : asked.press(state, key, room);
    },
  };
}
