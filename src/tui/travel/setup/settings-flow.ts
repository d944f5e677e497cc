import type { SettingRow, SettingSet } from "../../../app/upkeep/upkeep-types.ts";
import type { Desk } from "../../commands/desk.ts";
import { settingsList } from "../../dialogs/choices/settings-list.ts";
import { textQuestion } from "../../dialogs/pieces/text-question.ts";
import { sayingErrors } from "../saying-errors.ts";

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
    textQuestion({ title: key, about: [description, settings.from(source)], text: value, keys: keys.text }),
  );
  if (wanted === undefined || wanted === value) return;
  sayChanged(desk, key, await desk.station.upkeep.set(key, wanted));
}

/** Says what was set, and whether it counts now. */
export function sayChanged(desk: Desk, key: string, { effect, value, source }: SettingSet): void {
  const { commands } = desk.strings.terminal;
  if (effect === "overridden")
    desk.say({ tone: "warning", line: commands.settingOverridden(key, value, source) });
  else {
    const say = effect === "now" ? commands.settingSetNow : commands.settingSetLater;
    desk.say({ tone: "good", line: say(key, value) });
  }
}
