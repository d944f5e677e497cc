import type { Source } from "../../../app/settings/given.ts";
import type { SettingValue } from "../../../app/settings/kinds.ts";
import type { ExplainedSetting } from "../../../app/settings/layers.ts";
import type { LoadedSettings } from "../../../app/settings/settings.ts";
import { settingOf, variableOf } from "../../../app/settings/table.ts";
import { isList, shownValue } from "../../../app/settings/value-text.ts";
import { sourceText } from "../../../show/app-words.ts";
import type { Frame } from "../../command/frame.ts";
import type { JsonDocument } from "../../output/output.ts";

export function explanationData({ explained, files, trust }: LoadedSettings): JsonDocument {
  const settings = explained.map((each) => ({
    ...each,
    default: settingOf(each.key).default,
    expected: settingOf(each.key).kind.expected,
    description: settingOf(each.key).description,
    variable: variableOf(each.key),
  }));
  return { settings, files, trust };
}

export function explanationText({ explained, files, trust }: LoadedSettings, frame: Frame): string {
  const { config } = frame.strings;
  const widths = {
    key: Math.max(...explained.map(({ key }) => key.length)),
    // Lists and tables may be as long as they like; the other values need not stand behind the longest of them.
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
