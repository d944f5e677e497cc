import type { Look } from "../look/look.ts";
import { type KeyPress, typed } from "../terminal/keys.ts";
import type { Dialog, Pressed } from "./dialog.ts";
import {
  chosenIn,
  drawList,
  filterOf,
  LIST_START,
  type ListRow,
  type ListState,
  matches,
  pressList,
} from "./list.ts";

interface ChoiceListOptions<Item> {
  readonly title: string;
  readonly items: readonly Item[];
  readonly chosen?: number;
  /** Returns the text that the filter searches. */
  readonly words: (item: Item) => string;
  /** Draws an item as plain text that is at most `width` columns wide. */
  readonly row: (item: Item, at: { readonly width: number; readonly look: Look }) => string;
  readonly empty: string;
  readonly keys: string;
  /** Letters that choose the current row, as Enter does. */
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

/** Creates a list that may be long. Only its visible part is drawn, and it can be filtered. */
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
