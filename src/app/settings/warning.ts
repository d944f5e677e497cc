import type { WhyTrustUnreadable } from "../../strings/errors/en/settings.ts";
import type { UnknownKey } from "./file/read-values.ts";
import type { ExplainedSetting } from "./layers.ts";
import { type SettingKey, settingOf } from "./table.ts";

/** What a person should know about their settings, though it stops nothing. */
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

/** The warnings that follow from how the layers came out. */
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
