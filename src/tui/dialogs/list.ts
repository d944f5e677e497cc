import { between, choosable, cut, rowRoom } from "../look/lines.ts";
import type { Look, Space } from "../look/look.ts";
import { digitOf, type KeyPress, nameOf, typed } from "../terminal/keys.ts";
import { type Dialog, firstShown, framed, type Pressed } from "./dialog.ts";
import { moved } from "./menu.ts";
import { drawField, type TextField, textField, textIn, typeInto } from "./text-field.ts";

/** What is the same in all long lists: which row is chosen, what is filtered by, which digits were typed. */
export interface ListState {
  readonly chosen: number;
  readonly filter: TextField;
  readonly typing: "filter" | "no";
  readonly digits: string;
}

/** A row of a long list. One without a number is a heading, and cannot be chosen. */
export interface ListRow {
  readonly number?: number;
  /** Where it stands when nothing is filtered. */
  readonly unfiltered?: number;
}

type ListPressed =
  | { readonly do: "stay"; readonly list: ListState }
  | { readonly do: "choose"; readonly index: number }
  | { readonly do: "leave" }
  /** The key means nothing to a list. */
  | { readonly do: "other" };

export const LIST_START: ListState = { chosen: 0, filter: textField(), typing: "no", digits: "" };
/** Title, filter and keys. */
const AROUND = 3;

/** Case does not matter; every word must be there, in any order. */
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

/** Home and End belong to the filter while one types into it. */
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

/** The row that is shown as chosen: a heading never is, and rows may have become fewer. */
export function chosenIn({ chosen }: ListState, rows: readonly ListRow[]): number {
  return onRow(Math.min(chosen, Math.max(0, rows.length - 1)), rows, "down");
}

/** Out of the filter, on the row that was chosen in it. */
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

/** Chooses at once where no further digit could make another row of it. */
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

/** The row itself, or where it is a heading the next one that way, or the other way at the end. */
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
  /** Plain text of at most `width` columns; with paint only where the row is not chosen. */
  readonly row: (row: Row, at: { readonly width: number; readonly is: "chosen" | "not" }) => string;
  readonly heading?: (row: Row) => string;
  readonly empty: string;
  readonly keys: string;
  /** More lines under the title. */
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

interface ChoiceListOptions<Item> {
  readonly title: string;
  readonly items: readonly Item[];
  readonly chosen?: number;
  /** What the filter looks at. */
  readonly words: (item: Item) => string;
  /** Plain text of at most `width` columns. */
  readonly row: (item: Item, at: { readonly width: number; readonly look: Look }) => string;
  readonly empty: string;
  readonly keys: string;
  /** Letters that answer for the chosen row, beside Enter. */
  readonly letters?: readonly string[];
}

export interface Choice<Item> {
  readonly item: Item;
  readonly by: string;
}

interface NumberedRow<Item> extends ListRow {
  readonly number: number;
  readonly item: Item;
}

/** A list that may be long: only what is seen of it is drawn, and it can be filtered. */
export function choiceList<Item>(options: ChoiceListOptions<Item>): Dialog<ListState, Choice<Item>> {
  const shown = (list: ListState): NumberedRow<Item>[] => {
    const filter = filterOf(list);
    return options.items
      .map((item, unfiltered) => ({ item, unfiltered }))
      .filter(({ item }) => filter === "" || matches(options.words(item), filter))
      .map((row, index) => ({ ...row, number: index + 1 }));
  };
  return {
    start: { ...LIST_START, chosen: options.chosen ?? 0 },
    extent: "part",
    press: (list, key, room) => {
      const rows = shown(list);
      const by = list.typing === "no" ? letterOf(key, options.letters) : undefined;
      if (by !== undefined) return chosen(list, rows[chosenIn(list, rows)], by);
      const pressed = pressList(list, key, { rows, space: room });
      if (pressed.do === "stay") return { state: pressed.list };
      if (pressed.do === "leave") return { answer: undefined };
      return chosen(list, pressed.do === "choose" ? rows[pressed.index] : undefined, "enter");
    },
    draw: (list, space, look) => {
      const rows = shown(list);
      const digits = String(rows.length).length;
      const row = ({ item, number }: NumberedRow<Item>, { width }: { width: number }) =>
        `${String(number).padStart(digits)} ${options.row(item, { width: width - digits - 1, look })}`;
      return drawList(list, { ...options, rows, row }, { ...space, look });
    },
  };
}

function chosen<Item>(
  list: ListState,
  row: NumberedRow<Item> | undefined,
  by: string,
): Pressed<ListState, Choice<Item>> {
  return row === undefined ? { state: list } : { answer: { item: row.item, by } };
}

function letterOf(key: KeyPress, letters: readonly string[] = []): string | undefined {
  const letter = typed(key);
  return letter !== undefined && letters.includes(letter) ? letter : undefined;
}
