import { visibleWidth } from "@earendil-works/pi-tui";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clip, padded, wrap } from "../../../src/tui/look/text.ts";

describe("lines in their room", () => {
  it("are cut with a sign, which a room that is too small has not", () => {
    expect([clip("abcdef", 4, "…"), clip("abcdef", 4, "..."), clip("abcdef", 3, "...")]).toEqual([
      "abc…",
      "a...",
      "abc",
    ]);
    expect([clip("世界你好", 5, "…"), clip("e\u0301e\u0301e\u0301", 2, "…"), clip("abc", 0, "…")]).toEqual([
      "世界…",
      "e\u0301…",
      "",
    ]);
  });

  it("get no colors that they did not have", () => {
    expect(clip("abcdef", 4, "…")).not.toContain("\u001b");
    expect(clip("\u001b[1mabcdef\u001b[22m", 4, "…")).toContain("\u001b[1mabc");
  });

  it("break at spaces, keep how far in they begin, and are cut where nothing breaks", () => {
    expect(wrap("  the quick brown fox", 11)).toEqual(["  the quick", "brown fox"]);
    expect(wrap("abcdefghij kl", 4)).toEqual(["abcd", "efgh", "ij", "kl"]);
    expect(wrap("one\n\ntwo", 9)).toEqual(["one", "", "two"]);
    expect(padded("世", 4)).toBe("世  ");
  });

  it("law: fit, and lose nothing but spaces", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "bc", " ", "世", "，", "é", "👩‍👩‍👧"),
      maxLength: 60,
    });
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 20 }), (all, width) => {
        const lines = wrap(all, width);
        expect(Math.max(...lines.map(visibleWidth))).toBeLessThanOrEqual(width);
        expect(lines.join("").replaceAll(" ", "")).toBe(all.replaceAll(" ", ""));
      }),
    );
  });
});
