import { describe, expect, it } from "vitest";
import { WorldlineError } from "../../src/record/error.ts";
import {
  checkArgument,
  checkArguments,
  checkOptions,
  type OptionKind,
  option,
} from "../../src/record/options.ts";

/** The reason and the parameters of the error that a call throws; undefined if it throws none. */
function refusal(call: () => void): unknown {
  try {
    call();
  } catch (error) {
    if (!(error instanceof WorldlineError)) throw error;
    expect(error.code).toBe("INPUT_INVALID");
    return { reason: error.reason, params: error.params };
  }
  return undefined;
}

class Unrelated {
  readonly append = 1;
}
const store = { append: () => 0, lease: () => 0 };

describe.each<[string, OptionKind, readonly unknown[], readonly unknown[]]>([
  ["text", option.text, ["", "x"], [5, null, undefined, ["x"]]],
  ["a path", option.path, ["/a", "."], ["", 5, undefined, ["/a"]]],
  ["a flag", option.flag, [true, false], [0, "true", null]],
  ["an amount", option.amount, [0, 1.5, Infinity], [-1, Number.NaN, "5", null, []]],
  ["a number", option.number, [-1.5, 0, Infinity], [Number.NaN, "5", null]],
  ["an ordinal", option.ordinal, [1, 2 ** 53 - 1], [0, -1, 1.5, 2 ** 53, "1"]],
  ["a callback", option.callback, [() => 0, Unrelated], [{}, "f", null]],
  [
    "an object",
    option.object,
    [{}, Object.create(null), new Map(), new Unrelated()],
    [null, undefined, [], "x", 5, () => 0],
  ],
  [
    "a signal",
    option.signal,
    [new AbortController().signal, { aborted: false }],
    [{}, null, "aborted", ["aborted"]],
  ],
  ["a store", option.store, ["sqlite", "", store], [{}, new Unrelated(), { lease: 1 }, null, 5, [store]]],
  ["an open store", option.openStore, [store], ["sqlite", new Unrelated(), { lease: 1 }, {}, null]],
  ["a view", option.view, [{ outline: {} }], [{}, null, "outline"]],
  [
    "deps",
    option.deps,
    [{ store, clock: {} }],
    [{ store }, { clock: {} }, { store: {}, clock: {} }, { store: "sqlite", clock: {} }, {}, null, "x"],
  ],
  [
    "bytes",
    option.bytes,
    [new Uint8Array(1), Buffer.from("x"), { read: () => 0 }],
    [{}, { read: 5 }, [1, 2], "bytes", null],
  ],
  ["a clock", option.clock, [{ now: () => 0 }], [{}, null, "now"]],
  ["anything", option.anything, [undefined, null, 0, "", [], {}], []],
  ["one of some words", option.oneOf("on", "off"), ["on", "off"], ["On", "", undefined, true, ["on"]]],
  ["optional text", option.optional(option.text), ["", undefined], [null, 5]],
  ["a list of text", option.listOf(option.text), [[], ["a", "b"]], [["a", 5], [5], "a", null, undefined]],
  ["text or a flag", option.either(option.text, option.flag), ["a", true], [5, undefined, null]],
])("an option that is %s", (_what, { holds }, accepted, refused) => {
  it("accepts exactly its values", () => {
    expect(accepted.filter((value) => !holds(value))).toEqual([]);
    expect(refused.filter((value) => holds(value))).toEqual([]);
  });
});

describe("the description of an option", () => {
  it.each<[OptionKind, unknown]>([
    [option.path, { must: { must: "path" } }],
    [option.openStore, { must: { must: "open-store" } }],
    [option.oneOf("on", "off"), { must: { must: "one-of", words: ["on", "off"] }, words: ["on", "off"] }],
    [option.optional(option.flag), { must: { must: "optional", of: { must: "flag" } } }],
    [option.listOf(option.text), { must: { must: "list", of: { must: "text" } } }],
    [
      option.either(option.text, option.flag),
      { must: { must: "either", of: [{ must: "text" }, { must: "flag" }] } },
    ],
  ])("contains the descriptions of its parts: %j", ({ holds: _holds, ...kind }, described) => {
    expect(kind).toEqual(described);
  });
});

interface Options {
  readonly mode?: "agent" | "chat";
  readonly name?: string;
  readonly waitMs?: number;
}
const kinds = { mode: option.oneOf("agent", "chat"), name: option.text, waitMs: option.amount };
const call = "openPool";
const names = ["mode", "name", "waitMs"];
const check = (value: unknown, rules: object = {}) =>
  refusal(() => checkOptions<Options>(value, { call, kinds, ...rules }));

describe("the options of a call", () => {
  it.each<[string, unknown, object?]>([
    ["none are given", {}],
    ["all are right", { mode: "chat", name: "x", waitMs: 0 }],
    ["one is undefined", { mode: undefined }],
    ["they have no prototype", Object.assign(Object.create(null) as object, { name: "x" })],
    ["all that are needed are given", { name: "" }, { needed: ["name"] }],
    ["others are ignored", { nmae: 5 }, { others: "ignored" }],
    ["others are ignored, and they have a class", new Unrelated(), { others: "ignored" }],
  ])("are accepted when %s", (_what, value, rules) => {
    expect(check(value, rules)).toBeUndefined();
  });

  it.each<[unknown, object, unknown]>([
    [
      { nmae: "x" },
      {},
      { reason: "option-unknown", params: { call, option: "nmae", near: "name", options: names } },
    ],
    [
      { name: "x", toString: 1 },
      {},
      { reason: "option-unknown", params: { call, option: "toString", near: undefined, options: names } },
    ],
    [
      { mode: "agnet" },
      {},
      {
        reason: "option-wrong",
        params: {
          call,
          option: "mode",
          must: kinds.mode.must,
          given: { is: "value", text: '"agnet"' },
          near: "agent",
        },
      },
    ],
    [
      { mode: 5 },
      {},
      {
        reason: "option-wrong",
        params: {
          call,
          option: "mode",
          must: kinds.mode.must,
          given: { is: "value", text: "5" },
          near: undefined,
        },
      },
    ],
    [
      { waitMs: "wait" },
      { others: "ignored" },
      {
        reason: "option-wrong",
        params: {
          call,
          option: "waitMs",
          must: { must: "amount" },
          given: { is: "value", text: '"wait"' },
          near: undefined,
        },
      },
    ],
    [
      { mode: "chat", name: undefined },
      { needed: ["mode", "name"] },
      { reason: "option-missing", params: { call, option: "name", must: { must: "text" } } },
    ],
    [
      "agent",
      {},
      {
        reason: "options-not-an-object",
        params: { call, must: { must: "object" }, given: { is: "value", text: '"agent"' }, options: names },
      },
    ],
    [
      null,
      {},
      {
        reason: "options-not-an-object",
        params: { call, must: { must: "object" }, given: { is: "value", text: "null" }, options: names },
      },
    ],
    [
      null,
      { others: "ignored" },
      {
        reason: "options-not-an-object",
        params: { call, must: { must: "object" }, given: { is: "value", text: "null" }, options: names },
      },
    ],
    [
      [],
      {},
      {
        reason: "options-not-an-object",
        params: { call, must: { must: "object" }, given: { is: "list" }, options: names },
      },
    ],
    [
      new Map(),
      {},
      {
        reason: "options-not-an-object",
        params: {
          call,
          must: { must: "plain-object" },
          given: { is: "instance", text: "Map" },
          options: names,
        },
      },
    ],
  ])("are refused when they are %j with the rules %j", (value, rules, refused) => {
    expect(check(value, rules)).toEqual(refused);
  });
});

describe("an argument", () => {
  it("is refused by its name and kind", () => {
    expect(refusal(() => checkArgument("1", "checkpoint-id", option.text))).toBeUndefined();
    expect(refusal(() => checkArgument(1, "checkpoint-id", option.text))).toEqual({
      reason: "argument-wrong",
      params: { argument: "checkpoint-id", must: { must: "text" }, given: { is: "value", text: "1" } },
    });
  });

  it("is refused before the arguments after it, with the names of all", () => {
    const given = (id: unknown, work: unknown) => () =>
      checkArguments("runStep", { id: [id, option.text], work: [work, option.callback] });
    expect(refusal(given("a", () => 0))).toBeUndefined();
    expect(refusal(given("a", {}))).toEqual({
      reason: "call-argument-wrong",
      params: {
        call: "runStep",
        argument: "work",
        must: { must: "callback" },
        given: { is: "object" },
        names: ["id", "work"],
      },
    });
    expect(refusal(given(1, 2))).toMatchObject({ params: { argument: "id" } });
  });

  const withoutConstructor: unknown = Object.create(Object.create(Object.create(null) as object) as object);

  it.each<[string, unknown, unknown]>([
    ["a short text", 'say "hi"', { is: "value", text: String.raw`"say \"hi\""` }],
    ["a text of 40 characters", "x".repeat(40), { is: "value", text: `"${"x".repeat(40)}"` }],
    ["a longer text", "x".repeat(41), { is: "value", text: `"${"x".repeat(40)}…"` }],
    ["a number", 1.5, { is: "value", text: "1.5" }],
    ["undefined", undefined, { is: "value", text: "undefined" }],
    ["null", null, { is: "value", text: "null" }],
    ["a symbol", Symbol("s"), { is: "value", text: "Symbol(s)" }],
    ["a function", () => 0, { is: "function" }],
    ["a class", Unrelated, { is: "function" }],
    ["a list", [1], { is: "list" }],
    ["an object", { constructor: "no" }, { is: "object" }],
    ["an object without a prototype", Object.create(null), { is: "object" }],
    ["an instance of a class", new Unrelated(), { is: "instance", text: "Unrelated" }],
    ["an instance of a class without a name", new (class {})(), { is: "class" }],
    ["an object whose prototype has no constructor", withoutConstructor, { is: "class" }],
  ])("is described in the error as %s", (_what, value, given) => {
    const never: OptionKind = { must: { must: "text" }, holds: () => false };
    expect(refusal(() => checkArgument(value, "checkpoint-id", never))).toMatchObject({ params: { given } });
  });
});
