import { readFileSync } from "node:fs";
import fc from "fast-check";
import { countTokens as countCl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { countTokens as countO200k } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../../src/timeline/token-estimate.ts";

const fixture = (name: string): string =>
  readFileSync(new URL(`../../fixtures/tokens/${name}.txt`, import.meta.url), "utf8");

const errorOf = (estimate: number, truth: number): number => Math.abs(estimate / truth - 1);

const CHINESE = ["prose-chinese", "guide-chinese"];
const OTHERS = [
  "source-typescript",
  "source-python",
  "data-json",
  "handbook-english",
  "shell-log",
  "change-diff",
];

const PARTS = ["context", "Http", "ID", "42", " ", "    ", "\n", ".", "});", "----", "回到", "，", "🎯"];

/** Text as sessions contain it: words, numbers, punctuation, Han, emoji, and unpaired surrogates. */
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.array(fc.nat(0xffff), { maxLength: 200 }).map((units) => String.fromCharCode(...units)),
  fc.array(fc.constantFrom(...PARTS), { maxLength: 120 }).map((parts) => parts.join("")),
);

/** A cut can fall inside one run on each side, and a digit influences up to sixteen letters across it. */
const CUT_COST = 12;

describe("estimating tokens", () => {
  it.each([...CHINESE, ...OTHERS])("is within 15 %% of o200k_base for %s", (name) => {
    const text = fixture(name);
    expect(errorOf(estimateTokens(text), countO200k(text))).toBeLessThanOrEqual(0.15);
  });

  it.each(["guide-chinese", ...OTHERS])("is within 15 %% of cl100k_base for %s", (name) => {
    const text = fixture(name);
    expect(errorOf(estimateTokens(text), countCl100k(text))).toBeLessThanOrEqual(0.15);
  });

  it("is at least four times nearer than characters over four for Chinese prose", () => {
    const text = fixture("prose-chinese");
    const truth = countO200k(text);
    expect(errorOf(text.length / 4, truth)).toBeGreaterThan(4 * errorOf(estimateTokens(text), truth));
  });

  it("is within 15 % for hexadecimal, where words would mislead", () => {
    const text = Array.from({ length: 400 }, (_, index) => ((index + 1) * 2654435761).toString(16)).join("");
    expect(errorOf(estimateTokens(text), countO200k(text))).toBeLessThanOrEqual(0.15);
  });

  it("is 0 for the empty text, and for no other", () => {
    expect(["", " ", "\n", "a", "\ud83c"].map(estimateTokens)).toEqual([0, 1, 1, 1, 1]);
  });

  it("is exact for short and long texts of any alphabet, one after the other", () => {
    const texts = [" word", "語", " word".repeat(20_000), "语".repeat(70_000), " word"];
    expect(texts.map(estimateTokens)).toEqual([1, 1, 20_000, 57_400, 1]);
  });

  // A quadratic implementation would take days here, and the runner's timeout would report it. Mutation testing runs this
  // for each mutant, so it uses less.
  const million = process.env["WORLDLINE_MUTATION_TESTS"] === undefined ? 1_000_000 : 1_000;
  it.each(["a", " ", "\n", "中", "-", "\udc00", "x9", "aB", "é "])(
    "takes ten million characters of %j",
    (unit) => {
      expect(estimateTokens(unit.repeat((10 * million) / unit.length))).toBeGreaterThan(0);
    },
  );

  it("law: a text costs what its parts cost, within a bound per cut", () => {
    fc.assert(
      fc.property(anyText, anyText, (left, right) => {
        const parts = estimateTokens(left) + estimateTokens(right);
        expect(Math.abs(estimateTokens(left + right) - parts)).toBeLessThanOrEqual(CUT_COST);
      }),
      { numRuns: 2000 },
    );
  });

  it("law: an estimate is a whole number, positive unless the text is empty", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const estimate = estimateTokens(text);
        expect(Number.isSafeInteger(estimate)).toBe(true);
        expect(estimate > 0).toBe(text !== "");
      }),
    );
  });
});
