import { CURSOR_MARKER } from "@earendil-works/pi-tui";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { flat, harmless, oneLine, printable, spoken, typable } from "../../../src/tui/look/text.ts";

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
    ["cannot turn its order around", "a\u202eb", "a<U+202E>b"],
    ["keeps words of all scripts", "回溯 👩‍👩‍👧 é\n", "回溯 👩‍👩‍👧 é\n"],
  ])("%s", (_, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it("fits on one line", () => {
    expect(oneLine("a\n\n b\u2028c\u001b[2J ")).toBe("a b c");
  });

  it("keeps what comes before a lone return", () => {
    expect(spoken("Before\rAfter\r\nend")).toBe("Before\nAfter\nend");
    expect(oneLine("Before\rAfter")).toBe("Before After");
    expect(flat("  a\u001b[8mb\r\nc ")).toBe("  a␛[8mb c ");
  });

  it("can be typed and sent without what commands the terminal", () => {
    expect(typable("a\u001b[8mb\u001b]8;;x\u0007c\u001b_pi:c\u0007\td\r\ne\u009b3J\u0000")).toBe("abc\td\ne");
    expect(typable("\u001b[20\u001b[0m1~")).not.toContain("\u001b");
  });

  // With a cost that grows faster than the length, this would exceed any test's timeout.
  it("is read to the end, whatever it begins and does not end", () => {
    for (const opener of ["\u009d", "\u0090", "\u001b]", "\u009b", "\u001b[ ", "\r"]) {
      expect(printable(opener.repeat(400_000))).not.toContain("\u001b");
    }
  });

  it("law: nothing that controls a terminal is left", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(printable(text)).not.toMatch(/(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });
});

describe("a harmless line", () => {
  it("keeps what we draw with", () => {
    const drawn = `\u001b[1;38;5;12mbold\u001b[0m ${CURSOR_MARKER} \u001b]8;;https://example.org\u0007link\u001b]8;;\u0007`;
    expect(harmless(drawn)).toBe(drawn);
  });

  it("lets nothing else command the terminal", () => {
    expect(harmless("a\u001b[2Jb\u001b]0;title\u0007c\rd\u009b3J\u0000e\tf\u007f")).toBe(
      "a[2Jb]0;titlecd3Jef",
    );
  });
});
