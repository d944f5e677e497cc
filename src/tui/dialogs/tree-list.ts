import { visibleWidth } from "@earendil-works/pi-tui";
import type { TreeRow } from "../../app/queries/query-types.ts";
import { visibleName } from "../../record/visible-text.ts";
import type { Strings } from "../../strings/strings.ts";
import type { Look } from "../look/look.ts";
import { clockTime, cut } from "../look/text.ts";
import { type KeyPress, nameOf, typed } from "../terminal/keys.ts";
import type { Dialog, Pressed, Room } from "./dialog.ts";
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

export interface TreeAnswer {
  readonly do: "look" | "go" | "fork" | "label";
  readonly row: TreeRow;
  /** The state of the list when the user left the tree, so that it can be opened again in the same place. */
  readonly list: ListState;
}

interface ShownRow extends ListRow {
  readonly number: number;
  readonly row: TreeRow;
  readonly unfiltered: number;
}

const LETTERS: Readonly<Record<string, TreeAnswer["do"]>> = { g: "go", r: "go", f: "fork", l: "label" };

/** Creates a list of the session's whole tree, including other branches. */
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
  // The filter stays in effect, and letters are commands for the rows again.
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

const MIN_TEXT = 12;

/**
 * Draws a row. No matter how deeply a branch is nested, part of its text is shown, because the rails are shortened
 * first.
 */
function treeLine(row: TreeRow, { width, is }: { width: number; is: "chosen" | "not" }, look: Look): string {
  const { glyphs, strings, paint } = look;
  const rails =
    `${glyphs.vertical} `.repeat(row.rails.length) +
    (row.hang === "along" ? "" : `${glyphs.tee}${glyphs.horizontal}`);
  const most = Math.max(0, width - MIN_TEXT);
  const hung =
    rails.length <= most ? rails : `${glyphs.ellipsis} ${rails.slice(rails.length - Math.max(0, most - 2))}`;
  const sign = row.branch === "here" ? glyphs.bullet : glyphs.open;
  const number = row.number === undefined ? "" : `#${row.number} `;
  const label = row.label === undefined ? "" : `[${visibleName(row.label)}] `;
  const head = row.isHead ? ` ${glyphs.back} ${strings.terminal.dialogs.tree.head}` : "";
  const line = `${hung}${sign} ${number}${label}`;
  const room = Math.max(1, width - visibleWidth(line) - visibleWidth(head));
  const text = cut(`${line}${cut(treeText(row, strings), room, look)}${head}`, width, look);
  return is === "not" && row.branch === "left" ? paint.dim(text) : text;
}

/**
 * Returns the text of a row in the same words as in the conversation. The first row of another branch says that a
 * branch begins there.
 */
export function treeText(row: TreeRow, strings: Strings): string {
  const { checkpoints } = strings.terminal.dialogs;
  const begins = row.branch === "left" && row.hang !== "along" && row.what.kind !== "end";
  const own = ownText(row, strings);
  return begins ? `${own} ${checkpoints.left}` : own;
}

function ownText({ what, at }: TreeRow, strings: Strings): string {
  const { transcript, dialogs } = strings.terminal;
  switch (what.kind) {
    case "beginning":
      return dialogs.tree.beginning;
    case "prompt":
      return what.text === "" ? dialogs.tree.wordless : what.text;
    case "command":
      return what.text;
    case "checkpoint":
      return strings.checkpoints.atTime(clockTime(at));
    case "step":
      return dialogs.checkpoints.step(clockTime(at));
    case "rewind":
      return transcript.rewound(what.scope, what.to);
    case "redo":
      return transcript.redone(what.scope);
    case "backtrack":
      return `${transcript.card.title(what.to)} · ${what.note}`;
    case "compaction":
      return transcript.compacted(what.reason, what.before, what.after);
    case "end":
      return dialogs.tree.end(what.by, what.to, what.entries);
    default:
      return what satisfies never;
  }
}
