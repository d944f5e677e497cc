import { grantsOn } from "../../agent/agent-context.ts";
import type { AppExtras } from "../app.ts";
import type { SessionSwitcher } from "../current/session-switcher.ts";
import { byHand } from "../journeys/by-hand.ts";
import { changeSetting } from "../settings/change.ts";
import type { SettingValue } from "../settings/kinds.ts";
import { requireKey, requireValue } from "../settings/outside.ts";
import { loadSettings } from "../settings/settings.ts";
import { type SettingKey, settingOf } from "../settings/table.ts";
import { shownValue } from "../settings/value-text.ts";
import { clipboardImage } from "./clipboard-image.ts";
import { editExternally } from "./edit-externally.ts";
import { loadContext } from "./load-context.ts";
import { typedHistory } from "./typed-history.ts";
import { trustHere, untrustedHere } from "./untrusted-here.ts";
import type { SettingRow, Upkeep } from "./upkeep-types.ts";

/** The others are handed to the agent and to the stores when a session is opened. */
const READ_WHEN_USED: ReadonlySet<SettingKey> = new Set<SettingKey>([
  "language",
  "ui.theme",
  "ui.mouse",
  "ui.doubleEscapeMs",
  "backtrack.display",
  "rewind.confirmDeletes",
  "trash.days",
  "lock.waitMs",
]);

/** Settings, health, and whatever else the command line can say. */
export function upkeepOn(switcher: SessionSwitcher, extras: Pick<AppExtras, "ask">): Upkeep {
  const historyHere = () => typedHistory(switcher.here.context.home, switcher.here.agent.workspace);
  return {
    ask: async (words) => extras.ask(switcher.here, words),
    settings: async () => settingRows(switcher),
    set: async (name, text) => {
      const key = requireKey(name);
      await write(switcher, key, requireValue(key, text));
      const { explained } = await loadSettings(await switcher.here.context.settingsRequest());
      const setting = explained.find((each) => each.key === key);
      const isOverridden =
        setting !== undefined && setting.items === undefined && setting.source.layer !== "user";
      return {
        effect: isOverridden ? "overridden" : READ_WHEN_USED.has(key) ? "now" : "later",
        value: setting === undefined ? text : shownValue(setting.value),
        source: setting === undefined ? "" : switcher.here.words.source(setting.source),
      };
    },
    loadContext: async (path, progress) => {
      const { model } = switcher;
      const window = model.state === "ready" ? model.window : 0;
      return byHand(switcher, async () => loadContext(switcher.here, { path, window }, progress));
    },
    setLanguage: async (language) => {
      await write(switcher, "language", language);
      await switcher.refresh();
    },
    untrusted: async () => untrustedHere(switcher.here.context, switcher.here.host),
    trust: async (shown) => {
      const trusted = await trustHere(switcher.here.context, shown);
      if (trusted === "changed") return "changed";
      if (trusted === "nothing" || (await switcher.reopen()) === "reopened") return "done";
      await switcher.refresh();
      switcher.warn({ code: "trusted-later" });
      return "done";
    },
    history: async () => historyHere().read(),
    remember: async (typed) => {
      // Who keeps nothing of the session does not want what was typed in it kept either.
      if (switcher.here.opened.kept === "yes") await historyHere().add(typed);
    },
    clipboardImage: async () => clipboardImage(switcher.here.context.surroundings.environment),
    editExternally: async (text) => editExternally(switcher.here.context.surroundings, text),
    permissions: async () => {
      const { rules, opened } = switcher.here;
      const granted = [...new Set(await grantsOn(opened.session))];
      return { allow: rules.allow, ask: rules.ask, deny: rules.deny, granted };
    },
  };
}

async function write(switcher: SessionSwitcher, key: SettingKey, value: SettingValue): Promise<void> {
  const { context, agent } = switcher.here;
  await changeSetting({ home: context.home, workspace: agent.workspace, where: "user", key, value });
  await switcher.refresh();
}

async function settingRows(switcher: SessionSwitcher): Promise<readonly SettingRow[]> {
  const { context, words } = switcher.here;
  const { explained } = await loadSettings(await context.settingsRequest());
  return explained.map(({ key, value, source }) => ({
    key,
    value: shownValue(value),
    source: words.source(source),
    description: settingOf(key).description,
  }));
}
