import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { graphemesIn } from "../../src/record/visible-text.ts";

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const part = fc.constantFrom(
  "a",
  " ",
  "\r",
  "\n",
  "é",
  "e\u0301",
  "中",
  "👨‍👩‍👧",
  "🇩🇪",
  "🇩",
  "\u{e0100}",
  "\ud83d",
  "\udc68",
  "\u200d",
);

describe("the graphemes of a text", () => {
  it("law: are those of Intl.Segmenter, wherever a window ends", () => {
    fc.assert(
      fc.property(fc.array(part, { minLength: 150, maxLength: 400 }), (parts) => {
        const text = parts.join("");
        expect([...graphemesIn(text, segmenter)]).toEqual(
          Array.from(segmenter.segment(text), ({ segment }) => segment),
        );
      }),
      { numRuns: 30 },
    );
  });

  it.each([253, 254, 255, 256])(
    "are whole where a window ends near a surrogate pair, after %i letters",
    (count) => {
      const before = "a".repeat(count);
      expect([...graphemesIn(`${before}\u{e0100}b`, segmenter)].slice(-2)).toEqual(["a\u{e0100}", "b"]);
      expect([...graphemesIn(`${before}\ud83d\u{e0100}b`, segmenter)].slice(-2)).toEqual([
        "\ud83d\u{e0100}",
        "b",
      ]);
    },
  );

  it.each([
    ["a long line", "é".repeat(200_000), 200_000],
    ["a long line of halves of surrogate pairs", "\ud83d".repeat(200_000), 200_000],
    ["one long grapheme", `e${"\u0301".repeat(200_000)}`, 1],
  ])("are found in linear time in %s", (_what, text, count) => {
    const started = performance.now();
    expect([...graphemesIn(text, segmenter)]).toHaveLength(count);
    // Plain Intl.Segmenter takes more than ten seconds for the first case.
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});
