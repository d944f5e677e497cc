import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { graphemesOf, isSimple } from "../../../src/tui/look/text.ts";

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const asUnicodeHasThem = (text: string): string[] =>
  Array.from(segmenter.segment(text), ({ segment }) => segment);

describe("graphemes", () => {
  it("are separated without Unicode's tables only if no character joins another", () => {
    const simple = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(isSimple);
    const joining = simple.filter(
      (one) => asUnicodeHasThem(`中${one}a`).length !== 3 || asUnicodeHasThem(`${one}${one}`).length !== 2,
    );
    expect([simple.length > 20_000, joining]).toEqual([true, []]);
  });

  it("law: are those of Unicode", () => {
    const unit = fc.constantFrom(
      "a",
      "中",
      "，",
      "❯",
      "❤",
      "\ufe0f",
      "\u200d",
      "👩",
      "🏽",
      "e",
      "\u0301",
      "🇩",
      "🇪",
      "\ud83d",
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 400 }), (text) => {
        expect([...graphemesOf(text)]).toEqual(asUnicodeHasThem(text));
      }),
    );
  });
});
