import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { replaceText } from "../../../src/agent/tools/edit.ts";

const pieces = fc.array(fc.constantFrom("a", "b", "\n", "\r\n", "\r", "é", "😀"), { maxLength: 30 });

describe("replacing text", () => {
  it("gives new lines the ends of those that they replace", () => {
    const mixed = "a\r\nb\nc\n";
    expect(replaceText(mixed, { old: "a\nb", by: "x\ny", times: "once" })).toEqual({
      text: "x\r\ny\nc\n",
      pieces: [{ start: 0, end: 4 }],
    });
    expect(replaceText(mixed, { old: "b\nc", by: "x\ny", times: "once" })).toEqual({
      text: "a\r\nx\ny\n",
      pieces: [{ start: 3, end: 6 }],
    });
  });

  it("knows that writing CRLF for CRLF changes nothing", () => {
    expect(replaceText("a\r\n", { old: "a\n", by: "a\r\n", times: "once" })).toEqual({
      refused: "unchanged",
    });
  });

  it("law: without carriage returns it is what split and join do", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "b", "\n"), { maxLength: 30 }), (all) => {
        const text = all.join("");
        const replaced = replaceText(text, { old: "a", by: "[new]", times: "all" });
        expect("refused" in replaced ? text : replaced.text).toBe(text.split("a").join("[new]"));
      }),
    );
  });

  it("law: everything around what is replaced stays, to the byte", () => {
    fc.assert(
      fc.property(pieces, pieces, (before, after) => {
        const [left, right] = [before.join(""), after.join("")];
        const replaced = replaceText(`${left}<old\r\nlines>${right}`, {
          old: "<old\nlines>",
          by: "N",
          times: "once",
        });
        expect(replaced).toEqual({
          text: `${left}N${right}`,
          pieces: [{ start: left.length, end: left.length + 1 }],
        });
      }),
    );
  });
});
