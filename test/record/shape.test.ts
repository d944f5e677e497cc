import { describe, expect, it } from "vitest";
import type { EntryKind } from "../../src/record/entry.ts";
import { isSpilled, misshapenField } from "../../src/record/shape.ts";

const hash = "a".repeat(64);
const call = { type: "tool-call", call: "c1", name: "Read" };
const reply = (part: unknown) => ({ parts: [part], model: "m", estimate: 1 });

interface Values {
  readonly right: readonly unknown[];
  readonly wrong: readonly unknown[];
}

describe.each<[EntryKind, string, (value: unknown) => object, Values]>([
  [
    "checkpoint-delete",
    "index",
    (index) => ({ index, attempt: 1 }),
    { right: [0, 1.5, 2 ** 60], wrong: [-1, Number.NaN, Infinity, "5", [5], null, undefined] },
  ],
  [
    "checkpoint-delete",
    "attempt",
    (attempt) => ({ index: 0, attempt }),
    { right: [1, 2 ** 53 - 1], wrong: [0, -1, 1.5, 2 ** 53, "1", null, undefined] },
  ],
  [
    "title",
    "title",
    (title) => ({ title }),
    {
      right: ["", "Pool", { $blob: hash, start: "Po", length: 4 }],
      wrong: [
        5,
        null,
        undefined,
        ["Pool"],
        { $blob: hash },
        { $blob: hash, start: 5 },
        { $blob: "../a", start: "" },
      ],
    },
  ],
  [
    "interrupt",
    "by",
    (by) => ({ by }),
    { right: ["person", "crash", "limit"], wrong: ["", "Person", ["person"], null, undefined] },
  ],
  [
    "prompt",
    "parts",
    (part) => ({ parts: [{ type: "text", text: "x" }, part], estimate: 1 }),
    {
      right: [
        { type: "text", text: "" },
        { type: "image", mediaType: "image/png", data: "" },
      ],
      wrong: [
        null,
        "text",
        [],
        {},
        { type: "text" },
        { type: ["text"], text: "" },
        { type: "video", text: "" },
        // Names that every object of JavaScript inherits.
        { type: "__proto__" },
        { type: "constructor" },
        { type: "toString" },
      ],
    },
  ],
  [
    "reply",
    "parts",
    reply,
    {
      right: [
        { ...call, input: null },
        { ...call, input: { a: 1 }, malformed: "{" },
        { type: "thinking", text: "" },
      ],
      wrong: [call, { ...call, input: {}, malformed: 5 }, { type: "thinking", text: "", signature: 5 }],
    },
  ],
  [
    "reply",
    "usage",
    (usage) => ({ ...reply({ type: "text", text: "" }), usage }),
    {
      right: [undefined, { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 }],
      wrong: [null, [], {}, { input: 1, output: 2, cacheRead: 0 }],
    },
  ],
])("an entry of kind %s with the field %s", (kind, field, bodyWith, { right, wrong }) => {
  it.each(right.map((value) => [value]))("is well-formed with %j", (value) => {
    expect(misshapenField(kind, { ...bodyWith(value) })).toBeUndefined();
  });

  it.each(wrong.map((value) => [value]))("is malformed with %j", (value) => {
    expect(misshapenField(kind, { ...bodyWith(value) })).toBe(field);
  });
});

describe("a spilled text", () => {
  it.each([
    [{ $blob: hash, start: "" }, true],
    [{ $blob: hash }, false],
    [{ $blob: "a", start: "" }, false],
    [{ start: "" }, false],
    [null, false],
    [hash, false],
  ])("is recognized by its hash and its start: %j is %j", (value, spilled) => {
    expect(isSpilled(value)).toBe(spilled);
  });
});
