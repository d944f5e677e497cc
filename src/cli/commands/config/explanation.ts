import type { Strings } from "../../../strings/strings.ts";
import type { Frame } from "../../command/frame.ts";
import type { JsonDocument } from "../../output/output.ts";
import type { Source } from "../../settings/given.ts";
import type { ExplainedSetting } from "../../settings/layers.ts";
import type { LoadedSettings } from "../../settings/settings.ts";
import { settingOf, variableOf } from "../../settings/table.ts";

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
    value: Math.max(...explained.map(({ value }) => String(value).length)),
  };
  const lines = explained.flatMap((each) => settingLines(each, widths, frame));
  const fileLines = files.map(({ layer, path, state }) =>
    config.file(config.layers[layer], path, config.fileStates[state]),
  );
  return [...lines, "", ...fileLines, config.trust(config.trustStates[trust])].join("\n");
}

export function sourceText(source: Source, { config }: Strings): string {
  if ("file" in source) return `${source.file}:${source.line}`;
  if (source.layer === "environment") return config.fromEnvironment(source.variable);
  return source.layer === "flag" ? config.fromFlag : config.fromDefault;
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
  return [
    `${key.padEnd(widths.key)}  ${bold(String(value).padEnd(widths.value))}  ${dim(sourceText(source, strings))}`,
    ...overrode.map(
      (each) => indent + dim(config.overrode(String(each.value), sourceText(each.source, strings))),
    ),
    ...ignored.map((each) => indent + ignoredText(String(each.value), sourceText(each.source, strings))),
  ];
}
