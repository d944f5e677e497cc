import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SettingValue } from "../../../src/app/settings/kinds.ts";
import { explainSettings, valuesOf } from "../../../src/app/settings/layers.ts";
import type { GivenValue, Source } from "../../../src/app/settings/table.ts";
import { type SettingKey, settingKeys, settingOf } from "../../../src/app/settings/table.ts";
import { valuesFor } from "./samples.ts";

const sources: readonly Source[] = [
  { layer: "user", file: "u", line: 1, column: 1 },
  { layer: "workspace", file: "w", line: 1, column: 1 },
  { layer: "local", file: "l", line: 1, column: 1 },
  { layer: "environment", variable: "V" },
  { layer: "flag" },
];

/** Any subset of layers, each giving values to any subset of settings; the weakest layer comes first. */
const stories = fc
  .tuple(
    ...sources.map((source) =>
      fc
        .uniqueArray(fc.constantFrom(...settingKeys), { maxLength: 8 })
        .chain((keys) =>
          fc.tuple(...keys.map((key) => valuesFor(key).map((value): GivenValue => ({ key, value, source })))),
        ),
    ),
  )
  .map((layers) => layers.flat());
const isUnion = (key: SettingKey) => settingOf(key).layers === "union";
const rank = (key: SettingKey, value: SettingValue) =>
  settingOf(key).narrowestFirst?.indexOf(String(value)) ?? Number(value);

describe("the layers of settings", () => {
  it("law: the strongest layer that may set a key wins, explain names it, and the others are what it overrode", () => {
    fc.assert(
      fc.property(stories, (given) => {
        const explained = explainSettings(given, "trusted");
        expect(explained.map(({ key }) => key)).toEqual(settingKeys);
        for (const { key, value, source, overrode, ignored } of explained) {
          if (isUnion(key)) continue;
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
        const explained = explainSettings(files, "untrusted").filter(({ key }) => !isUnion(key));
        for (const { key, value, overrode, ignored } of explained) {
          const allowed = settingOf(key).untrusted;
          const isUp = rank(key, value) > rank(key, without[key]);
          if (value !== without[key]) expect(isUp ? ["higher"] : ["lower", "narrower"]).toContain(allowed);
          expect(overrode.length + ignored.length).toBe(files.filter((each) => each.key === key).length);
        }
      }),
    );
  });

  it("law: lists of rules add up, each item from the weakest layer that has it, and only a trusted workspace allows", () => {
    fc.assert(
      fc.property(stories, fc.constantFrom("trusted" as const, "untrusted" as const), (given, trust) => {
        for (const { key, value, items, ignored } of explainSettings(given, trust)) {
          if (!Array.isArray(settingOf(key).default)) continue;
          const isOut = ({ source: { layer } }: GivenValue) =>
            trust === "untrusted" &&
            key === "permissions.allow" &&
            (layer === "workspace" || layer === "local");
          const said = given.filter((each) => each.key === key);
          const counted = said.filter((each) => !isOut(each));
          const all = [...new Set(counted.flatMap((each) => each.value as readonly string[]))];
          expect(value).toEqual(all);
          expect(ignored).toEqual(said.filter(isOut));
          const first = (item: string) =>
            counted.find((each) => (each.value as readonly string[]).includes(item))?.source;
          expect(items).toEqual(all.map((item) => ({ item, source: first(item) })));
        }
      }),
    );
  });

  it("add up tables row by row, where the strongest layer's row counts", () => {
    const [user, , , , flag] = sources as readonly [Source, Source, Source, Source, Source];
    const given: GivenValue[] = [
      { key: "models", value: { "a/x": { window: 1 }, "a/y": { window: 2 } }, source: user },
      { key: "models", value: { "a/x": { window: 9 } }, source: flag },
    ];
    expect(explainSettings(given, "untrusted").find(({ key }) => key === "models")).toEqual({
      key: "models",
      value: { "a/x": { window: 9 }, "a/y": { window: 2 } },
      source: flag,
      overrode: [],
      ignored: [],
      items: [
        { item: "a/x", source: flag },
        { item: "a/y", source: user },
      ],
    });
  });

  it.each([
    ["auto", "plan", "plan"],
    ["auto", "manual", "manual"],
    ["manual", "plan", "plan"],
    ["manual", "auto", "manual"],
    ["plan", "manual", "plan"],
  ] as const)("let an untrusted workspace move the mode %s, as it says %s, to %s", (mine, its, result) => {
    const given: GivenValue[] = [
      { key: "permissions.mode", value: mine, source: sources[0] as Source },
      { key: "permissions.mode", value: its, source: sources[1] as Source },
    ];
    expect(valuesOf(explainSettings(given, "untrusted"))["permissions.mode"]).toBe(result);
  });

  it("let the environment and flags say anything, trusted or not", () => {
    const value = { key: "enableFileCheckpointing", value: false, source: { layer: "flag" } } as const;
    expect(valuesOf(explainSettings([value], "untrusted")).enableFileCheckpointing).toBe(false);
  });
});
