import { visibleWidth } from "@earendil-works/pi-tui";
import type { SettingRow } from "../../../app/upkeep/upkeep-types.ts";
import type { Strings } from "../../../strings/strings.ts";
import { padded } from "../../look/clip.ts";
import type { Dialog } from "../dialog.ts";
import { type Choice, choiceList } from "../pieces/choice-list.ts";
import { cut } from "../pieces/lines.ts";
import type { ListState } from "../pieces/list.ts";

const KEY_SHARE = 0.5;

/** All settings, to choose the one that is to be changed. */
export function settingsList(
  strings: Strings,
  rows: readonly SettingRow[],
  chosen = 0,
): Dialog<ListState, Choice<SettingRow>> {
  const { settings, keys } = strings.terminal.dialogs;
  const widest = rows.reduce((most, { key }) => Math.max(most, visibleWidth(key)), 0);
  const list = choiceList<SettingRow>({
    title: settings.title,
    items: rows,
    chosen,
    words: ({ key, value, description }) => `${key} ${value} ${description}`,
    row: ({ key, value, source }, { width, look }) => {
      const column = Math.min(widest, Math.floor(width * KEY_SHARE));
      return cut(`${padded(cut(key, column, look), column)}  ${value}  (${source})`, width, look);
    },
    empty: settings.none,
    keys: keys.list,
  });
  return { ...list, extent: "full" };
}
