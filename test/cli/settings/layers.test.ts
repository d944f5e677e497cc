import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GivenValue, Source } from "../../../src/cli/settings/given.ts";
import { explainSettings, valuesOf } from "../../../src/cli/settings/layers.ts";
import { type SettingKey, settingKeys, settingOf } from "../../../src/cli/settings/table.ts";

const sources: readonly Source[] = [
  { layer: "user", file: "u", line: 1, column: 1 },
  { layer: "workspace", file: "w", line: 1, column: 1 },
  { layer: "local", file: "l", line: 1, column: 1 },
  { layer: "environment", variable: "V" },
  { layer: "flag" },
];

/** Any subset of layers, each saying something about any subset of settings; weakest layer first. */
const stories = fc
  .tuple(...sources.map(() => fc.dictionary(fc.constantFrom(...settingKeys), fc.nat(50))))
  .map((layers) =>
    layers.flatMap((layer, index) =>
      Object.entries(layer).map(([key, number]): GivenValue => {
        const isFlag = typeof settingOf(key as SettingKey).default === "boolean";
        return {
          key: key as SettingKey,
          value: isFlag ? number % 2 === 0 : number,
          source: sources[index] ?? { layer: "flag" },
        };
      }),
    ),
  );

describe("the layers of settings", () => {
  it("law: the strongest layer that may set a key wins, explain names it, and the others are what it overrode", () => {
    fc.assert(
      fc.property(stories, (given) => {
        const explained = explainSettings(given, "trusted");
        expect(explained.map(({ key }) => key)).toEqual(settingKeys);
        for (const { key, value, source, overrode, ignored } of explained) {
          const isNever = ({ source: { layer } }: GivenValue) =>
            settingOf(key).untrusted === "never" && (layer === "workspace" || layer === "local");
          const words = given.filter((each) => each.key === key);
          const said = words.filter((each) => !isNever(each)).reverse();
          const all = [...said, { key, value: settingOf(key).default, source: { layer: "default" } }];
          expect([{ key, value, source }, ...overrode]).toEqual(all);
          expect(ignored).toEqual(words.filter(isNever));
          expect(valuesOf(explained)[key]).toBe(value);
        }
      }),
    );
  });

  it("law: until trusted, a workspace moves a value only the way that its setting allows, and nothing is unsaid", () => {
    fc.assert(
      fc.property(stories, (given) => {
        const outside = given.filter(({ source }) => source.layer === "user");
        const files = given.filter(({ source }) => "file" in source);
        const without = valuesOf(explainSettings(outside, "untrusted"));
        for (const { key, value, overrode, ignored } of explainSettings(files, "untrusted")) {
          const allowed = settingOf(key).untrusted;
          if (value !== without[key]) expect(value > without[key] ? "higher" : "lower").toBe(allowed);
          expect(overrode.length + ignored.length).toBe(files.filter((each) => each.key === key).length);
        }
      }),
    );
  });

  it("let the environment and flags say anything, trusted or not", () => {
    const value = { key: "enableFileCheckpointing", value: false, source: { layer: "flag" } } as const;
    expect(valuesOf(explainSettings([value], "untrusted")).enableFileCheckpointing).toBe(false);
  });
});
