import { type ErrorParams, WorldlineError } from "../../record/error.ts";
import { closest } from "../../record/options.ts";
import type { WhyTrustUnreadable } from "../../strings/en/errors/settings.ts";
import type { Environment } from "../places/home.ts";
import type { UnknownKey } from "./files.ts";
import { isList, type Kind, type SettingTable, type SettingValue, shownValue } from "./kinds.ts";
import {
  type GivenValue,
  isSettingKey,
  type SettingKey,
  type Settings,
  type Source,
  settingKeys,
  settingOf,
  variableOf,
} from "./table.ts";

/** Whether the user trusts a workspace's configuration. */
export type TrustState = "trusted" | "untrusted" | "nothing-to-trust";

/** The value of one setting, and how the layers determine it. */
export interface ExplainedSetting {
  readonly key: SettingKey;
  readonly value: SettingValue;
  /**
   * The source of the value. If several layers contribute to the value, this is the one with the highest precedence.
   */
  readonly source: Source;
  /** Values of layers with lower precedence, highest precedence first. */
  readonly overrode: readonly GivenValue[];
  /** Values in the workspace's files that are ignored, either always or until the files are trusted. */
  readonly ignored: readonly GivenValue[];
  /** The source of each item in a list or each row in a table, if several layers contribute to it. */
  readonly items?: readonly SettingItem[];
}

interface SettingItem {
  /** The item itself, or the row's name. */
  readonly item: string;
  readonly source: Source;
}

/**
 * Computes every setting from the given values, which are sorted by precedence, lowest first. The layer with the
 * highest precedence wins or, for some settings, all layers are combined. The function is pure, so that one property
 * test covers every combination of layers.
 */
export function explainSettings(
  given: readonly GivenValue[],
  trust: TrustState,
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
  // Each value was checked against its kind when it was read, and `explained` contains every key.
  return Object.fromEntries(explained.map(({ key, value }) => [key, value])) as unknown as Settings;
}

function mayCount({ key, value, source }: GivenValue, current: SettingValue, trust: TrustState): boolean {
  if (source.layer !== "workspace" && source.layer !== "local") return true;
  const { untrusted } = settingOf(key);
  if (untrusted === "never") return false;
  if (trust === "trusted" || value === current || untrusted === "add") return true;
  if (untrusted === "nothing") return false;
  const difference = rankOf(key, value) - rankOf(key, current);
  return untrusted === "higher" ? difference > 0 : difference < 0;
}

/**
 * Returns the value's rank. Ranks are compared to decide whether a workspace moves a value in the allowed direction.
 */
function rankOf(key: SettingKey, value: SettingValue): number {
  const words = settingOf(key).narrowestFirst;
  return words === undefined ? Number(value) : words.indexOf(String(value));
}

type Union = Required<Pick<ExplainedSetting, "value" | "source" | "items">>;

/** Combines all layers, lowest precedence first. */
function unionOf(layers: readonly GivenValue[]): Union {
  const items = itemsOf(layers);
  const source = layers.findLast((each) => namesIn(each.value).length > 0)?.source ?? { layer: "default" };
  const tables = layers.map(({ value }) => value).filter(isTable);
  if (tables.length === 0) return { value: items.map(({ item }) => item), source, items };
  return { value: Object.assign({}, ...tables) as SettingTable, source, items };
}

/**
 * Returns the source of each item: for an item in a list, the first layer that contains it; for a row in a table, the
 * last layer.
 */
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

/** Returns the settings in environment variables. An empty variable is treated as unset, as in shells. */
export function fromEnvironment(environment: Environment): GivenValue[] {
  return settingKeys.flatMap((key) => {
    const variable = variableOf(key);
    const text = environment[variable];
    if (text === undefined || text === "") return [];
    const value = settingOf(key).kind.fromText(text);
    if (value === undefined) {
      const expectation = expectationOf(settingOf(key).kind, text);
      throw new WorldlineError("setting-variable-invalid", { variable, given: text, ...expectation });
    }
    return [{ key, value, source: { layer: "environment", variable } as const }];
  });
}

/** Returns the settings that were given for this call only. */
export function fromOptions(given: Readonly<Record<string, string | undefined>>): GivenValue[] {
  return Object.entries(given).map(([name, text]): GivenValue => {
    if (text === undefined) throw new WorldlineError("setting-without-value", { given: name });
    const key = requireKey(name);
    return { key, value: requireValue(key, text), source: { layer: "flag" } };
  });
}

/** Returns the setting that the user named. Throws if the setting does not exist. */
export function requireKey(name: string): SettingKey {
  if (isSettingKey(name)) return name;
  throw new WorldlineError("setting-unknown", {
    name,
    meant: closest(name, settingKeys),
    known: settingKeys,
  });
}

/** Returns the value that the user wrote for a setting. Throws if the value is invalid. */
export function requireValue(key: SettingKey, text: string): SettingValue {
  const { kind, default: usual } = settingOf(key);
  const value = kind.fromText(text);
  if (value !== undefined) return value;
  const expectation = expectationOf(kind, text);
  throw new WorldlineError("setting-value-invalid", {
    key,
    given: text,
    usual: shownValue(usual),
    ...expectation,
  });
}

/** Returns what was expected and, for a value with parts, which part is wrong and why. */
function expectationOf(
  { expected, wrongIn, jsonOf }: Kind<SettingValue>,
  text: string,
): Pick<ErrorParams<"setting-value-invalid">, "expected" | "part" | "why"> {
  const wrong = wrongIn?.(jsonOf?.(text));
  if (wrong === undefined || wrong.path.length === 0) return { expected };
  return { expected, part: { path: wrong.path, expected: wrong.expected }, why: wrong.why };
}

/** A warning about the user's settings. The command continues. */
export type SettingsWarning =
  | { readonly about: "unknown-key"; readonly key: UnknownKey }
  | { readonly about: "untrusted"; readonly keys: readonly string[] }
  | { readonly about: "not-the-workspaces"; readonly keys: readonly string[] }
  | {
      readonly about: "contradiction";
      readonly variable: string;
      readonly key: string;
      readonly place: string;
    }
  | { readonly about: "trust-damaged"; readonly file: string; readonly why: WhyTrustUnreadable };

/** Returns the warnings that result from combining the layers. */
export function layerWarnings(explained: readonly ExplainedSetting[]): SettingsWarning[] {
  const keys = explained.filter((each) => each.ignored.length > 0).map((each) => each.key);
  return [
    ...about(
      "untrusted",
      keys.filter((key) => !isNever(key)),
    ),
    ...about("not-the-workspaces", keys.filter(isNever)),
    ...explained.flatMap(contradictionIn),
  ];
}

function about(what: "untrusted" | "not-the-workspaces", keys: readonly SettingKey[]): SettingsWarning[] {
  return keys.length === 0 ? [] : [{ about: what, keys }];
}

function isNever(key: SettingKey): boolean {
  return settingOf(key).untrusted === "never";
}

function contradictionIn({ key, value, source, overrode }: ExplainedSetting): SettingsWarning[] {
  if (settingOf(key).contradiction !== "warn" || source.layer !== "environment") return [];
  const below = overrode[0];
  if (below === undefined || !("file" in below.source) || below.value === value) return [];
  const place = `${below.source.file}:${below.source.line}`;
  return [{ about: "contradiction", variable: source.variable, key, place }];
}
