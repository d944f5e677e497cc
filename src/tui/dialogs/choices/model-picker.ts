import type { ModelRow } from "../../../app/agent/models/model-types.ts";
import type { Strings } from "../../../strings/strings.ts";
import { shortCount } from "../../view/measures.ts";
import type { Dialog } from "../dialog.ts";
import { type Choice, choiceList } from "../pieces/choice-list.ts";
import { between, cut } from "../pieces/lines.ts";
import type { ListState } from "../pieces/list.ts";

/** Which model answers from the next prompt on. `s` has later sessions begin with it too. */
export function modelPicker(
  strings: Strings,
  rows: readonly ModelRow[],
): Dialog<ListState, Choice<ModelRow>> {
  const { models, keys } = strings.terminal.dialogs;
  return choiceList({
    title: models.title,
    items: rows,
    chosen: Math.max(
      0,
      rows.findIndex(({ isCurrent }) => isCurrent),
    ),
    words: ({ name }) => name,
    row: ({ name, window, state, isCurrent }, { width, look }) => {
      const mark = isCurrent ? ` ${models.current}` : "";
      const size = window === undefined ? "" : models.window(shortCount(window));
      return between(cut(`${name}${mark}`, width, look), state === "no-key" ? models.noKey : size, width);
    },
    empty: models.none,
    keys: keys.models,
    letters: ["s"],
  });
}
