import { changeSetting } from "../../../app/settings/change.ts";
import { requireKey, requireValue } from "../../../app/settings/outside.ts";
import { loadSettings } from "../../../app/settings/settings.ts";
import type { SettingKey } from "../../../app/settings/table.ts";
import { shownValue } from "../../../app/settings/value-text.ts";
import { isWorldlineError } from "../../../record/error.ts";
import { sourceText } from "../../../show/app-words.ts";
import { defineCommand } from "../../command/command.ts";
import type { Frame } from "../../command/frame.ts";
import { choice, required } from "../../command/parameters.ts";

export const set = defineCommand({
  description:
    "Writes one setting to a file, and keeps the file's comments. Nothing is written that would not be valid.",
  arguments: { key: required("the setting's name, such as lock.waitMs"), value: required("its value") },
  options: {
    where: choice(
      ["user", "workspace", "local"],
      "yours everywhere, everybody's in this workspace, or yours in this workspace (default: user)",
    ),
  },
  examples: [
    { command: "worldline config set trash.days 90", meaning: "in ~/.worldline/settings.json" },
    {
      command: "worldline config set checkpointKeepCount 50 --where workspace",
      meaning: "in .worldline/settings.json, to be shared with the others who work here",
    },
  ],
  async run({ arguments: given, options: { where = "user" }, frame }) {
    const key = requireKey(given.key);
    const value = requireValue(key, given.value);
    const workspace = await frame.workspace();
    const { file, outcome } = await changeSetting({ home: frame.home, workspace, where, key, value });
    const { config } = frame.strings;
    const say = outcome === "written" ? config.written : config.alreadySet;
    frame.output.answer({ key, value, file, outcome }, () => say(key, shownValue(value), file));
    await warnWhenIneffective(key, where, frame);
  },
});

/** A change that a stronger layer hides would look as if it had not worked. */
async function warnWhenIneffective(key: SettingKey, where: string, frame: Frame): Promise<void> {
  const { config } = frame.strings;
  try {
    const { explained } = await loadSettings(await frame.settingsRequest());
    const setting = explained.find((each) => each.key === key);
    if (setting === undefined || setting.source.layer === where) return;
    const isIgnored = setting.ignored.some((each) => each.source.layer === where);
    // What layers add up to has what was set in it, whoever adds more.
    if (setting.items !== undefined && !isIgnored) return;
    const source = sourceText(setting.source, frame.strings);
    frame.output.warn(
      isIgnored ? config.stillIgnored(key) : config.overriddenBy(key, shownValue(setting.value), source),
    );
  } catch (error) {
    // The change itself is done; that another file is broken must not make it look undone.
    if (!isWorldlineError(error, "SETTINGS_INVALID")) throw error;
    frame.output.warn(config.notChecked(error.message));
  }
}
