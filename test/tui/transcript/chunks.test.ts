import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chunk, grow, NO_CHUNKS, piecesOf } from "../../../src/tui/transcript/chunks.ts";

const line = fc.oneof(
  fc.constantFrom("", "", "```ts", "```", "~~~", "- item", "  more of it", "| a | b |", "# Title", "word"),
  fc.string({ maxLength: 20 }),
);
const text = fc.array(line, { maxLength: 300 }).map((lines) => lines.join("\n"));

describe("cutting a text into pieces", () => {
  it("cuts at blank lines before what can be on its own", () => {
    expect(chunk("one\n\ntwo\n\n  of two\n\n- three\n").map((piece) => piece.text)).toEqual([
      "one\n\n",
      "two\n\n  of two\n\n",
      "- three\n",
    ]);
  });

  it("does not cut at blank lines inside code", () => {
    expect(chunk("```js\na\n\nb\n```\n").map((piece) => piece.text)).toEqual(["```js\na\n\nb\n```\n"]);
  });

  it("cuts long code every 40 lines, and says what it is inside of", () => {
    const code = Array.from({ length: 90 }, (_, index) => `line ${index}`);
    const pieces = chunk(["```js", ...code, "```", ""].join("\n"));
    const fence = { sign: "`", length: 3, language: "js" };
    expect(pieces.map(({ text: all, ...rest }) => [all.split("\n").length - 1, rest])).toEqual([
      [40, { start: "apart" }],
      [40, { start: "joined", fence }],
      [12, { start: "joined", fence }],
    ]);
  });

  it("cuts prose that has no blank line", () => {
    const pieces = chunk(Array.from({ length: 1000 }, (_, index) => `- item ${index}\n`).join(""));
    expect(Math.max(...pieces.map((piece) => piece.text.split("\n").length - 1))).toBe(120);
  });

  it("cuts a line that never ends, at a space where there is one", () => {
    const sizes = (all: string) => chunk(all).map((piece) => piece.text.length);
    expect(sizes("lorem ipsum ".repeat(1_000))).toEqual([4092, 4092, 3816]);
    expect(sizes("x".repeat(10_000))).toEqual([4096, 4096, 1808]);
  });

  it("law: the pieces are the text", () => {
    fc.assert(
      fc.property(text, (all) => {
        expect(
          chunk(all)
            .map((piece) => piece.text)
            .join(""),
        ).toBe(all);
      }),
    );
  });

  it("law: all pieces of a beginning but its last are pieces of the whole", () => {
    fc.assert(
      fc.property(text, fc.nat(5000), (all, length) => {
        const begun = chunk(all.slice(0, length)).slice(0, -1);
        expect(chunk(all).slice(0, begun.length)).toEqual(begun);
      }),
    );
  });

  it("law: it is the same however the text arrives, very long lines too", () => {
    const long = fc
      .tuple(text, fc.integer({ min: 0, max: 40_000 }))
      .map(([all, size]) => all + "x".repeat(size));
    fc.assert(
      fc.property(long, fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 1 }), (all, sizes) => {
        let chunks = NO_CHUNKS;
        for (let at = 0, turn = 0; at < all.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1;
          chunks = grow(chunks, all.slice(at, at + size));
          at += size;
        }
        expect(piecesOf(chunks)).toEqual(chunk(all));
      }),
    );
  });
});
