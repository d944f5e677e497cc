import { visibleWidth } from "@earendil-works/pi-tui";
import type { RedoRow } from "../../../app/journeys/journey-types.ts";
import type { Strings } from "../../../strings/strings.ts";
import type { Dialog } from "../dialog.ts";
import { ago } from "../pieces/ago.ts";
import { type Choice, choiceList } from "../pieces/choice-list.ts";
import { cut } from "../pieces/lines.ts";
import type { ListState } from "../pieces/list.ts";

/** However narrow the screen, something of the place is shown. */
const LEAST_PLACE = 12;

/** The places that undoing a journey returns to, newest first. */
export function redoList(strings: Strings, rows: readonly RedoRow[]): Dialog<ListState, Choice<RedoRow>> {
  const { redo, keys } = strings.terminal.dialogs;
  const { kinds, leftBy } = strings.journeys;
  return choiceList({
    title: redo.title,
    items: rows,
    words: ({ kind, place }) => `${kinds[kind]} ${place}`,
    row: ({ kind, place, to, at }, { width, look }) => {
      const left = ` (${leftBy(ago(at, look.now, look.strings), kinds[kind], to)})`;
      const room = Math.max(LEAST_PLACE, width - visibleWidth(left));
      return cut(`${cut(place, room, look)}${left}`, width, look);
    },
    empty: redo.none,
    keys: keys.list,
  });
}
