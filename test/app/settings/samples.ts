import fc from "fast-check";
import type { SettingValue } from "../../../src/app/settings/kinds.ts";
import { type SettingKey, settingOf } from "../../../src/app/settings/table.ts";

const rules = [
  "Bash(npm test:*)",
  "Read(.env)",
  "Edit(src/**)",
  "WebFetch",
  "mcp__files__list",
  "Bash(a, b)",
];
const tables: Readonly<Record<string, readonly object[]>> = {
  models: [{ window: 1 }, { input: 0.5, output: 2 }],
  providers: [
    { kind: "ollama", baseUrl: "http://localhost:1" },
    { kind: "compatible", baseUrl: "https://example.org/v1", keyVariable: "KEY", model: "m" },
  ],
};
const names: Readonly<Record<string, readonly string[]>> = {
  models: ["a/one", "b/two"],
  providers: ["near", "far"],
};
const words: Readonly<Record<string, readonly string[]>> = {
  "permissions.mode": ["plan", "manual", "accept-edits", "auto"],
  "backtrack.display": ["card", "line", "off"],
  "backtrack.mention": ["allowed", "never"],
  "compaction.reserve": ["auto"],
  host: ["native", "claude"],
  "snapshots.engine": ["worldline", "sdk"],
  language: ["auto", "en", "zh-CN"],
  "ui.theme": ["auto", "light", "dark"],
};

/** Arbitrary valid values of a setting. */
export function valuesFor(key: SettingKey): fc.Arbitrary<SettingValue> {
  const { default: usual } = settingOf(key);
  if (typeof usual === "boolean") return fc.boolean();
  if (typeof usual === "string") return fc.constantFrom(...(words[key] ?? ["a/b", "local/coder"]));
  if (typeof usual === "number") {
    return Number.isInteger(usual)
      ? fc.nat(50).map((more) => usual + more)
      : fc.constantFrom(0.1, 0.5, 0.85, 1);
  }
  if (Array.isArray(usual)) return fc.uniqueArray(fc.constantFrom(...rules), { maxLength: 4 });
  return fc.dictionary(fc.constantFrom(...(names[key] ?? [])), fc.constantFrom(...(tables[key] ?? [])));
}
