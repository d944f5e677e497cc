import type { OllamaFound, ProviderRow } from "../../../app/agent/models/model-types.ts";
import type { Untrusted } from "../../../app/upkeep/upkeep-types.ts";
import { visibleName } from "../../../record/visible-text.ts";
import type { Strings } from "../../../strings/strings.ts";
import type { Look, Space } from "../../look/look.ts";
import type { Dialog } from "../dialog.ts";
import { framed } from "../pieces/frame.ts";
import { cut, wrapped } from "../pieces/lines.ts";
import { type MenuRow, type MenuState, menu, menuRows, pressMenu } from "../pieces/menu.ts";

const MOST_NAMED = 4;
/** Title, two rows with their descriptions, and the keys. */
const AROUND_TRUST = 8;

/** What a folder brings along, each line of it to its end. */
export function trustLines({ what }: Pick<Untrusted, "what">, width: number): readonly string[] {
  return what.flatMap((one) => wrapped(visibleName(one), Math.max(1, width - 2)).map((line) => `  ${line}`));
}

/**
 * Whether what a folder brings along, settings and servers, may count. Where the screen has no room for all of it, it can be
 * trusted only after it was read to its end.
 */
export function trustQuestion(
  strings: Strings,
  untrusted: Pick<Untrusted, "folder" | "what">,
  read: "yes" | "no" = "no",
): Dialog<MenuState, "trust" | "ignore" | "view"> {
  const { trust, keys, moreLines } = strings.terminal.dialogs;
  const layOut = ({ width, rows }: Space, look: Look) => {
    const lines = [...wrapped(trust.about, width), ...trustLines(untrusted, width)];
    const most = Math.max(0, rows - AROUND_TRUST);
    const isWhole = lines.length <= most;
    const more = look.paint.dim(cut(`${moreLines(lines.length - most + 1)}: Ctrl+E`, width, look));
    const choices: MenuRow<"trust" | "ignore" | "view">[] = [
      { text: trust.no, description: trust.noMeans, answer: "ignore" },
      isWhole || read === "yes"
        ? { text: trust.yes, description: trust.yesMeans, answer: "trust" }
        : { text: trust.unread, description: "", answer: "view" },
    ];
    return {
      choices,
      head: isWhole ? lines : [...lines.slice(0, Math.max(0, most - 1)), more].slice(0, most),
    };
  };
  return {
    start: { chosen: 0 },
    extent: "part",
    press: (state, key, room) =>
      key.key === "ctrl+e" ? { answer: "view" } : pressMenu(state, key, layOut(room, room.look).choices),
    draw: (state, space, look) => {
      const { choices, head } = layOut(space, look);
      const body = (height: number): readonly string[] =>
        menuRows({ rows: choices, chosen: state.chosen, height }, space.width, look);
      const title = visibleName(trust.title(untrusted.folder));
      return framed({ title, head, body, keys: keys.menu }, space, look);
    },
  };
}

/** In its own name each: who cannot read this one finds theirs. */
export function languageMenu(strings: Strings): Dialog<MenuState, "en" | "zh-CN"> {
  const { language, keys } = strings.terminal.dialogs;
  return menu({
    title: language.title,
    rows: [
      { text: "English", answer: "en" },
      { text: "简体中文", answer: "zh-CN" },
    ],
    chosen: language.own,
    keys: keys.menu,
  });
}

export function ollamaQuestion(
  strings: Strings,
  { models }: OllamaFound,
): Dialog<MenuState, "use" | "other"> {
  const { connect, keys } = strings.terminal.dialogs;
  const named = models.slice(0, MOST_NAMED).join(", ");
  return menu({
    title: connect.ollamaFound,
    about: [connect.ollamaModels(named, models.length - MOST_NAMED)],
    rows: [
      { text: connect.useOllama, answer: "use" },
      { text: connect.useOther, answer: "other" },
    ],
    keys: keys.menu,
  });
}

export function providerMenu(
  strings: Strings,
  providers: readonly ProviderRow[],
): Dialog<MenuState, ProviderRow> {
  const { connect, keys } = strings.terminal.dialogs;
  return menu({
    title: connect.title,
    rows: providers.map((row) => ({
      text: row.provider,
      description: row.state === "key" ? connect.hasKey(row.keyVariable) : connect.wantsKey(row.keyVariable),
      answer: row,
    })),
    keys: keys.menu,
  });
}
