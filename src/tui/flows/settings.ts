import { visibleWidth } from "@earendil-works/pi-tui";
import type { SettingRow, SettingSet } from "../../app/current/upkeep.ts";
import { sourceText } from "../../show/settings-text.ts";
import type { Strings } from "../../strings/strings.ts";
import { type Choice, choiceList } from "../dialogs/choice-list.ts";
import { type Dialog, type MenuState, menu } from "../dialogs/dialog.ts";
import { type ListState, textQuestion } from "../dialogs/list.ts";
import { cut, padded } from "../look/text.ts";
import { type CommandContext, withErrorsShown } from "./command-context.ts";

/** Runs `/config`. Users can change one setting after another until they leave the list. */
export async function settingsFlow(context: CommandContext): Promise<void> {
  await withErrorsShown(context, async () => {
    let chosen = 0;
    for (;;) {
      const rows = await context.app.upkeep.settings();
      const choice = await context.ask(settingsList(context.strings, rows, chosen));
      if (choice === undefined) return;
      chosen = Math.max(0, rows.indexOf(choice.item));
      await withErrorsShown(context, () => change(context, choice.item));
    }
  });
}

async function change(context: CommandContext, { key, value, source }: SettingRow): Promise<void> {
  const { settingDescriptions, terminal } = context.strings;
  const { settings, keys } = terminal.dialogs;
  const wanted = await context.ask(
    textQuestion({
      title: key,
      about: [settingDescriptions[key], settings.from(sourceText(source, context.strings))],
      text: value,
      keys: keys.text,
    }),
  );
  if (wanted === undefined || wanted === value) return;
  showSettingChange(context, key, await context.app.upkeep.set(key, wanted));
}

/** Reports the new value, and whether it is in effect now. */
export function showSettingChange(
  context: CommandContext,
  key: string,
  { effect, value, source }: SettingSet,
): void {
  const { commands } = context.strings.terminal;
  if (effect === "overridden")
    context.say({
      tone: "warning",
      line: commands.settingOverridden(key, value, sourceText(source, context.strings)),
    });
  else {
    const say = effect === "now" ? commands.settingSetNow : commands.settingSetLater;
    context.say({ tone: "good", line: say(key, value) });
  }
}

const KEY_SHARE = 0.5;

/** Creates a list of all settings, where the user chooses the one to change. */
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
    words: ({ key, value }) => `${key} ${value} ${strings.settingDescriptions[key]}`,
    row: ({ key, value, source }, { width, look }) => {
      const column = Math.min(widest, Math.floor(width * KEY_SHARE));
      return cut(
        `${padded(cut(key, column, look), column)}  ${value}  (${sourceText(source, strings)})`,
        width,
        look,
      );
    },
    empty: settings.none,
    keys: keys.list,
  });
  return { ...list, extent: "full" };
}

/** Runs `/language [en|zh-CN]`. */
export async function languageFlow(context: CommandContext, words: string): Promise<void> {
  await withErrorsShown(context, async () => {
    const typed = words.trim().toLowerCase();
    const named =
      typed.startsWith("zh") || typed === "中文" ? "zh-CN" : typed.startsWith("en") ? "en" : undefined;
    const language = named ?? (await context.ask(languageMenu(context.strings)));
    if (language !== undefined) await context.setLanguage(language);
  });
}

/**
 * Creates the menu of languages. Each language is listed by its own name, so that users can find theirs on a screen
 * that they cannot read.
 */
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
