import { visibleWidth } from "@earendil-works/pi-tui";
import type { OllamaFound, ProviderRow } from "../../app/agent/models.ts";
import type { SettingRow, SettingSet, Untrusted } from "../../app/current/upkeep.ts";
import { visibleName } from "../../record/visible-text.ts";
import { sourceText } from "../../show/settings-text.ts";
import type { Strings } from "../../strings/strings.ts";
import { type Dialog, framed } from "../dialogs/dialog.ts";
import { type Choice, choiceList, type ListState } from "../dialogs/list.ts";
import { type MenuRow, type MenuState, menu, menuRows, pressMenu } from "../dialogs/menu.ts";
import { pager } from "../dialogs/pager.ts";
import { textQuestion } from "../dialogs/text-field.ts";
import { cut, padded, wrapped } from "../look/lines.ts";
import type { Look, Space } from "../look/look.ts";
import { type Desk, sayingErrors } from "./command-context.ts";

/** `/config`: choose a setting, change its value, and so on until the person leaves. */
export async function settingsFlow(desk: Desk): Promise<void> {
  await sayingErrors(desk, async () => {
    let chosen = 0;
    for (;;) {
      const rows = await desk.station.upkeep.settings();
      const choice = await desk.ask(settingsList(desk.strings, rows, chosen));
      if (choice === undefined) return;
      chosen = Math.max(0, rows.indexOf(choice.item));
      await sayingErrors(desk, () => change(desk, choice.item));
    }
  });
}

async function change(desk: Desk, { key, value, source, description }: SettingRow): Promise<void> {
  const { settings, keys } = desk.strings.terminal.dialogs;
  const wanted = await desk.ask(
    textQuestion({
      title: key,
      about: [description, settings.from(sourceText(source, desk.strings))],
      text: value,
      keys: keys.text,
    }),
  );
  if (wanted === undefined || wanted === value) return;
  sayChanged(desk, key, await desk.station.upkeep.set(key, wanted));
}

/** Says what was set, and whether it counts now. */
export function sayChanged(desk: Desk, key: string, { effect, value, source }: SettingSet): void {
  const { commands } = desk.strings.terminal;
  if (effect === "overridden")
    desk.say({
      tone: "warning",
      line: commands.settingOverridden(key, value, sourceText(source, desk.strings)),
    });
  else {
    const say = effect === "now" ? commands.settingSetNow : commands.settingSetLater;
    desk.say({ tone: "good", line: say(key, value) });
  }
}

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

/** Asks once whether what the folder brings along may count; nothing where there is nothing to trust. */
export async function trustFlow(desk: Desk): Promise<void> {
  const { trust } = desk.strings.terminal.dialogs;
  await sayingErrors(desk, async () => {
    for (;;) {
      const untrusted = await desk.station.upkeep.untrusted();
      if (untrusted === undefined || (await askTrust(desk, untrusted)) !== "trust") return;
      if ((await desk.station.upkeep.trust(untrusted)) === "done") break;
      // It is shown anew, as it is now.
      desk.say({ tone: "warning", line: trust.changed });
    }
    desk.say({ tone: "good", line: trust.trusted });
  });
}

async function askTrust(desk: Desk, untrusted: Untrusted): Promise<"trust" | "ignore" | undefined> {
  const { trust, keys } = desk.strings.terminal.dialogs;
  let read: "yes" | "no" = "no";
  for (;;) {
    const answer = await desk.ask(trustQuestion(desk.strings, untrusted, read));
    if (answer !== "view") return answer;
    const draw = (width: number) => trustLines(untrusted, width);
    const page = pager({ title: trust.title(untrusted.folder), draw, keys: keys.pager });
    if ((await desk.ask(page)) === "read") read = "yes";
  }
}

/** `/language [en|zh-CN]`. */
export async function languageFlow(desk: Desk, words: string): Promise<void> {
  await sayingErrors(desk, async () => {
    const typed = words.trim().toLowerCase();
    const named =
      typed.startsWith("zh") || typed === "中文" ? "zh-CN" : typed.startsWith("en") ? "en" : undefined;
    const language = named ?? (await desk.ask(languageMenu(desk.strings)));
    if (language !== undefined) await desk.setLanguage(language);
  });
}

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
