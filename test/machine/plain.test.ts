import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPlain } from "../../src/machine/check-input.ts";

const circle: { self?: unknown } = {};
circle.self = circle;

function nested(depth: number): unknown {
  return depth === 0 ? "x" : [nested(depth - 1)];
}

describe("a value that is sure to be written as JSON", () => {
  it("law: is written without fail", () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withBoxedValues: true }), (value) => {
        if (isPlain(value)) JSON.stringify(value);
      }),
      { numRuns: 2000 },
    );
  });

  it("law: is whatever was JSON before", () => {
    fc.assert(fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => isPlain(value)));
  });

  it.each([
    ["a circle", circle],
    ["many circles", Array.from({ length: 50 }, () => circle)],
    ["a BigInt", { input: 1n }],
    ["a boxed BigInt", { input: Object(1n) }],
    ["a text of its own making", { toJSON: () => 1n }],
    ["a list with a billion holes", new Array(1_000_000_000)],
    ["a nesting deeper than any entry's", nested(100)],
    ["a text of a million characters", "x".repeat(1_000_001)],
  ])("is not said of %s", (_, value) => {
    expect(isPlain(value)).toBe(false);
  });
});
