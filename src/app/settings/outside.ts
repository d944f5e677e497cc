import { closest } from "../../record/closest.ts";
import { WorldlineError } from "../../record/error.ts";
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
      throw new WorldlineError(
        "SETTINGS_INVALID",
        `The variable ${variable} is "${text}"; expected ${expectedOf(settingOf(key).kind, text)}.`,
        { hint: `Change it, or take it away: unset ${variable}` },
      );
    }
    return [{ key, value, source: { layer: "environment", variable } as const }];
  });
}

/** What `--setting key=value` sets; of two for the same key the last one counts. */
export function fromFlags(flags: readonly string[]): GivenValue[] {
  const values = flags.map((flag): GivenValue => {
    const [name, text] = splitAtFirst(flag);
    if (text === undefined) {
      throw new WorldlineError("INPUT_INVALID", `--setting needs key=value, not "${flag}".`, {
        hint: "Such as: --setting lock.waitMs=1000",
      });
    }
    const key = requireKey(name);
    return { key, value: requireValue(key, text), source: { layer: "flag" } };
  });
  return [...new Map(values.map((value) => [value.key, value])).values()];
}

/** The setting that a person named. */
export function requireKey(name: string): SettingKey {
  if (isSettingKey(name)) return name;
  const meant = closest(name, settingKeys);
  throw new WorldlineError("INPUT_INVALID", `There is no setting "${name}".`, {
    hint: meant === undefined ? `Settings: ${settingKeys.join(", ")}` : `Did you mean ${meant}?`,
  });
}

/** The value that a person wrote for it. */
export function requireValue(key: SettingKey, text: string): SettingValue {
  const { kind, default: usual } = settingOf(key);
  const value = kind.fromText(text);
  if (value !== undefined) return value;
  throw new WorldlineError(
    "INPUT_INVALID",
    `${key} cannot be "${text}"; expected ${expectedOf(kind, text)}.`,
    {
      hint: `The default is ${shownValue(usual)}.`,
    },
  );
}

/** What was expected, and, of a value with parts, what is wrong with which. */
function expectedOf(kind: Kind<SettingValue>, text: string): string {
  const wrong = kind.wrongIn?.(kind.jsonOf?.(text));
  if (wrong === undefined || wrong.path.length === 0) return kind.expected;
  const part = wrong.path.map((step) => (typeof step === "number" ? `item ${step + 1}` : step)).join(" / ");
  return `${kind.expected}; ${part}: expected ${wrong.expected}${wrong.why === undefined ? "" : `: ${wrong.why}`}`;
}

function splitAtFirst(flag: string): [string, string | undefined] {
  const at = flag.indexOf("=");
  return at === -1 ? [flag, undefined] : [flag.slice(0, at).trim(), flag.slice(at + 1)];
}
