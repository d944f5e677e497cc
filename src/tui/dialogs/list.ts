import { CURSOR_MARKER, visibleWidth } from "@earendil-works/pi-tui";
import type { Look, Space } from "../look/look.ts";
import { between, choosable, cut, flat, graphemesOf, rowRoom, typable, wrapped } from "../look/text.ts";
import { digitOf, type KeyPress, nameOf, typed } from "../terminal/keys.ts";
import { type Dialog, firstShown, framed, moved, type Pressed } from "./dialog.ts";

/** The state that all long lists have in common: the chosen row, the filter, and the typed digits. */
export interface ListState {
  readonly chosen: number;
  readonly filter: TextField;
  readonly typing: "filter" | "no";
  readonly digits: string;
}

/** A row of a long list. A row without a number is a heading, and cannot be chosen. */
export interface ListRow {
  readonly number?: number;
  /** The row's index in the unfiltered list. */
  readonly unfiltered?: number;
}

type ListPressed =
  | { readonly do: "stay"; readonly list: ListState }
  | { readonly do: "choose"; readonly index: number }
  | { readonly do: "leave" }
  /** The list does not use the key. */
  | { readonly do: "other" };

/** An empty text field. */
const NO_TEXT: TextField = { graphemes: [], cursor: 0 };

export const LIST_START: ListState = { chosen: 0, filter: NO_TEXT, typing: "no", digits: "" };

/** Number of rows for the title, the filter and the keys. */
const AROUND = 3;

/**
 * Checks whether text matches a filter. Every word of the filter must occur, in any order and in upper or lower case.
 */
export function matches(text: string, filter: string): boolean {
  const where = text.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => where.includes(word));
}

export function filterOf(list: ListState): string {
  return textIn(list.filter).trim();
}

export function pressList(
  list: ListState,
  key: KeyPress,
  at: { rows: readonly ListRow[]; space: Space },
): ListPressed {
  const name = nameOf(key);
  if (name === "enter") return entered(list, at.rows);
  if (isMove(name, list)) {
    const from = chosenIn(list, at.rows);
    const to = moved(from, key, { count: at.rows.length, page: Math.max(1, at.space.rows - AROUND) });
    return stay({ ...list, digits: "", chosen: onRow(to, at.rows, to < from ? "up" : "down") });
  }
  return list.typing === "filter" ? pressFilter(list, key, at.rows) : pressPlain(list, key, at.rows);
}

/**
 * Checks whether a key moves to another row of the list. While the user types a filter, Home and End move in the filter
 * instead.
 */
function isMove(name: string, { typing }: ListState): boolean {
  if (["up", "down", "pageUp", "pageDown"].includes(name)) return true;
  return typing === "no" && (name === "home" || name === "end");
}

function entered(list: ListState, rows: readonly ListRow[]): ListPressed {
  if (list.digits !== "") {
    const index = indexOf(Number(list.digits), rows);
    return index === undefined ? stay({ ...list, digits: "" }) : { do: "choose", index };
  }
  const index = chosenIn(list, rows);
  return rows[index]?.number === undefined ? stay(list) : { do: "choose", index };
}

/**
 * Returns the index of the chosen row, taking into account that headings cannot be chosen and that the list may have
 * become shorter.
 */
export function chosenIn({ chosen }: ListState, rows: readonly ListRow[]): number {
  return onRow(Math.min(chosen, Math.max(0, rows.length - 1)), rows, "down");
}

/** Leaves the filter, and keeps the row that was chosen while filtering. */
function unfiltered(list: ListState, rows: readonly ListRow[]): ListPressed {
  return stay({ ...LIST_START, chosen: rows[chosenIn(list, rows)]?.unfiltered ?? 0 });
}

function pressFilter(list: ListState, key: KeyPress, rows: readonly ListRow[]): ListPressed {
  if (nameOf(key) === "escape") return unfiltered(list, rows);
  const filter = typeInto(list.filter, key);
  if (filter === undefined) return { do: "other" };
  const isSame = textIn(filter) === textIn(list.filter);
  return stay({ ...list, filter, chosen: isSame ? chosenIn(list, rows) : 0 });
}

function pressPlain(list: ListState, key: KeyPress, rows: readonly ListRow[]): ListPressed {
  const digit = digitOf(key);
  if (digit !== undefined) return pressDigit(list, `${list.digits}${digit}`, rows);
  const name = nameOf(key);
  if (typed(key) === "/") return stay({ ...list, typing: "filter", digits: "" });
  if (list.digits !== "" && name === "backspace") return stay({ ...list, digits: list.digits.slice(0, -1) });
  if (name === "escape" && list.digits !== "") return stay({ ...list, digits: "" });
  if (name === "escape" && filterOf(list) !== "") return unfiltered(list, rows);
  if (name === "escape" || typed(key) === "q") return { do: "leave" };
  return { do: "other" };
}

/** Applies a digit. Chooses a row as soon as no further digit could select a different one. */
function pressDigit(list: ListState, digits: string, rows: readonly ListRow[]): ListPressed {
  const number = Number(digits);
  const index = indexOf(number, rows);
  if (number === 0) return index === undefined ? { do: "leave" } : { do: "choose", index };
  const isOnly = rows.every((row) => row.number === undefined || row.number < number * 10);
  if (index === undefined) return stay(isOnly ? { ...list, digits: "" } : { ...list, digits });
  return isOnly ? { do: "choose", index } : stay({ ...list, digits, chosen: index });
}

function indexOf(number: number, rows: readonly ListRow[]): number | undefined {
  const index = rows.findIndex((row) => row.number === number);
  return index < 0 ? undefined : index;
}

/**
 * Returns the row's index. If the row is a heading, returns the next row in this direction or, at the end of the list,
 * in the other direction.
 */
function onRow(index: number, rows: readonly ListRow[], way: "up" | "down"): number {
  const step = way === "down" ? 1 : -1;
  for (let next = index; next >= 0 && next < rows.length; next += step) {
    if (rows[next]?.number !== undefined) return next;
  }
  for (let next = index; next >= 0 && next < rows.length; next -= step) {
    if (rows[next]?.number !== undefined) return next;
  }
  return Math.max(0, index);
}

function stay(list: ListState): ListPressed {
  return { do: "stay", list };
}

interface ListDrawing<Row extends ListRow> {
  readonly title: string;
  readonly rows: readonly Row[];
  /** Draws a row as plain text that is at most `width` columns wide. Only rows that are not chosen may be painted. */
  readonly row: (row: Row, at: { readonly width: number; readonly is: "chosen" | "not" }) => string;
  readonly heading?: (row: Row) => string;
  readonly empty: string;
  readonly keys: string;
  /** Additional lines below the title. */
  readonly head?: readonly string[];
}

export function drawList<Row extends ListRow>(
  list: ListState,
  drawing: ListDrawing<Row>,
  { width, rows: height, look }: Space & { readonly look: Look },
): string[] {
  const { rows, title } = drawing;
  const chosen = chosenIn(list, rows);
  const numbered = rows.findLast(({ number }) => number !== undefined)?.number;
  const body = (room: number): string[] => {
    if (rows.length === 0) return [look.paint.dim(cut(drawing.empty, width, look))];
    const first = firstShown(chosen, rows.length, room);
    return rows.slice(first, first + room).map((row, offset) => {
      if (row.number === undefined) return look.paint.dim(cut(drawing.heading?.(row) ?? "", width, look));
      const is = first + offset === chosen ? "chosen" : "not";
      return choosable(drawing.row(row, { width: rowRoom(width, look), is }), is, look);
    });
  };
  const where =
    numbered === undefined || rows.length < height ? "" : `${rows[chosen]?.number ?? 0}/${numbered}`;
  return framed(
    {
      title: between(cut(title, width, look), where, width),
      head: [...(drawing.head ?? []), ...inputLine(list, width, look)],
      body,
      keys: drawing.keys,
    },
    { width, rows: height },
    look,
  );
}

function inputLine(list: ListState, width: number, { paint, strings }: Look): string[] {
  if (list.digits !== "") {
    const then = cut(strings.terminal.dialogs.keys.digits, width - list.digits.length - 4);
    return [`${paint.accent("#")} ${list.digits}  ${paint.dim(then)}`];
  }
  if (list.typing === "filter") return [`${paint.accent("/")} ${drawField(list.filter, width - 2)}`];
  return filterOf(list) === "" ? [] : [paint.dim(cut(`/ ${filterOf(list)}`, width))];
}

/** One line of text that is being typed. `cursor` is the index of the grapheme after the cursor. */
export interface TextField {
  readonly graphemes: readonly string[];
  readonly cursor: number;
}

export function textField(text = ""): TextField {
  const graphemes = [...graphemesOf(flat(typable(text)))];
  return { graphemes, cursor: graphemes.length };
}

export function textIn(field: TextField): string {
  return field.graphemes.join("");
}

/** Applies a key. Returns undefined for a key that does nothing in a line of text. */
export function typeInto(field: TextField, key: KeyPress): TextField | undefined {
  const moved = movements[key.key]?.(field);
  if (moved !== undefined) return moved;
  return key.text === undefined || key.text === "" || isCommand(key) ? undefined : insert(field, key.text);
}

/** Draws the part of the text around the cursor that fits. "bullets" hides each grapheme of a secret. */
export function drawField(field: TextField, width: number, as: "text" | "bullets" = "text"): string {
  const shown = as === "text" ? field.graphemes : field.graphemes.map(() => "•");
  const room = Math.max(1, width - 1);
  let first = field.cursor;
  let used = 0;
  for (; first > 0; first -= 1) {
    const next = visibleWidth(shown[first - 1] ?? "");
    if (used + next > room) break;
    used += next;
  }
  let end = field.cursor;
  for (; end < shown.length; end += 1) {
    const next = visibleWidth(shown[end] ?? "");
    if (used + next > room) break;
    used += next;
  }
  return `${shown.slice(first, field.cursor).join("")}${CURSOR_MARKER}${shown.slice(field.cursor, end).join("")}`;
}

const movements: Readonly<Record<string, (field: TextField) => TextField>> = {
  left: (field) => at(field, field.cursor - 1),
  right: (field) => at(field, field.cursor + 1),
  home: (field) => at(field, 0),
  end: (field) => at(field, field.graphemes.length),
  "ctrl+a": (field) => at(field, 0),
  "ctrl+e": (field) => at(field, field.graphemes.length),
  backspace: (field) => without(field, field.cursor - 1, field.cursor),
  delete: (field) => without(field, field.cursor, field.cursor + 1),
  "ctrl+u": (field) => without(field, 0, field.cursor),
  "ctrl+k": (field) => without(field, field.cursor, field.graphemes.length),
  "ctrl+w": (field) => without(field, wordBefore(field), field.cursor),
};

function at(field: TextField, cursor: number): TextField {
  return { ...field, cursor: Math.max(0, Math.min(cursor, field.graphemes.length)) };
}

function without(field: TextField, from: number, to: number): TextField {
  const first = Math.max(0, from);
  return { graphemes: [...field.graphemes.slice(0, first), ...field.graphemes.slice(to)], cursor: first };
}

function wordBefore({ graphemes, cursor }: TextField): number {
  let start = cursor;
  while (start > 0 && graphemes[start - 1]?.trim() === "") start -= 1;
  while (start > 0 && graphemes[start - 1]?.trim() !== "") start -= 1;
  return start;
}

/**
 * Inserts text at the cursor. The whole text is split into graphemes again, because typed characters may combine with
 * their neighbors.
 */
function insert({ graphemes, cursor }: TextField, text: string): TextField {
  const before = graphemes.slice(0, cursor).join("") + flat(typable(text));
  const after = graphemes.slice(cursor).join("");
  const whole = [...graphemesOf(before + after)];
  let length = 0;
  let next = 0;
  while (next < whole.length && length < before.length) length += whole[next++]?.length ?? 0;
  return { graphemes: whole, cursor: next };
}

function isCommand({ key }: KeyPress): boolean {
  return (
    key.startsWith("ctrl+") || key.startsWith("alt+") || key === "enter" || key === "escape" || key === "tab"
  );
}

interface TextQuestionOptions {
  readonly title: string;
  readonly about?: readonly string[];
  readonly text?: string;
  /** "bullets" is for a key or a password, which must not be readable on the screen. */
  readonly shown?: "text" | "bullets";
  readonly keys: string;
}

/**
 * Creates a dialog that asks for one line of text. Empty text is a valid answer. Esc leaves the dialog without an
 * answer.
 */
export function textQuestion(options: TextQuestionOptions): Dialog<TextField, string> {
  return {
    start: textField(options.text),
    extent: "part",
    press: pressField,
    draw: (field, space, look) =>
      framed(
        {
          title: options.title,
          head: (options.about ?? [])
            .flatMap((line) => wrapped(line, space.width))
            .slice(0, Math.max(0, space.rows - 3)),
          body: () => [fieldLine(field, { width: space.width, shown: options.shown ?? "text" }, look)],
          keys: options.keys,
        },
        space,
        look,
      ),
  };
}

export function fieldLine(
  field: TextField,
  { width, shown = "text" }: { width: number; shown?: "text" | "bullets" },
  { glyphs, paint }: Look,
): string {
  const sign = `${glyphs.prompt} `;
  return `${paint.accent(sign)}${drawField(field, width - visibleWidth(sign), shown)}`;
}

function pressField(field: TextField, key: KeyPress): Pressed<TextField, string> {
  const name = nameOf(key);
  if (name === "escape") return { answer: undefined };
  if (name === "enter") return { answer: textIn(field).trim() };
  return { state: typeInto(field, key) ?? field };
}
