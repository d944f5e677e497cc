import type { ModelsLookedFor } from "../app/agent/open-model.ts";
import type { Source } from "../app/settings/table.ts";
import type { Strings } from "../strings/strings.ts";

/** Describes the source of a setting's value, so that users can find it. */
export function sourceText(source: Source, { config }: Strings): string {
  if ("file" in source) return `${source.file}:${source.line}`;
  if (source.layer === "environment") return config.fromEnvironment(source.variable);
  return source.layer === "flag" ? config.fromFlag : config.fromDefault;
}

/** Lists the places that were searched for a model, one string for each. */
export function lookedForTexts(
  { variables, setting }: ModelsLookedFor,
  { terminal }: Strings,
): readonly string[] {
  const { lookedFor } = terminal.app;
  return [
    ...variables.map((variable) => lookedFor.variable(variable)),
    setting === "" ? lookedFor.setting : lookedFor.settingNamed(setting),
    lookedFor.kept,
  ];
}
