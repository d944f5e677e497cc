import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { oneLine, printable, printableJson } from "../../../src/cli/output/printable.ts";
import { guarded } from "../../../src/cli/output/style.ts";

describe("text for a terminal", () => {
  it.each([
    ["a\u001b]0;owned\u0007b", "a\u241b]0;owned\u2407b"],
    ["two\r\nlines\n\tindented", "two\nlines\n\tindented"],
    ["over\rwritten", "over\u240dwritten"],
    ["c1 \u009b31m del \u007f", "c1 \\u009b31m del \u2421"],
    ["user\u202eexe.txt", "user\\u202eexe.txt"],
    ["漢字 👩‍👩‍👧 é", "漢字 👩‍👩‍👧 é"],
  ])("%j is shown as %j", (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it("is one line where only one fits", () => {
    expect(oneLine(" a\r\n\tb\u2028c\u001b ")).toBe("a b c\u241b");
  });

  it("law: no control character but line breaks and tabs is left, and the rest stays", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(printable(text)).not.toMatch(/[^\P{Cc}\n\t]/u);
        expect(printable(printable(text))).toBe(printable(text));
      }),
    );
  });

  it("law: JSON says the same with nothing in it that a terminal obeys", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const json = printableJson({ text });
        expect(JSON.parse(json)).toEqual({ text });
        expect(json).not.toMatch(/[^\P{Cc}\n]/u);
      }),
    );
  });

  it("lets our own colours through and nobody else's sequences", () => {
    expect(guarded("\u001b[2mdim\u001b[22m \u001b[8mhidden\u001b[2J")).toBe(
      "\u001b[2mdim\u001b[22m \u241b[8mhidden\u241b[2J",
    );
  });
});
