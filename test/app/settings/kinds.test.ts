import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  fraction,
  models,
  oneOf,
  onOrOff,
  providers,
  rules,
  type SettingValue,
  shownValue,
  text,
  valueText,
  whole,
  wholeOr,
} from "../../../src/app/settings/kinds.ts";
import { settingKeys, settingOf, variableOf } from "../../../src/app/settings/table.ts";
import { valuesFor } from "./samples.ts";

describe("a setting's value", () => {
  it.each([
    ["1", true],
    ["TRUE", true],
    ["yes", true],
    [" on ", true],
    ["0", false],
    ["false", false],
    ["no", false],
    ["off", false],
    ["2", undefined],
    ["", undefined],
  ])("on or off: %j is %j", (text, value) => {
    expect(onOrOff.fromText(text)).toBe(value);
  });

  it.each([
    ["5", 5],
    ["5.0", 5],
    ["1", 1],
    [" 10 ", 10],
    ["0", undefined],
    ["11", undefined],
    ["-5", undefined],
    ["5.5", undefined],
    ["5.", undefined],
    ["5 6", undefined],
    ["5x", undefined],
    ["x5", undefined],
    ["0x5", undefined],
    ["", undefined],
    ["five", undefined],
  ])("a whole number from 1 to 10: %j is %j", (text, value) => {
    expect(whole({ from: 1, to: 10 }).fromText(text)).toBe(value);
  });

  it("from JSON must have the type too", () => {
    expect([onOrOff.fromJson("true"), onOrOff.fromJson(1), onOrOff.fromJson(false)]).toEqual([
      undefined,
      undefined,
      false,
    ]);
    const few = whole({ from: 1, to: 10 });
    expect([few.fromJson("5"), few.fromJson(null), few.fromJson([5]), few.fromJson(5)]).toEqual([
      undefined,
      undefined,
      undefined,
      5,
    ]);
  });

  it("may be a fraction, or one word of a few", () => {
    const ratio = fraction({ from: 0.1, to: 1 });
    expect([ratio.expected, ratio.fromText("0.85"), ratio.fromText(" 0.125 ")]).toEqual([
      { is: "number", from: 0.1, to: 1 },
      0.85,
      0.125,
    ]);
    const accepted = [0, 0.09, 0.1, 1, 1.01, "1", Number.NaN].filter((each) => ratio.fromJson(each) === each);
    expect(accepted).toEqual([0.1, 1]);
    expect(fraction({ from: -2, to: 0 }).fromText("-1.5")).toBe(-1.5);
    const display = oneOf("card", "line", "off");
    expect([display.fromText("card"), display.fromJson("cards"), display.expected]).toEqual([
      "card",
      undefined,
      { is: "one-of", choices: ["card", "line", "off"] },
    ]);
  });
});

describe("a text", () => {
  it("is used without the spaces around it", () => {
    expect([text.expected, text.fromJson(" a b "), text.fromText(" a b ")]).toEqual([
      { is: "text" },
      "a b",
      "a b",
    ]);
    expect(text.fromJson(5)).toBeUndefined();
  });
});

describe("a whole number or a word", () => {
  const reserve = wholeOr("auto", { from: 0, to: 5 });

  it.each<[unknown, unknown]>([
    ["auto", "auto"],
    [3, 3],
    ["3", undefined],
    ["car", undefined],
    [6, undefined],
  ])("from JSON: %j is %j", (json, value) => {
    expect(reserve.fromJson(json)).toBe(value);
  });

  it.each<[string, unknown]>([
    [" auto ", "auto"],
    ["3", 3],
    ["car", undefined],
    ["6", undefined],
  ])("from text: %j is %j", (given, value) => {
    expect(reserve.fromText(given)).toBe(value);
  });

  it("is expected to be either", () => {
    expect(reserve.expected).toEqual({ is: "whole-number-or", word: "auto", from: 0, to: 5 });
    expect(whole({ from: 0, to: 5 }).expected).toEqual({ is: "whole-number", from: 0, to: 5 });
  });
});

describe("a list of rules", () => {
  it.each([
    ["", []],
    ["Read", ["Read"]],
    [" Read , WebFetch ,, Task ", ["Read", "WebFetch", "Task"]],
    ["Read\nTask\n", ["Read", "Task"]],
    ["Bash(a, b),Read", ["Bash(a, b)", "Read"]],
    ["Bash((a),b),Read", ["Bash((a),b)", "Read"]],
    ["Bash(a\\,b)", ["Bash(a\\,b)"]],
    ["Bash(echo \\(a),Read", ["Bash(echo \\(a)", "Read"]],
  ])("from the text %j is %j", (given, items) => {
    expect([rules.fromText(given), rules.jsonOf?.(given)]).toEqual([items, items]);
  });

  it.each([
    ["Bash(a\nRead,Task", ["Bash(a", "Read", "Task"]],
    ["Bash(a)),Read,Task", ["Bash(a))", "Read", "Task"]],
    ["one\\\ntwo", ["one\\", "two"]],
    ["a\\", ["a\\"]],
  ])("limits a wrong parenthesis or backslash in %j to its own item", (given, items) => {
    expect(rules.jsonOf?.(given)).toEqual(items);
  });

  it("from JSON is trimmed", () => {
    expect(rules.fromJson([" Read ", "Bash(ls)"])).toEqual(["Read", "Bash(ls)"]);
  });

  it.each<[unknown, unknown]>([
    ["Read", { path: [], expected: { is: "rules-in-brackets" } }],
    [{ 0: "Read" }, { path: [], expected: { is: "rules-in-brackets" } }],
    [["Read", 5, "bash"], { path: [1], expected: { is: "rule" } }],
    [
      ["Read", "bash"],
      {
        path: [1],
        expected: { is: "rule" },
        why: {
          is: "no-rule",
          problem: { reason: "rule-tool-unknown", params: { tool: "bash", known: "Bash" } },
        },
      },
    ],
  ])("cannot be %j, where the first wrong part is named", (json, wrong) => {
    expect([rules.fromJson(json), rules.wrongIn?.(json)]).toEqual([undefined, wrong]);
  });
});

describe("a table of models or providers", () => {
  const field = (name: string, is: string) => ({ is: "field", name, of: { is } });
  const provider = { kind: "ollama", baseUrl: "http://localhost:1" };

  it.each([
    { "a/b": {} },
    { "a/b/c:d": { window: 1, maxOutput: 1, input: 0, output: 0.5, cacheRead: 0, cacheWrite: 0 } },
  ])("of models can be %j", (table) => {
    expect([models.fromJson(table), models.fromText(JSON.stringify(table))]).toEqual([table, table]);
  });

  it.each<[unknown, unknown]>([
    [[], { path: [], expected: { is: "models" } }],
    [{ "a/b": 5 }, { path: ["a/b"], expected: { is: "object" } }],
    [{ "a/b": { window: 0 } }, { path: ["a/b", "window"], expected: field("window", "tokens") }],
    [{ "a/b": { window: 1.5 } }, { path: ["a/b", "window"], expected: field("window", "tokens") }],
    [{ "a/b": { maxOutput: "1" } }, { path: ["a/b", "maxOutput"], expected: field("maxOutput", "tokens") }],
    [{ "a/b": { input: -1 } }, { path: ["a/b", "input"], expected: field("input", "price") }],
    [
      { "a/b": {}, "a/c": { output: "1" } },
      { path: ["a/c", "output"], expected: field("output", "price") },
    ],
    ...["b", "/b", "a/", "a b/c", "a/b c", " a/b"].map((name): [unknown, unknown] => [
      { [name]: {} },
      {
        path: [name],
        expected: { is: "name", of: { is: "model-of-provider" } },
        why: { is: "no-such-name", name },
      },
    ]),
    [
      { "a/b": { toString: 1 } },
      {
        path: ["a/b", "toString"],
        expected: {
          is: "one-name-of",
          names: ["window", "maxOutput", "input", "output", "cacheRead", "cacheWrite"],
        },
        why: { is: "no-such-name", name: "toString" },
      },
    ],
  ])("of models cannot be %j, where the first wrong part is named", (json, wrong) => {
    expect([models.fromJson(json), models.wrongIn?.(json)]).toEqual([undefined, wrong]);
  });

  it.each([
    { near: provider },
    { "9-a.b_C": { ...provider, keyVariable: "_KEY_9", model: "m" } },
    { far: { kind: "compatible", baseUrl: "https://example.org/v1" } },
    ...["anthropic", "openai", "openai-chat"].map((kind) => ({ far: { ...provider, kind } })),
  ])("of providers can be %j", (table) => {
    expect([providers.fromJson(table), providers.fromText(JSON.stringify(table))]).toEqual([table, table]);
  });

  const kinds = ["anthropic", "openai", "openai-chat", "compatible", "ollama"];
  const kind = { is: "field", name: "kind", of: { is: "one-of", choices: kinds } };
  const address = field("baseUrl", "web-address");
  const variable = field("keyVariable", "variable-name");
  it.each<[unknown, unknown]>([
    ["p", { path: [], expected: { is: "providers" } }],
    [{ p: null }, { path: ["p"], expected: { is: "object" } }],
    [{ p: { baseUrl: "http://a" } }, { path: ["p"], expected: kind }],
    [{ p: { kind: "ollama" } }, { path: ["p"], expected: address }],
    [{ p: { ...provider, kind: "x" } }, { path: ["p", "kind"], expected: kind }],
    ...["localhost:1", "ftp://a", "/a", "xhttp://a", "httpsx://a", 5, [["http://a"]]].map(
      (baseUrl): [unknown, unknown] => [
        { p: { ...provider, baseUrl } },
        { path: ["p", "baseUrl"], expected: address },
      ],
    ),
    ...["9K", "K-1", "K 1", " K", "", ["KEY"]].map((keyVariable): [unknown, unknown] => [
      { p: { ...provider, keyVariable } },
      { path: ["p", "keyVariable"], expected: variable },
    ]),
    [{ p: { ...provider, model: "" } }, { path: ["p", "model"], expected: field("model", "model-name") }],
    [{ p: { ...provider, model: 5 } }, { path: ["p", "model"], expected: field("model", "model-name") }],
    ...["-p", "", "p q", "p/q", "pé"].map((name): [unknown, unknown] => [
      { [name]: provider },
      {
        path: [name],
        expected: { is: "name", of: { is: "provider-name" } },
        why: { is: "no-such-name", name },
      },
    ]),
  ])("of providers cannot be %j, where the first wrong part is named", (json, wrong) => {
    expect([providers.fromJson(json), providers.wrongIn?.(json)]).toEqual([undefined, wrong]);
  });

  it("from a text that is not JSON is wrong as a whole", () => {
    expect([models.fromText("{"), models.jsonOf?.("{"), models.jsonOf?.("[1]")]).toEqual([
      undefined,
      undefined,
      [1],
    ]);
  });
});

describe("a value as text", () => {
  it.each<[SettingValue, string, string]>([
    [true, "true", "true"],
    [5, "5", "5"],
    ["", "", "none"],
    ["a b", "a b", "a b"],
    [[], "", "none"],
    [["Read", "Bash(a, b)"], "Read\nBash(a, b)", "Read, Bash(a, b)"],
    [{}, "{}", "none"],
    [{ "a/b": { window: 5 } }, '{"a/b":{"window":5}}', '{"a/b":{"window":5}}'],
  ])("%j is written as %j and shown as %j", (value, written, shown) => {
    expect([valueText(value), shownValue(value)]).toEqual([written, shown]);
  });
});

describe("the table of settings", () => {
  it("has defaults that its own kinds accept", () => {
    for (const key of settingKeys) {
      const { kind, default: usual } = settingOf(key);
      expect(kind.fromJson(usual), key).toEqual(usual);
      expect(kind.fromText(valueText(usual)), key).toEqual(usual);
    }
  });

  it("law: has values that are read back from the text that is shown for them", () => {
    for (const key of settingKeys) {
      const { kind } = settingOf(key);
      fc.assert(
        fc.property(valuesFor(key), (value) => {
          expect(kind.fromText(valueText(value)), key).toEqual(value);
          expect(kind.fromJson(JSON.parse(JSON.stringify(value))), key).toEqual(value);
        }),
        { numRuns: 20 },
      );
    }
  });

  it("names a variable for each", () => {
    expect(settingKeys.map(variableOf)).toEqual([
      "WORLDLINE_FILE_CHECKPOINTING",
      "WORLDLINE_CHECKPOINT_KEEP_COUNT",
      "WORLDLINE_SNAPSHOTS_MAX_FILE_BYTES",
      "WORLDLINE_SNAPSHOTS_MAX_BYTES",
      "WORLDLINE_REWIND_CONFIRM_DELETES",
      "WORLDLINE_WATCH_QUIET_MS",
      "WORLDLINE_WATCH_MAX_MS",
      "WORLDLINE_LOCK_WAIT_MS",
      "WORLDLINE_LOCK_LEASE_MS",
      "WORLDLINE_LOG_ROTATE_BYTES",
      "WORLDLINE_LOG_BLOB_BYTES",
      "WORLDLINE_TRASH_DAYS",
      "WORLDLINE_CONTEXT_WINDOW",
      "WORLDLINE_MODEL",
      "WORLDLINE_MODELS",
      "WORLDLINE_PROVIDERS",
      "WORLDLINE_PERMISSIONS_MODE",
      "WORLDLINE_PERMISSIONS_ALLOW",
      "WORLDLINE_PERMISSIONS_ASK",
      "WORLDLINE_PERMISSIONS_DENY",
      "WORLDLINE_BACKTRACK_ENABLED",
      "WORLDLINE_BACKTRACK_MAX_PER_TURN",
      "WORLDLINE_BACKTRACK_DISPLAY",
      "WORLDLINE_BACKTRACK_MENTION",
      "WORLDLINE_COMPACTION_RATIO",
      "WORLDLINE_COMPACTION_RESERVE",
      "WORLDLINE_COMPACTION_KEEP",
      "WORLDLINE_COMPACTION_MODEL",
      "WORLDLINE_COMPACTION_AUTO",
      "WORLDLINE_RECOVERY_MAX_RETRIES",
      "WORLDLINE_SNAPSHOTS_FIRST_WAIT_MS",
      "WORLDLINE_AGENT_MAX_STEPS",
      "WORLDLINE_AGENT_SILENCE_MS",
      "WORLDLINE_HOST",
      "WORLDLINE_CLAUDE_SDK",
      "WORLDLINE_CLAUDE_MODEL",
      "WORLDLINE_SNAPSHOTS_ENGINE",
      "WORLDLINE_LANGUAGE",
      "WORLDLINE_UI_DOUBLE_ESCAPE_MS",
      "WORLDLINE_UI_THEME",
      "WORLDLINE_UI_MOUSE",
    ]);
  });
});
