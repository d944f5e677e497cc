import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SettingValue } from "../../../src/app/settings/kinds.ts";
import {
  explainSettings,
  fromEnvironment,
  fromOptions,
  layerWarnings,
  requireKey,
  requireValue,
  valuesOf,
} from "../../../src/app/settings/layers.ts";
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

  it("let the environment and flags say anything, trusted or not", () => {
    const value = { key: "enableFileCheckpointing", value: false, source: { layer: "flag" } } as const;
    expect(valuesOf(explainSettings([value], "untrusted")).enableFileCheckpointing).toBe(false);
  });
});

describe("the value that results from all layers", () => {
  const [user, workspace, , , flag] = sources as readonly [Source, Source, Source, Source, Source];
  const explain = (key: SettingKey, ...values: readonly Omit<GivenValue, "key">[]) =>
    explainSettings(
      values.map((each) => ({ key, ...each })),
      "trusted",
    ).find((each) => each.key === key);

  it("is the default if no layer sets it or adds to it", () => {
    const result = { value: [], source: { layer: "default" }, overrode: [], ignored: [], items: [] };
    expect(explain("permissions.deny")).toEqual({ key: "permissions.deny", ...result });
    expect(explain("permissions.deny", { value: [], source: user })).toEqual({
      key: "permissions.deny",
      ...result,
    });
    const { items: _, ...single } = { ...result, key: "model", value: "" };
    expect(explain("model")).toEqual(single);
    expect(explain("models", { value: {}, source: flag })).toEqual({ key: "models", ...result, value: {} });
  });

  it("names the place of each item of a list, and the strongest layer that adds any", () => {
    const places = [
      { line: 2, column: 5 },
      { line: 3, column: 7 },
    ];
    expect(
      explain(
        "permissions.allow",
        { value: ["Read", "Task"], source: user, places },
        { value: ["Task", "Bash"], source: workspace },
        { value: [], source: flag },
      ),
    ).toEqual({
      key: "permissions.allow",
      value: ["Read", "Task", "Bash"],
      source: workspace,
      overrode: [],
      ignored: [],
      items: [
        { item: "Read", source: { ...user, line: 2, column: 5 } },
        { item: "Task", source: { ...user, line: 3, column: 7 } },
        { item: "Bash", source: workspace },
      ],
    });
  });
});

describe("a workspace's setting that the user has not trusted", () => {
  const [user, workspace, local] = sources as readonly [Source, Source, Source];
  const explain = (key: SettingKey, mine: SettingValue, its: SettingValue, source: Source) => {
    const given: GivenValue[] = [
      { key, value: mine, source: user },
      { key, value: its, source },
      { key: "ui.mouse", value: false, source: user },
    ];
    const found = explainSettings(given, "untrusted").find((each) => each.key === key);
    return [found?.value, found?.ignored];
  };

  it("counts only if it restricts the user's own value", () => {
    for (const [key, mine, its, result, how] of [
      ["lock.waitMs", 5, 4, 4, "counts"],
      ["lock.waitMs", 5, 6, 5, "is ignored"],
      ["checkpointKeepCount", 5, 6, 6, "counts"],
      ["checkpointKeepCount", 5, 4, 5, "is ignored"],
      ["permissions.mode", "auto", "plan", "plan", "counts"],
      ["permissions.mode", "auto", "manual", "manual", "counts"],
      ["permissions.mode", "manual", "plan", "plan", "counts"],
      ["permissions.mode", "manual", "auto", "manual", "is ignored"],
      ["permissions.mode", "plan", "manual", "plan", "is ignored"],
      ["permissions.ask", ["Read"], ["Task"], ["Read", "Task"], "counts"],
      ["permissions.allow", ["Read"], ["Task"], ["Read"], "is ignored"],
      ["compaction.keep", 5, 4, 5, "is ignored"],
      ["compaction.keep", 5, 6, 5, "is ignored"],
      ["model", "a/b", "a/b", "a/b", "counts"],
      ["trash.days", 5, 5, 5, "is ignored"],
    ] as const satisfies readonly (readonly [
      SettingKey,
      SettingValue,
      SettingValue,
      SettingValue,
      string,
    ])[]) {
      for (const source of [workspace, local]) {
        const ignored = how === "counts" ? [] : [{ key, value: its, source }];
        expect(explain(key, mine, its, source), `${key} ${mine} ${its}`).toEqual([result, ignored]);
      }
    }
  });
});

describe("the settings in environment variables", () => {
  it("are the variables that are not empty", () => {
    const environment = {
      ...{ WORLDLINE_TRASH_DAYS: "7", WORLDLINE_PERMISSIONS_DENY: "Read,Task" },
      ...{ WORLDLINE_MODEL: "", WORLDLINE_HOST: undefined, WORLDLINE_HOME: "/home" },
    };
    expect(fromEnvironment(environment)).toEqual([
      { key: "trash.days", value: 7, source: { layer: "environment", variable: "WORLDLINE_TRASH_DAYS" } },
      {
        key: "permissions.deny",
        value: ["Read", "Task"],
        source: { layer: "environment", variable: "WORLDLINE_PERMISSIONS_DENY" },
      },
    ]);
  });

  it.each<[string, string, object]>([
    ["WORLDLINE_TRASH_DAYS", "soon", { expected: { is: "whole-number", from: 0, to: 36_500 } }],
    ["WORLDLINE_MODELS", "{", { expected: { is: "models" } }],
    [
      "WORLDLINE_PERMISSIONS_ASK",
      "Read,Bash()",
      {
        expected: { is: "rules" },
        part: { path: [1], expected: { is: "rule" } },
        why: { is: "no-rule", problem: { reason: "rule-pattern-empty", params: { tool: "Bash" } } },
      },
    ],
  ])("are refused if %s is %j", (variable, given, expectation) => {
    expect(() => fromEnvironment({ [variable]: given })).toThrow(
      expect.objectContaining({
        reason: "setting-variable-invalid",
        params: { variable, given, ...expectation },
      }),
    );
  });
});

describe("the settings that are given for one call", () => {
  it("are strongest, and read like variables", () => {
    expect(fromOptions({ "trash.days": "7", model: " a/b " })).toEqual([
      { key: "trash.days", value: 7, source: { layer: "flag" } },
      { key: "model", value: "a/b", source: { layer: "flag" } },
    ]);
  });

  it.each<[string, string | undefined, string, object]>([
    ["trash.days", undefined, "setting-without-value", { given: "trash.days" }],
    ["trash.day", "7", "setting-unknown", { name: "trash.day", meant: "trash.days", known: settingKeys }],
    ["zzzzzzzz", "7", "setting-unknown", { name: "zzzzzzzz", known: settingKeys }],
    [
      "trash.days",
      "soon",
      "setting-value-invalid",
      {
        key: "trash.days",
        given: "soon",
        usual: "30",
        expected: { is: "whole-number", from: 0, to: 36_500 },
      },
    ],
  ])("cannot be %s=%j", (name, text, reason, params) => {
    expect(() => fromOptions({ [name]: text })).toThrow(expect.objectContaining({ reason, params }));
  });
});

describe("a setting that the user names", () => {
  it("is found, with the value as the user wrote it", () => {
    expect(requireKey("lock.waitMs")).toBe("lock.waitMs");
    expect(requireValue("models", '{"a/b":{"window":5}}')).toEqual({ "a/b": { window: 5 } });
  });

  it("cannot be a table with a wrong part, which is named", () => {
    const given = '{"a/b":{"window":-5}}';
    const expected = { is: "field", name: "window", of: { is: "tokens" } };
    expect(() => requireValue("models", given)).toThrow(
      expect.objectContaining({
        reason: "setting-value-invalid",
        params: {
          key: "models",
          given,
          usual: "none",
          expected: { is: "models" },
          part: { path: ["a/b", "window"], expected },
          why: undefined,
        },
      }),
    );
  });
});

describe("the warnings about combined layers", () => {
  const file = { layer: "user", file: "u", line: 3, column: 1 } as const;
  const workspace = { layer: "workspace", file: "w", line: 4, column: 1 } as const;
  const environment = { layer: "environment", variable: "V" } as const;
  const checkpointing = (value: boolean, source: Source): GivenValue => ({
    key: "enableFileCheckpointing",
    value,
    source,
  });
  const warnings = (...given: readonly GivenValue[]) => layerWarnings(explainSettings(given, "untrusted"));

  it("are none if nothing is ignored or contradicted", () => {
    expect(warnings()).toEqual([]);
    expect(warnings(checkpointing(true, environment))).toEqual([]);
    expect(warnings(checkpointing(true, file), checkpointing(true, environment))).toEqual([]);
    expect(warnings(checkpointing(false, file), checkpointing(true, { layer: "flag" }))).toEqual([]);
    expect(warnings(checkpointing(false, environment), checkpointing(true, environment))).toEqual([]);
    const days = (source: Source, value: number): GivenValue => ({ key: "trash.days", value, source });
    expect(warnings(days(file, 1), days(environment, 2))).toEqual([]);
  });

  it("name the settings that are ignored, and the file that a variable contradicts", () => {
    expect(
      warnings(
        checkpointing(false, file),
        { key: "trash.days", value: 1, source: workspace },
        { key: "model", value: "a/b", source: workspace },
        { key: "host", value: "claude", source: workspace },
        checkpointing(true, environment),
      ),
    ).toEqual([
      { about: "untrusted", keys: ["model", "host"] },
      { about: "not-the-workspaces", keys: ["trash.days"] },
      { about: "contradiction", variable: "V", key: "enableFileCheckpointing", place: "u:3" },
    ]);
  });
});
