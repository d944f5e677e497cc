import type { OllamaFound, ProviderRow } from "../../../ports/station/models.ts";
import type { Untrusted } from "../../../ports/station/upkeep.ts";
import { visibleName } from "../../../record/visible-text.ts";
import type { Strings } from "../../../strings/strings.ts";
import type { Dialog } from "../dialog.ts";
import { type MenuState, menu } from "../pieces/menu.ts";

const MOST_NAMED = 4;

/** Whether what a folder brings along, settings and servers, may count. */
export function trustQuestion(
  strings: Strings,
  { folder, what }: Untrusted,
): Dialog<MenuState, "trust" | "ignore"> {
  const { trust, keys } = strings.terminal.dialogs;
  return menu({
    title: trust.title(folder),
    about: [trust.about, ...what.map((one) => `  ${visibleName(one)}`)],
    rows: [
      { text: trust.no, description: trust.noMeans, answer: "ignore" },
      { text: trust.yes, description: trust.yesMeans, answer: "trust" },
    ],
    keys: keys.menu,
  });
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
