import { grantsOn } from "../../../agent/grants.ts";
import type { SettingRow, Upkeep } from "../../../ports/station/upkeep.ts";
import { stringsFor } from "../../../strings/strings.ts";
import { sourceText } from "../../commands/config/explanation.ts";
import { changeSetting } from "../../settings/change.ts";
import type { SettingValue } from "../../settings/kinds.ts";
import { requireKey, requireValue } from "../../settings/outside.ts";
import { loadSettings } from "../../settings/settings.ts";
import { settingOf, type SettingKey } from "../../settings/table.ts";
import { shownValue } from "../../settings/value-text.ts";
import type { Seat } from "../here/seat.ts";
import { byHand } from "../journeys/by-hand.ts";
import { askCommand } from "./ask-command.ts";
import { clipboardImage } from "./clipboard-image.ts";
import { editExternally } from "./edit-externally.ts";
import { loadContext } from "./load-context.ts";
import { typedHistory } from "./typed-history.ts";
import { trustHere, untrustedHere } from "./untrusted-here.ts";

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
export function stationUpkeep(seat: Seat): Upkeep {
  const historyHere = () => typedHistory(seat.here.frame.home, seat.here.agent.workspace);
  return {
    ask: async (words) => askCommand(seat.here, words),
    settings: async () => settingRows(seat),
    set: async (name, text) => {
      const key = requireKey(name);
      await write(seat, key, requireValue(key, text));
      const { explained } = await loadSettings(await seat.here.frame.settingsRequest());
      const setting = explained.find((each) => each.key === key);
      const strings = seat.here.frame.strings;
      const isOverridden =
        setting !== undefined && setting.items === undefined && setting.source.layer !== "user";
      return {
        effect: isOverridden ? "overridden" : READ_WHEN_USED.has(key) ? "now" : "later",
        value: setting === undefined ? text : shownValue(setting.value),
        source: setting === undefined ? "" : sourceText(setting.source, strings),
      };
    },
    loadContext: async (path, progress) => {
      const { model } = seat;
      const window = model.state === "ready" ? model.window : 0;
      return byHand(seat, async () => loadContext(seat.here, { path, window }, progress));
    },
    setLanguage: async (language) => {
      await write(seat, "language", language);
      await seat.refresh(await stringsFor(language));
    },
    untrusted: async () => untrustedHere(seat.here.frame, seat.here.host),
    trust: async (shown) => {
      const trusted = await trustHere(seat.here.frame, shown);
      if (trusted === "changed") return "changed";
      if (trusted === "nothing" || (await seat.reopen()) === "reopened") return "done";
      await seat.refresh();
      seat.warn({ message: seat.here.frame.strings.terminal.station.trustedLater });
      return "done";
    },
    history: async () => historyHere().read(),
    remember: async (typed) => {
      // Who keeps nothing of the session does not want what was typed in it kept either.
      if (seat.here.opened.kept === "yes") await historyHere().add(typed);
    },
    clipboardImage: async () => clipboardImage(seat.here.frame.surroundings.environment),
    editExternally: async (text) => editExternally(seat.here.frame.surroundings, text),
    permissions: async () => {
      const { rules, opened } = seat.here;
      const granted = [...new Set(await grantsOn(opened.session))];
      return { allow: rules.allow, ask: rules.ask, deny: rules.deny, granted };
    },
  };
}

async function write(seat: Seat, key: SettingKey, value: SettingValue): Promise<void> {
  const { frame, agent } = seat.here;
  await changeSetting({ home: frame.home, workspace: agent.workspace, where: "user", key, value });
  await seat.refresh();
}

async function settingRows(seat: Seat): Promise<readonly SettingRow[]> {
  const { frame } = seat.here;
  const { explained } = await loadSettings(await frame.settingsRequest());
  return explained.map(({ key, value, source }) => ({
    key,
    value: shownValue(value),
    source: sourceText(source, frame.strings),
    description: settingOf(key).description,
  }));
}
