import type { RedoRow } from "../../../ports/station/journeys.ts";
import type { Strings } from "../../../strings/strings.ts";
import type { Dialog } from "../dialog.ts";
import { ago } from "../pieces/ago.ts";
import { type Choice, choiceList } from "../pieces/choice-list.ts";
import { cut } from "../pieces/lines.ts";
import type { ListState } from "../pieces/list.ts";

/** The journeys that can be undone, newest first. */
export function redoList(strings: Strings, rows: readonly RedoRow[]): Dialog<ListState, Choice<RedoRow>> {
  const { redo, keys } = strings.terminal.dialogs;
  const { kinds, to } = strings.journeys;
  const place = (row: RedoRow): string => (row.to === undefined ? "" : ` ${to(row.to)}`);
  return choiceList({
    title: redo.title,
    items: rows,
    words: (row) => `${kinds[row.kind]}${place(row)} ${row.text}`,
    row: (row, { width, look }) =>
      cut(
        `${kinds[row.kind]}${place(row)}  ${ago(row.at, look.now, look.strings)}  ${row.text}`,
        width,
        look,
      ),
    empty: redo.none,
    keys: keys.list,
  });
}
