import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { oneLine, printable } from "../../../../src/tui/transcript/text/printable.ts";

describe("text of others", () => {
  it.each([
    ["loses its colours", "\u001b[31mred\u001b[0m", "red"],
    [
      "loses its commands to the terminal",
      "a\u001b]0;title\u0007b\u001b]52;c;AAAA\u001b\\c\u001bPq\u001b\\d\u001bc",
      "abcd",
    ],
    ["loses those of one byte", "a\u009b31mb", "ab"],
    ["loses the beginning of a command that does not end", "a\u001b]0;never ends", "a0;never ends"],
    ["keeps what was written last on a line", "10 %\r50 %\r100 %\ndone\r\n", "100 %\ndone\n"],
    ["has spaces for tabs", "a\tb", "a    b"],
    ["shows other controls", "a\u0000\u0008b\u007f", "a\u2400\u2408b\u2421"],
    ["cannot turn its order around", "a\u202eb", "a\ufffdb"],
    ["keeps words of all scripts", "回溯 👩‍👩‍👧 é\n", "回溯 👩‍👩‍👧 é\n"],
  ])("%s", (_, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it("fits on one line", () => {
    expect(oneLine("a\n\n b\u2028c\u001b[2J ")).toBe("a b c");
  });

  it("law: nothing that controls a terminal is left", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(printable(text)).not.toMatch(/(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });
});
