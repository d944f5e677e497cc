import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  fraction,
  type Kind,
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

/** The values that the kind reads from these texts, by text. */
function fromTexts<Value extends SettingValue>({ fromText }: Kind<Value>, ...given: readonly string[]) {
  return Object.fromEntries(given.map((each) => [each, fromText(each)]));
}

/** The given JSON values that the kind accepts unchanged. */
function accepted<Value extends SettingValue>({ fromJson }: Kind<Value>, ...given: readonly unknown[]) {
  return given.filter((each) => fromJson(each) === each);
}

describe("a setting's value", () => {
  it("can be on or off", () => {
    expect(fromTexts(onOrOff, "1", "TRUE", "yes", " on ", "0", "false", "no", "off", "2", "")).toEqual({
      ...{ "1": true, TRUE: true, yes: true, " on ": true },
      ...{ "0": false, false: false, no: false, off: false },
      ...{ "2": undefined, "": undefined },
    });
    expect(accepted(onOrOff, true, false, "true", 1, null)).toEqual([true, false]);
  });

  it("can be a whole number", () => {
    const few = whole({ from: 1, to: 10 });
    expect(fromTexts(few, "1", "5", "5.0", " 10 ", "  7\t ")).toEqual({
      ...{ "1": 1, "5": 5, "5.0": 5, " 10 ": 10, "  7\t ": 7 },
    });
    const wrong = ["0", "11", "-5", "5.5", "5.", "5 6", "5x", "x5", "0x5", "1e1", "", " ", "five"];
    expect(wrong.filter((each) => few.fromText(each) !== undefined)).toEqual([]);
    expect(accepted(few, 0, 1, 5, 5.5, 10, 11, "5", null, [5])).toEqual([1, 5, 10]);
    expect(few.expected).toEqual({ is: "whole-number", from: 1, to: 10 });
  });

  it("can be a fraction", () => {
    const ratio = fraction({ from: 0.1, to: 1 });
    expect(fromTexts(ratio, "0.85", " 0.125 ", "0", ".5")).toEqual({
      ...{ "0.85": 0.85, " 0.125 ": 0.125, "0": undefined, ".5": undefined },
    });
    expect(accepted(ratio, 0, 0.09, 0.1, 1, 1.01, "1", Number.NaN)).toEqual([0.1, 1]);
    expect(ratio.expected).toEqual({ is: "number", from: 0.1, to: 1 });
    expect(fraction({ from: -2, to: 0 }).fromText("-1.5")).toBe(-1.5);
  });

  it("can be one word of a few", () => {
    const display = oneOf("card", "line", "off");
    expect(fromTexts(display, "card", "off", "cards")).toEqual({
      ...{ card: "card", off: "off", cards: undefined },
    });
    expect(accepted(display, "card", "cards", 5)).toEqual(["card"]);
    expect(display.expected).toEqual({ is: "one-of", choices: ["card", "line", "off"] });
  });

  it("can be a text, which is used without the spaces around it", () => {
    expect(text.expected).toEqual({ is: "text" });
    expect([text.fromJson(" a b "), text.fromText(" a b "), text.fromJson(5)]).toEqual([
      "a b",
      "a b",
      undefined,
    ]);
  });

  it("can be a whole number or a word", () => {
    const reserve = wholeOr("auto", { from: 0, to: 5 });
    expect(fromTexts(reserve, " auto ", "3", "car", "6")).toEqual({
      ...{ " auto ": "auto", "3": 3, car: undefined, "6": undefined },
    });
    expect(accepted(reserve, "auto", 3, "3", "car", 6)).toEqual(["auto", 3]);
    expect(reserve.expected).toEqual({ is: "whole-number-or", word: "auto", from: 0, to: 5 });
  });
});

describe("a list of rules", () => {
  const wrongIn = (json: unknown) => [rules.fromJson(json), rules.wrongIn?.(json)];

  it("is separated by commas or line breaks in a text, except for a comma in parentheses or after a backslash", () => {
    const lists: Readonly<Record<string, readonly string[]>> = {
      "": [],
      Read: ["Read"],
      " Read , WebFetch ,, Task ": ["Read", "WebFetch", "Task"],
      "Read\nTask\n": ["Read", "Task"],
      "Bash(a, b),Read": ["Bash(a, b)", "Read"],
      "Bash((a),b),Read": ["Bash((a),b)", "Read"],
      "Bash(a\\,b)": ["Bash(a\\,b)"],
      "Bash(echo \\(a),Read": ["Bash(echo \\(a)", "Read"],
    };
    expect(fromTexts(rules, ...Object.keys(lists))).toEqual(lists);
    const split = Object.keys(lists).map((each) => [each, rules.jsonOf?.(each)]);
    expect(Object.fromEntries(split)).toEqual(lists);
  });

  it("has an item with a wrong parenthesis or backslash, which does not affect other items", () => {
    expect(
      ["Bash(a\nRead,Task", "Bash(a)),Read,Task", "one\\\ntwo", "a\\"].map(rules.jsonOf ?? String),
    ).toEqual([["Bash(a", "Read", "Task"], ["Bash(a))", "Read", "Task"], ["one\\", "two"], ["a\\"]]);
  });

  it("is trimmed in JSON", () => {
    expect(rules.fromJson([" Read ", "Bash(ls)"])).toEqual(["Read", "Bash(ls)"]);
  });

  it("names the first item that is wrong", () => {
    const notAList = [undefined, { path: [], expected: { is: "rules-in-brackets" } }];
    expect([wrongIn("Read"), wrongIn({ 0: "Read" })]).toEqual([notAList, notAList]);
    expect(wrongIn(["Read", 5, "bash"])).toEqual([undefined, { path: [1], expected: { is: "rule" } }]);
    const problem = { reason: "rule-tool-unknown", params: { tool: "bash", known: "Bash" } };
    const why = { is: "no-rule", problem };
    expect(wrongIn(["Read", "bash"])).toEqual([undefined, { path: [1], expected: { is: "rule" }, why }]);
  });
});

/** Checks that none of these values is accepted, and which part of each is reported as wrong. */
function expectWrong(
  { fromJson, wrongIn }: Kind<SettingValue>,
  cases: readonly (readonly [unknown, object])[],
) {
  expect(cases.map(([json]) => [json, wrongIn?.(json)])).toEqual(cases);
  expect(cases.filter(([json]) => fromJson(json) !== undefined)).toEqual([]);
}

const field = (name: string, is: string) => ({ is: "field", name, of: { is } });
const wrongName = (name: string, is: string) => ({
  path: [name],
  expected: { is: "name", of: { is } },
  why: { is: "no-such-name", name },
});

describe("a table of models", () => {
  it("has a row for each model, with the facts that the user knows", () => {
    const facts = { window: 1, maxOutput: 1, input: 0, output: 0.5, cacheRead: 0, cacheWrite: 0 };
    for (const table of [{}, { "a/b": {} }, { "openai/b/c:d": facts, "a/b": { window: 5 } }]) {
      expect([models.fromJson(table), models.fromText(JSON.stringify(table))]).toEqual([table, table]);
    }
  });

  it("names the first row or field that is wrong", () => {
    const names = ["window", "maxOutput", "input", "output", "cacheRead", "cacheWrite"];
    const unknown = { is: "no-such-name", name: "toString" };
    expectWrong(models, [
      [[], { path: [], expected: { is: "models" } }],
      [{ "a/b": 5 }, { path: ["a/b"], expected: { is: "object" } }],
      ...[0, -1, 1.5, "1", null].map(
        (window) =>
          [{ "a/b": { window } }, { path: ["a/b", "window"], expected: field("window", "tokens") }] as const,
      ),
      ...[-1, "1", null].map(
        (input) =>
          [{ "a/b": { input } }, { path: ["a/b", "input"], expected: field("input", "price") }] as const,
      ),
      [
        { "a/b": {}, "a/c": { output: "1" } },
        { path: ["a/c", "output"], expected: field("output", "price") },
      ],
      [
        { "a/b": { toString: 1 } },
        { path: ["a/b", "toString"], expected: { is: "one-name-of", names }, why: unknown },
      ],
    ]);
  });

  it("names a row whose name is not that of a provider's model", () => {
    expectWrong(
      models,
      ["b", "/b", "a/", "a b/c", "a/b c", " a/b"].map((name) => [
        { [name]: {} },
        wrongName(name, "model-of-provider"),
      ]),
    );
  });

  it("is wrong as a whole if its text is not JSON", () => {
    expect([models.fromText("{"), models.jsonOf?.("{"), models.jsonOf?.("[1]")]).toEqual([
      undefined,
      undefined,
      [1],
    ]);
  });
});

describe("a table of providers", () => {
  const provider = { kind: "ollama", baseUrl: "http://localhost:1" };
  const kinds = ["anthropic", "openai", "openai-chat", "compatible", "ollama"];
  const kind = { is: "field", name: "kind", of: { is: "one-of", choices: kinds } };
  const wrongField = (name: string, is: string, ...values: readonly unknown[]) =>
    values.map(
      (value) =>
        [{ p: { ...provider, [name]: value } }, { path: ["p", name], expected: field(name, is) }] as const,
    );

  it("has a row for each provider, whose address is known", () => {
    const far = { baseUrl: "https://example.org/v1", keyVariable: "_KEY_9", model: "m" };
    const table = Object.fromEntries(kinds.map((each) => [each, { ...far, kind: each }]));
    for (const each of [{}, table, { "9-a.b_C": provider }]) {
      expect([providers.fromJson(each), providers.fromText(JSON.stringify(each))]).toEqual([each, each]);
    }
  });

  it("names the first row or field that is wrong", () => {
    expectWrong(providers, [
      ["p", { path: [], expected: { is: "providers" } }],
      [{ p: null }, { path: ["p"], expected: { is: "object" } }],
      [{ p: { baseUrl: "http://a" } }, { path: ["p"], expected: kind }],
      [{ p: { kind: "ollama" } }, { path: ["p"], expected: field("baseUrl", "web-address") }],
      [{ p: { ...provider, kind: "x" } }, { path: ["p", "kind"], expected: kind }],
      ...wrongField("baseUrl", "web-address", "localhost:1", "ftp://a", "/a", "xhttp://a", "httpsx://a", 5, [
        "http://a",
      ]),
      ...wrongField("keyVariable", "variable-name", "9K", "K-1", "K 1", " K", "", 5, ["KEY"]),
      ...wrongField("model", "model-name", "", 5),
    ]);
  });

  it("names a row whose name cannot be a provider's", () => {
    expectWrong(
      providers,
      ["-p", "", "p q", "p/q", "pé"].map((name) => [{ [name]: provider }, wrongName(name, "provider-name")]),
    );
  });
});

describe("a value as text", () => {
  it("is written so that it can be read again, and shown on one line", () => {
    const models = { "a/b": { window: 5 } };
    const values: readonly SettingValue[] = [true, 5, "", "a b", [], ["Read", "Bash(a, b)"], {}, models];
    expect(values.map((value) => [valueText(value), shownValue(value)])).toEqual([
      ["true", "true"],
      ["5", "5"],
      ["", "none"],
      ["a b", "a b"],
      ["", "none"],
      ["Read\nBash(a, b)", "Read, Bash(a, b)"],
      ["{}", "none"],
      ['{"a/b":{"window":5}}', '{"a/b":{"window":5}}'],
    ]);
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
