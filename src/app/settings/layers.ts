import type { GivenValue, Source } from "./given.ts";
import type { SettingTable, SettingValue } from "./kinds.ts";
import { type SettingKey, type Settings, settingKeys, settingOf } from "./table.ts";
import { isList } from "./value-text.ts";

/** What became of one setting, layer by layer. */
export interface ExplainedSetting {
  readonly key: SettingKey;
  readonly value: SettingValue;
  /** Where the value stands; of one that several layers add to, the strongest of them. */
  readonly source: Source;
  /** What weaker layers said, the strongest of them first. */
  readonly overrode: readonly GivenValue[];
  /** What the workspace's files said and may not say: not until they are trusted, or never. */
  readonly ignored: readonly GivenValue[];
  /** Where each item of a list, and each row of a table, comes from, if layers add to it. */
  readonly items?: readonly SettingItem[];
}

export interface SettingItem {
  /** The item itself, or the row's name. */
  readonly item: string;
  readonly source: Source;
}

/**
 * Decides every setting from all that was given, weakest layer first: the last word counts, or all that was said where
 * layers add up. Pure, so that one law covers every combination of layers.
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
    return settingOf(key).layers === "union"
      ? { key, ...unionOf(counted.toReversed()), overrode: [], ignored }
      : { key, value, source, overrode, ignored };
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
  if (trust === "trusted" || value === current || untrusted === "add") return true;
  if (untrusted === "nothing") return false;
  const difference = rankOf(key, value) - rankOf(key, current);
  return untrusted === "higher" ? difference > 0 : difference < 0;
}

/** What is compared when a workspace may move a value one way only. */
function rankOf(key: SettingKey, value: SettingValue): number {
  const words = settingOf(key).narrowestFirst;
  return words === undefined ? Number(value) : words.indexOf(String(value));
}

type Union = Required<Pick<ExplainedSetting, "value" | "source" | "items">>;

/** All that the layers say, weakest first. */
function unionOf(layers: readonly GivenValue[]): Union {
  const items = itemsOf(layers);
  const source = layers.findLast((each) => namesIn(each.value).length > 0)?.source ?? { layer: "default" };
  const tables = layers.map(({ value }) => value).filter(isTable);
  if (tables.length === 0) return { value: items.map(({ item }) => item), source, items };
  return { value: Object.assign({}, ...tables) as SettingTable, source, items };
}

/** An item of a list is the first one's who said it; of a row in a table the last word counts. */
function itemsOf(layers: readonly GivenValue[]): SettingItem[] {
  const sources = new Map<string, Source>();
  for (const given of layers) {
    for (const [index, name] of namesIn(given.value).entries()) {
      if (isTable(given.value) || !sources.has(name)) sources.set(name, sourceOf(given, index));
    }
  }
  return [...sources].map(([item, source]) => ({ item, source }));
}

function sourceOf({ source, places }: GivenValue, index: number): Source {
  return "file" in source ? { ...source, ...places?.[index] } : source;
}

function namesIn(value: SettingValue): readonly string[] {
  if (typeof value !== "object") return [];
  return isList(value) ? value : Object.keys(value);
}

function isTable(value: SettingValue): value is SettingTable {
  return typeof value === "object" && !isList(value);
}
