import type { TreeRow } from "../../../app/queries/query-types.ts";
import type { Strings } from "../../../strings/strings.ts";
import type { KeyPress } from "../../view/key-press.ts";
import type { Dialog, Pressed, Room } from "../dialog.ts";
import { nameOf, typed } from "../pieces/keys.ts";
import {
  chosenIn,
  drawList,
  filterOf,
  LIST_START,
  type ListRow,
  type ListState,
  matches,
  pressList,
} from "../pieces/list.ts";
import { treeLine, treeText } from "./tree-rows.ts";

export interface TreeAnswer {
  readonly do: "look" | "go" | "fork" | "label";
  readonly row: TreeRow;
  /** To open it again as it was left. */
  readonly list: ListState;
}

interface ShownRow extends ListRow {
  readonly number: number;
  readonly row: TreeRow;
  readonly unfiltered: number;
}

const LETTERS: Readonly<Record<string, TreeAnswer["do"]>> = { g: "go", r: "go", f: "fork", l: "label" };

/** The whole tree of the session, branches that were left included. */
export function treeList(
  strings: Strings,
  rows: readonly TreeRow[],
  again?: { readonly list: ListState; readonly said?: string },
): Dialog<ListState, TreeAnswer> {
  const { tree, keys } = strings.terminal.dialogs;
  const all = rows.map((row, index): ShownRow => ({ row, unfiltered: index, number: index + 1 }));
  const shown = (list: ListState): readonly ShownRow[] => {
    const filter = filterOf(list);
    if (filter === "") return all;
    return all
      .filter(({ row }) =>
        matches(
          `${row.number === undefined ? "" : `#${row.number}`} ${row.label ?? ""} ${treeText(row, strings)}`,
          filter,
        ),
      )
      .map((one, index) => ({ ...one, number: index + 1 }));
  };
  const head = rows.findIndex(({ isHead }) => isHead);
  return {
    start: again?.list ?? { ...LIST_START, chosen: Math.max(0, head) },
    extent: "full",
    press: (list, key, room) => pressTree(list, key, { room, rows: shown(list) }),
    draw: (list, space, look) =>
      drawList(
        list,
        {
          title: again?.said ?? tree.title,
          rows: shown(list),
          row: ({ row }, at) => treeLine(row, at, look),
          empty: tree.none,
          keys: list.typing === "filter" ? keys.treeFilter : keys.tree,
        },
        { ...space, look },
      ),
  };
}

function pressTree(
  list: ListState,
  key: KeyPress,
  { room, rows }: { room: Room; rows: readonly ShownRow[] },
): Pressed<ListState, TreeAnswer> {
  // What was found stays, and the letters act on it again.
  if (list.typing === "filter" && nameOf(key) === "enter") return { state: { ...list, typing: "no" } };
  const pressed = pressList(list, key, { rows, space: room });
  const at = pressed.do === "choose" ? pressed.index : chosenIn(list, rows);
  const chosen = rows[at];
  const act = pressed.do === "choose" ? "look" : wantedBy(key, list);
  if (act !== undefined && chosen !== undefined) {
    return { answer: { do: act, row: chosen.row, list: { ...list, digits: "", chosen: at } } };
  }
  if (pressed.do === "leave") return { answer: undefined };
  return { state: pressed.do === "stay" ? pressed.list : list };
}

function wantedBy(key: KeyPress, { typing }: ListState): TreeAnswer["do"] | undefined {
  if (typing === "filter") return undefined;
  if (nameOf(key) === "right") return "look";
  const letter = typed(key);
  return letter === undefined ? undefined : LETTERS[letter];
}
