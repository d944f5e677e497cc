import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  cacheHitRate,
  isDeeperThan,
  noUsage,
  type Part,
  type ReplyPart,
  sumOfUsage,
  textOf,
  type Usage,
} from "../../src/record/parts.ts";

const leaf = fc.constantFrom<unknown>("text", 7, true, null, undefined);

/** A value in which `depth` lists and objects contain each other, next to values that are less deep. */
const nested = fc
  .tuple(leaf, fc.array(fc.tuple(fc.constantFrom("list", "object"), leaf), { maxLength: 12 }))
  .map(([inner, layers]) => ({
    depth: layers.length,
    value: layers.reduce<unknown>(
      (value, [layer, beside]) => (layer === "list" ? [beside, value] : { beside, value }),
      inner,
    ),
  }));

describe("the depth of a value", () => {
  it("law: is the number of lists and objects that contain each other", () => {
    fc.assert(
      fc.property(nested, fc.nat(13), ({ depth, value }, levels) => {
        expect(isDeeperThan(value, levels)).toBe(depth > levels);
      }),
    );
  });

  it.each<[unknown, number]>([
    [[], 0],
    [{}, 0],
    [[[], {}], 1],
    [{ a: { b: {} } }, 2],
  ])(
    "does not count what an empty list or object could contain: %j is not deeper than %i",
    (value, levels) => {
      expect(isDeeperThan(value, levels)).toBe(false);
    },
  );

  it("may be more than a recursive check could follow", () => {
    let value: unknown = 0;
    for (let depth = 0; depth < 100_000; depth += 1) value = [value];
    expect([isDeeperThan(value, 99_999), isDeeperThan(value, 100_000)]).toEqual([true, false]);
  });
});

describe("the usage of several requests", () => {
  const usage: Usage = { input: 100, output: 20, cacheRead: 60, cacheWrite: 7 };

  it("is added up count by count", () => {
    const more = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };
    expect(sumOfUsage(usage, more)).toEqual({ input: 101, output: 22, cacheRead: 63, cacheWrite: 11 });
    expect(sumOfUsage(noUsage, usage)).toEqual(usage);
  });

  it("says what fraction of the input came from the cache, if there was any input", () => {
    expect([cacheHitRate(usage), cacheHitRate(noUsage)]).toEqual([0.6, undefined]);
  });
});

describe("the text of parts", () => {
  const parts: readonly (Part | ReplyPart)[] = [
    { type: "text", text: "one" },
    { type: "image", mediaType: "image/png", data: "aGk=" },
    { type: "thinking", text: "hidden" },
    { type: "tool-call", call: "c1", name: "Read", input: {} },
    { type: "text", text: "two" },
  ];

  it("is on one line for each text, without images, thinking, and calls", () => {
    expect(textOf(parts)).toBe("one\ntwo");
    expect(textOf([])).toBe("");
  });
});
