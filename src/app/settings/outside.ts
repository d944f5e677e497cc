import { type ErrorParams, WorldlineError } from "../../record/error.ts";
import { closest } from "../../record/options.ts";
import type { Environment } from "../places/home.ts";
import type { GivenValue } from "./given.ts";
import type { Kind, SettingValue } from "./kinds.ts";
import { isSettingKey, type SettingKey, settingKeys, settingOf, variableOf } from "./table.ts";
import { shownValue } from "./value-text.ts";

/** What the environment sets. A variable that is there but empty is not set, as shells have it. */
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

/** What `--setting key=value` sets; of two for the same key the last one counts. */
export function fromFlags(flags: readonly string[]): GivenValue[] {
  const values = flags.map((flag): GivenValue => {
    const [name, text] = splitAtFirst(flag);
    if (text === undefined) throw new WorldlineError("setting-without-value", { given: flag });
    const key = requireKey(name);
    return { key, value: requireValue(key, text), source: { layer: "flag" } };
  });
  return [...new Map(values.map((value) => [value.key, value])).values()];
}

/** The setting that a person named. */
export function requireKey(name: string): SettingKey {
  if (isSettingKey(name)) return name;
  const meant = closest(name, settingKeys);
  throw new WorldlineError("setting-unknown", {
    name,
    ...(meant === undefined ? {} : { meant }),
    known: settingKeys,
  });
}

/** The value that a person wrote for it. */
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

/** What was expected, and, of a value with parts, what is wrong with which. */
function expectationOf(
  { expected, wrongIn, jsonOf }: Kind<SettingValue>,
  text: string,
): Pick<ErrorParams<"setting-value-invalid">, "expected" | "part" | "why"> {
  const wrong = wrongIn?.(jsonOf?.(text));
  if (wrong === undefined || wrong.path.length === 0) return { expected };
  return { expected, part: { path: wrong.path, expected: wrong.expected }, why: wrong.why };
}

function splitAtFirst(flag: string): [string, string | undefined] {
  const at = flag.indexOf("=");
  return at === -1 ? [flag, undefined] : [flag.slice(0, at).trim(), flag.slice(at + 1)];
}
