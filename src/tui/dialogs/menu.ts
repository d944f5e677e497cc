import { visibleWidth } from "@earendil-works/pi-tui";
import { callReasonInEnglish } from "../../record/call-reason.ts";
import type { Strings } from "../../strings/strings.ts";
import { choosable, cut, rowRoom, wrapped } from "../look/lines.ts";
import type { Look, Space } from "../look/look.ts";
import { digitOf, type KeyPress, nameOf, typed } from "../terminal/keys.ts";
import { type Dialog, framed, linesAround, type Pressed } from "./dialog.ts";
import { fieldLine, type TextField, textField, textIn, typeInto } from "./text-field.ts";

export interface MenuRow<Answer> {
  readonly text: string;
  readonly description?: string;
  readonly answer: Answer;
}

interface MenuOptions<Answer> {
  readonly title: string;
  /** What is to be known before one chooses. */
  readonly about?: readonly string[];
  readonly rows: readonly MenuRow<Answer>[];
  readonly chosen?: number;
  readonly keys: string;
}

export interface MenuState {
  readonly chosen: number;
}

const MOST_NUMBERED = 9;
const DESCRIPTION_LINES = 2;

/** A few rows of which one is chosen: by its digit at once, or with the arrows and Enter. */
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
  if (digit !== undefined && digit > 0 && rows.length <= MOST_NUMBERED) {
    const row = rows[digit - 1];
    return row === undefined ? { state } : { answer: row.answer };
  }
  const name = nameOf(key);
  if (name === "escape" || digit === 0 || typed(key) === "q") return { answer: undefined };
  if (name === "enter") {
    return { answer: rows[state.chosen]?.answer };
  }
  return { state: { chosen: moved(state.chosen, key, { count: rows.length, page: MOST_NUMBERED }) } };
}

/** Where the arrows and their like lead to in a list; the same place for every other key. */
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
  /** What becomes of a row that is too long. "wrap": all of it matters to who chooses. */
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

/** Half of the room; that there is more is said. */
function aboutLines(about: readonly string[], { width, rows }: Space, look: Look): readonly string[] {
  const lines = about.flatMap((line) => wrapped(line, width));
  const most = Math.max(0, Math.floor(rows / 2) - 1);
  if (lines.length <= most) return lines;
  const more = look.strings.terminal.dialogs.moreLines(lines.length - most + 1);
  return [...lines.slice(0, Math.max(0, most - 1)), look.paint.dim(cut(more, width, look))].slice(0, most);
}

interface ConfirmOptions {
  readonly question: string;
  readonly about?: readonly string[];
  readonly yes: string;
  readonly no: string;
}

/** Yes or no, with no chosen: who presses Enter without reading changes nothing. */
export function confirm(strings: Strings, options: ConfirmOptions): Dialog<MenuState, "yes" | "no"> {
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

/** A no for which the user gives no reason. */
export const DECLINED = {
  answer: "no",
  reason: callReasonInEnglish({ code: "declined" }),
  because: { code: "declined" },
} as const;

/** A menu with a row that wants words: they are typed in the menu's place. */
export interface ReasonedState {
  readonly chosen: number;
  readonly reason?: TextField;
}

type ReasonedPressed<Answer> =
  | { readonly to: "state"; readonly state: ReasonedState }
  | { readonly to: "answer"; readonly answer: Answer }
  | { readonly to: "reason"; readonly reason: string }
  | { readonly to: "leave" };

export type ReasonedRow<Answer> = MenuRow<Answer | "words">;

/** Esc in the words goes back to the rows; words that are empty are no words yet. */
export function pressReasoned<Answer>(
  { chosen, reason }: ReasonedState,
  key: KeyPress,
  rows: readonly ReasonedRow<Answer>[],
): ReasonedPressed<Answer> {
  if (reason !== undefined) {
    const name = nameOf(key);
    if (name === "escape") return { to: "state", state: { chosen } };
    if (name !== "enter") return { to: "state", state: { chosen, reason: typeInto(reason, key) ?? reason } };
    const text = textIn(reason).trim();
    return text === "" ? { to: "state", state: { chosen, reason } } : { to: "reason", reason: text };
  }
  const pressed = pressMenu({ chosen }, key, rows);
  if ("state" in pressed) return { to: "state", state: pressed.state };
  if (pressed.answer === undefined) return { to: "leave" };
  if (pressed.answer !== "words") return { to: "answer", answer: pressed.answer };
  return {
    to: "state",
    state: { chosen: rows.findIndex((row) => row.answer === "words"), reason: textField() },
  };
}

export function drawReasoned<Answer>(
  { chosen, reason }: ReasonedState,
  rows: readonly ReasonedRow<Answer>[],
  { width, height, look }: { width: number; height: number; look: Look },
): string[] {
  return reason === undefined
    ? menuRows({ rows, chosen, height, long: "wrap" }, width, look)
    : [fieldLine(reason, { width }, look)];
}
