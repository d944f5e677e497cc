import { visibleWidth } from "@earendil-works/pi-tui";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cut, wrapped } from "../../../src/tui/look/text.ts";

describe("lines", () => {
  it("are cut by columns, and never inside of a character", () => {
    expect(cut("世界你好", 5)).toBe("世界…");
    expect(cut("世界你好", 4)).toBe("世…");
    expect(cut("abc", 3)).toBe("abc");
    expect(cut("a\tb\u001b[31mc\n", 20)).toBe("a    b␛[31mc ");
  });

  it("break at spaces and next to wide characters, and not before closing punctuation", () => {
    expect(wrapped("the quick brown fox", 10)).toEqual(["the quick", "brown fox"]);
    expect(wrapped("有 2 个文件此后被改动，保留", 12)).toEqual(["有 2 个文件", "此后被改动，", "保留"]);
    expect(wrapped("abcdefghijkl", 5)).toEqual(["abcde", "fghij", "kl"]);
    expect(wrapped("one two three", 5, 2)).toEqual(["one", "two …"]);
  });

  it("law: fit their width, whatever they hold", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 80 }),
        fc.integer({ min: 2, max: 40 }),
        (text, width) => {
          for (const line of [cut(text, width), ...wrapped(text, width)]) {
            expect(visibleWidth(line)).toBeLessThanOrEqual(width);
          }
        },
      ),
    );
  });
});
