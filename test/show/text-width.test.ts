import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { table } from "../../src/show/table.ts";
import { padded, shortened, widthOf } from "../../src/show/text-width.ts";

describe("the width of a text", () => {
  it.each([
    ["plain", 5],
    ["修复泄漏", 8],
    ["カタカナ", 8],
    ["한글", 4],
    ["ﾊﾝｶｸ", 4],
    ["e\u0301te\u0301", 3],
    ["👩‍👩‍👧", 2],
    ["✔", 1],
    ["❤️", 2],
    ["𠮷", 2],
    ["│ ├─●○◀…", 8],
    ["a\u200bb", 2],
    ["", 0],
  ])("of %j is %i", (text, width) => {
    expect(widthOf(text)).toBe(width);
  });
});

describe("shortening a text", () => {
  it("leaves what fits as it is", () => {
    expect(shortened("修复", 4, "…")).toBe("修复");
    expect(shortened("plain", 5, "…")).toBe("plain");
    expect(shortened("plain", Number.POSITIVE_INFINITY, "…")).toBe("plain");
  });

  it("cuts between characters, never in one that is two columns wide", () => {
    expect(shortened("修复连接池", 6, "…")).toBe("修复…");
    expect(shortened("修复连接池", 5, "...")).toBe("修...");
    expect(shortened("a👩‍👩‍👧b", 3, "…")).toBe("a…");
  });

  it("law: is never wider than asked for", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 0, max: 30 }), (text, columns) => {
        expect(widthOf(shortened(text, columns, "…"))).toBeLessThanOrEqual(columns);
      }),
    );
  });
});

describe("columns", () => {
  it("are aligned below each other, whatever they contain", () => {
    expect(padded("泄", 4)).toBe("泄  ");
    expect(
      table([
        ["#1", "修复", "x"],
        ["#12", "fix it", "y"],
      ]),
    ).toEqual(["#1   修复    x", "#12  fix it  y"]);
  });
});
