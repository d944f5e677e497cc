import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { oneLine, printable, printableJson } from "../../src/record/visible-text.ts";
import { painterFor } from "../../src/show/style.ts";

describe("text for a terminal", () => {
  it.each([
    ["a\u001b]0;owned\u0007b", "a\u241b]0;owned\u2407b"],
    ["two\r\nlines\n\tindented", "two\nlines\n\tindented"],
    ["over\rwritten", "over\u240dwritten"],
    ["c1 \u009b31m del \u007f", "c1 <U+009B>31m del \u2421"],
    ["user\u202eexe.txt", "user<U+202E>exe.txt"],
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

  it("is JSON on several lines, or on one", () => {
    const value = { text: "a\u200b" };
    expect(printableJson(value)).toBe('{\n  "text": "a\\u200b"\n}');
    expect(printableJson(value, "lines")).toBe(printableJson(value));
    expect(printableJson(value, "line")).toBe('{"text":"a\\u200b"}');
  });

  it("has only our own colors, never foreign ones, not even equal ones", () => {
    const { style, finished } = painterFor({ isTTY: true }, {});
    const foreign = "\u001b[31mred\u001b[39m";
    expect(finished(`${foreign} ${style.dim(`dim ${foreign}`)} ${foreign}`)).toBe(
      "\u241b[31mred\u241b[39m \u001b[2mdim \u241b[31mred\u241b[39m\u001b[22m \u241b[31mred\u241b[39m",
    );
  });

  it("does not take another painter's marks for its own", () => {
    const [one, other] = [painterFor({ isTTY: true }, {}), painterFor({ isTTY: true }, {})];
    expect(one.finished(other.style.red("forged"))).toMatch(/^\u241b\S+\[31mforged\u241b\S+\[39m$/u);
  });

  it("law: only what was painted brings a control character to a terminal", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const { style, finished } = painterFor({ isTTY: true }, {});
        expect(finished(text + style.bold(text) + text)).toBe(
          `${printable(text)}\u001b[1m${printable(text)}\u001b[22m${printable(text)}`,
        );
      }),
    );
  });
});
