import type { GivenValue, Source } from "./given.ts";
import type { SettingValue } from "./kinds.ts";
import { type SettingKey, type Settings, settingKeys, settingOf } from "./table.ts";

/** What became of one setting, layer by layer. */
export interface ExplainedSetting {
  readonly key: SettingKey;
  readonly value: SettingValue;
  readonly source: Source;
  /** What weaker layers said, the strongest of them first. */
  readonly overrode: readonly GivenValue[];
  /** What the workspace's files said and may not say: not until they are trusted, or never. */
  readonly ignored: readonly GivenValue[];
}

/**
 * Decides every setting from all that was given, weakest layer first: the last word counts. Pure, so
 * that one law covers every combination of layers.
 */
export function explainSettings(
  given: readonly GivenValue[],
  trust: "trusted" | "untrusted",
): readonly ExplainedSetting[] {
  return settingKeys.map((key) => {
    const counted: GivenValue[] = [{ key, value: settingOf(key).default, source: { layer: "default" } }];
    const ignored: GivenValue[] = [];
    for (const value of given.filter((each) => each.key === key)) {
      const current = counted[0] ?? value;
      if (mayCount(value, current.value, trust)) counted.unshift(value);
      else ignored.push(value);
    }
    const [{ value, source } = counted[0] as GivenValue, ...overrode] = counted;
    return { key, value, source, overrode, ignored };
  });
}

export function valuesOf(explained: readonly ExplainedSetting[]): Settings {
  // Each value passed its own kind when it was read, and `explained` has every key.
  return Object.fromEntries(explained.map(({ key, value }) => [key, value])) as unknown as Settings;
}

function mayCount(
  { key, value, source }: GivenValue,
  current: SettingValue,
  trust: "trusted" | "untrusted",
): boolean {
  if (source.layer !== "workspace" && source.layer !== "local") return true;
  const { untrusted } = settingOf(key);
  if (untrusted === "never") return false;
  if (trust === "trusted" || value === current) return true;
  return untrusted === "lower" ? value < current : untrusted === "higher" && value > current;
}
