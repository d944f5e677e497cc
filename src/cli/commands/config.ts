import { provideHome } from "../../app/places/home.ts";
import { changeSetting } from "../../app/settings/change.ts";
import { readValues } from "../../app/settings/files.ts";
import type { SettingValue } from "../../app/settings/kinds.ts";
import { isList, shownValue, valueText } from "../../app/settings/kinds.ts";
import type { ExplainedSetting } from "../../app/settings/layers.ts";
import { requireKey, requireValue } from "../../app/settings/layers.ts";
import {
  forgetTrust,
  type LoadedSettings,
  loadSettings,
  readTrust,
  readTrustSubject,
  recordWholeTrust,
  trustedPaths,
} from "../../app/settings/settings.ts";
import type { Source } from "../../app/settings/table.ts";
import { type SettingKey, settingOf, variableOf } from "../../app/settings/table.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import { sourceText } from "../../show/settings-text.ts";
import type { Strings } from "../../strings/strings.ts";
import { choice, defineCommand, flag, required } from "../command.ts";
import { wordingOf } from "../command-again.ts";
import type { Frame } from "../frame.ts";
import type { JsonDocument } from "../output.ts";

export const config = defineCommand({
  help: (help) => help.config,
  options: {
    explain: flag(),
  },
  subcommands: [
    {
      name: "get",
      summary: (help) => help.configGet.summary,
      load: async () => get,
    },
    {
      name: "set",
      summary: (help) => help.configSet.summary,
      load: async () => set,
    },
    {
      name: "trust",
      summary: (help) => help.configTrust.summary,
      load: async () => trust,
    },
    {
      name: "untrust",
      summary: (help) => help.configUntrust.summary,
      load: async () => untrust,
    },
  ],
  async run({ options, frame }) {
    const loaded = await frame.settings();
    if (options.explain) {
      frame.output.answer(explanationData(loaded, frame.strings), () => explanationText(loaded, frame));
      return;
    }
    const lines = loaded.explained.map(({ key, value }) => `${key} = ${shownValue(value)}`);
    frame.output.answer({ settings: loaded.values }, () => lines.join("\n"));
  },
});

export function explanationData(
  { explained, files, trust }: LoadedSettings,
  { settingDescriptions }: Strings,
): JsonDocument {
  const settings = explained.map((each) => ({
    ...each,
    default: settingOf(each.key).default,
    expected: settingOf(each.key).kind.expected,
    description: settingDescriptions[each.key],
    variable: variableOf(each.key),
  }));
  return { settings, files, trust };
}

export function explanationText({ explained, files, trust }: LoadedSettings, frame: Frame): string {
  const { config } = frame.strings;
  const widths = {
    key: Math.max(...explained.map(({ key }) => key.length)),
    // Lists and tables may be as long as they like; the other values are not aligned with the longest of them.
    value: Math.max(...explained.flatMap(({ value, items }) => (items ? [] : [shownValue(value).length]))),
  };
  const lines = explained.flatMap((each) => settingLines(each, widths, frame));
  const fileLines = files.map(({ layer, path, state }) =>
    config.file(config.layers[layer], path, config.fileStates[state]),
  );
  return [...lines, "", ...fileLines, config.trust(config.trustStates[trust])].join("\n");
}

interface Widths {
  readonly key: number;
  readonly value: number;
}

function settingLines(setting: ExplainedSetting, widths: Widths, { strings, output }: Frame): string[] {
  const { key, value, source, overrode, ignored } = setting;
  const { config } = strings;
  const ignoredText = settingOf(key).untrusted === "never" ? config.ignoredAlways : config.ignored;
  const { bold, dim } = output.style;
  const indent = " ".repeat(widths.key + widths.value + 4);
  const row = (name: string, shown: string, from: Source) =>
    `${name.padEnd(widths.key)}  ${bold(shown.padEnd(widths.value))}  ${dim(sourceText(from, strings))}`;
  const [first = row(key, shownValue(value), source), ...more] = (setting.items ?? []).map((each, index) =>
    row(index === 0 ? key : "", itemText(value, each.item), each.source),
  );
  return [
    first,
    ...more,
    ...overrode.map(
      (each) => indent + dim(config.overrode(shownValue(each.value), sourceText(each.source, strings))),
    ),
    ...ignored.map((each) => indent + ignoredText(shownValue(each.value), sourceText(each.source, strings))),
  ];
}

/** An item of a list is itself; a row of a table has its name before it. */
function itemText(value: SettingValue, item: string): string {
  if (typeof value !== "object" || isList(value)) return item;
  return `${item} ${JSON.stringify(value[item])}`;
}

export const get = defineCommand({
  arguments: { key: required() },
  help: (help) => help.configGet,
  async run({ arguments: { key: name }, frame }) {
    const key = requireKey(name);
    const { values } = await frame.settings();
    frame.output.answer({ key, value: values[key] }, () => valueText(values[key]));
  },
});

export const set = defineCommand({
  help: (help) => help.configSet,
  arguments: { key: required(), value: required() },
  options: {
    where: choice(["user", "workspace", "local"]),
  },
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
    // Layers that add up keep what was set here.
    if (setting.items !== undefined && !isIgnored) return;
    const source = sourceText(setting.source, frame.strings);
    frame.output.warn(
      isIgnored ? config.stillIgnored(key) : config.overriddenBy(key, shownValue(setting.value), source),
    );
  } catch (error) {
    // The change itself is done; that another file is broken must not make it look undone.
    if (!isWorldlineError(error, "SETTINGS_INVALID")) throw error;
    frame.output.warn(config.notChecked(wordingOf(frame).message(error)));
  }
}

export const trust = defineCommand({
  help: (help) => help.configTrust,
  async run({ frame }) {
    const { config } = frame.strings;
    const workspace = await frame.workspace();
    const subject = await readTrustSubject(frame.home, workspace);
    const files = trustedPaths(subject);
    // A file that cannot be read has not been seen, so it cannot be trusted either.
    for (const content of subject.files) readValues(content, content.layer);
    if (files.length === 0) {
      frame.output.answer({ workspace, trust: "nothing-to-trust", files }, () =>
        config.nothingToTrust(workspace),
      );
      return;
    }
    await provideHome(frame.home);
    await recordWholeTrust(subject);
    frame.output.answer({ workspace, trust: "trusted", files }, () =>
      config.trusted(workspace, files.join(", ")),
    );
  },
});

export const untrust = defineCommand({
  help: (help) => help.configUntrust,
  async run({ frame }) {
    if (frame.common.trust) throw new WorldlineError("trust-and-untrust", {});
    const { config } = frame.strings;
    const workspace = await frame.workspace();
    const { byWorkspace } = await readTrust(frame.home);
    if (!byWorkspace.has(workspace)) {
      frame.output.answer({ workspace, outcome: "unchanged" }, () => config.wasNotTrusted(workspace));
      return;
    }
    await forgetTrust({ home: frame.home, workspace });
    frame.output.answer({ workspace, outcome: "untrusted" }, () => config.untrusted(workspace));
  },
});
