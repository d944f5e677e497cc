import { changeSetting, type SettingEffect } from "../../app/settings/change.ts";
import type { SettingValue } from "../../app/settings/kinds.ts";
import { isList, shownValue, valueText } from "../../app/settings/kinds.ts";
import type { ExplainedSetting } from "../../app/settings/layers.ts";
import { requireKey, requireValue } from "../../app/settings/layers.ts";
import type { LoadedSettings } from "../../app/settings/settings.ts";
import type { Source } from "../../app/settings/table.ts";
import { type SettingKey, settingOf, variableOf } from "../../app/settings/table.ts";
import { trustWorkspace, untrustWorkspace } from "../../app/settings/trust.ts";
import { WorldlineError } from "../../record/error.ts";
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
    // Lists and tables may be long, so the column is only as wide as the longest other value.
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

/** For a list, the item itself; for a table, the row's name and value. */
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
    const { file, outcome, effect } = await changeSetting(frame, { where, key, value });
    const { config } = frame.strings;
    const say = outcome === "written" ? config.written : config.alreadySet;
    frame.output.answer({ key, value, file, outcome }, () => say(key, shownValue(value), file));
    const warning = ineffectiveText(key, effect, frame);
    if (warning !== undefined) frame.output.warn(warning);
  },
});

/** Without this message, a change that a layer with higher precedence overrides would look as if it had failed. */
function ineffectiveText(key: SettingKey, effect: SettingEffect, frame: Frame): string | undefined {
  const { strings } = frame;
  const { config } = strings;
  switch (effect.state) {
    case "counts":
      return undefined;
    case "ignored":
      return config.stillIgnored(key);
    case "overridden":
      return config.overriddenBy(key, shownValue(effect.value), sourceText(effect.source, strings));
    case "unknown":
      return config.notChecked(wordingOf(frame).message(effect.problem));
    default:
      return effect satisfies never;
  }
}

export const trust = defineCommand({
  help: (help) => help.configTrust,
  async run({ frame }) {
    const { config } = frame.strings;
    const workspace = await frame.workspace();
    const { outcome, files } = await trustWorkspace(frame);
    frame.output.answer({ workspace, trust: outcome, files }, () =>
      outcome === "trusted" ? config.trusted(workspace, files.join(", ")) : config.nothingToTrust(workspace),
    );
  },
});

export const untrust = defineCommand({
  help: (help) => help.configUntrust,
  async run({ frame }) {
    if (frame.common.trust) throw new WorldlineError("trust-and-untrust", {});
    const { config } = frame.strings;
    const workspace = await frame.workspace();
    const outcome = await untrustWorkspace(frame);
    const say = outcome === "untrusted" ? config.untrusted : config.wasNotTrusted;
    frame.output.answer({ workspace, outcome }, () => say(workspace));
  },
});
