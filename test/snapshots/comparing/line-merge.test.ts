import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeEdits } from "../../../src/snapshots/comparing/merge-file.ts";

type TextEdit = [before: string, after: string];

function merge(target: string, ...edits: TextEdit[]): string | undefined {
  const asBytes = edits.map(([before, after]) => ({
    before: Buffer.from(before),
    after: Buffer.from(after),
  }));
  return mergeEdits(Buffer.from(target), asBytes)?.toString();
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}\n`);

/** Few distinct lines, so that there is much to confuse. */
const anyText = fc
  .tuple(
    fc.array(fc.constantFrom("a\n", "b\n", "\n", "c\r\n", "ä\n"), { maxLength: 12 }),
    fc.constantFrom("", "end"),
  )
  .map(([lines, end]) => lines.join("") + end);

describe("merging outside edits", () => {
  it("puts an edit onto lines that have moved", () => {
    expect(merge("new\na\nb\nc\n", ["a\nb\nc\n", "a\nb\nC\n"])).toBe("new\na\nb\nC\n");
  });

  it("puts several edits on, one after the other", () => {
    expect(merge("0\na\nb\nc\nd\n", ["a\nb\nc\nd\n", "a\nB\nc\nd\n"], ["a\nB\nc\nd\n", "a\nB\nc\nD\n"])).toBe(
      "0\na\nB\nc\nD\n",
    );
  });

  it("gives up where both changed the same or touching lines", () => {
    expect(merge("A\nb\nc\n", ["a\nb\nc\n", "x\nb\nc\n"])).toBeUndefined();
    expect(merge("A\nb\nc\n", ["a\nb\nc\n", "a\nB\nc\n"])).toBeUndefined();
    expect(merge("a\nb\nx\n", ["a\nb\n", "a\nb\ny\n"])).toBeUndefined();
  });

  it("takes what both did alike once", () => {
    expect(merge("a\nB\nc\n0\nd\n", ["a\nb\nc\nd\n", "a\nB\nc\nd\n"])).toBe("a\nB\nc\n0\nd\n");
    expect(merge("x\na\nb\nc\n1\n", ["a\nb\nc\n", "a\nb\nc\n1\n"])).toBe("x\na\nb\nc\n1\n");
  });

  it("keeps line endings, and the lack of the last one", () => {
    expect(merge("x\r\na\r\nb\nc", ["a\r\nb\nc", "a\r\nB\nc"])).toBe("x\r\na\r\nB\nc");
    expect(merge("x\na\nb\nc\n", ["a\nb\nc\n", "a\nb\nc"])).toBe("x\na\nb\nc");
    expect(merge("x\na\nb\nc", ["a\nb\nc", "a\nb\nc\n"])).toBe("x\na\nb\nc\n");
  });

  it("never glues a line to one that had no end", () => {
    expect(merge("a\nb\nc\n", ["a\nb", "a\nB"])).toBeUndefined();
    expect(merge("a\nb\nc", ["a\nb\n", "a\nb\nd"])).toBeUndefined();
  });

  it("puts bytes of any kind where the edit began with just them", () => {
    const binary = (...bytes: number[]) => Buffer.from(bytes);
    expect(mergeEdits(binary(0, 1), [{ before: binary(0, 1), after: binary(0xff) }])).toEqual(binary(0xff));
    expect(mergeEdits(binary(0, 1), [{ before: binary(2), after: binary(2) }])).toEqual(binary(0, 1));
    expect(mergeEdits(binary(0, 1), [{ before: binary(2), after: binary(0, 1) }])).toEqual(binary(0, 1));
  });

  it("does not merge what is not text", () => {
    expect(merge("x\na\nb\n\0", ["a\nb\n\0", "a\nb\n\0\nc\n"])).toBeUndefined();
    const latin1 = (text: string) => Buffer.from(text, "latin1");
    expect(
      mergeEdits(latin1("x\na\n\xe9\nb\n"), [
        { before: latin1("a\n\xe9\nb\n"), after: latin1("a\n\xe9\nB\n") },
      ]),
    ).toBeUndefined();
  });

  it("merges large files, also where most lines repeat", () => {
    const unlike = numbered(200_000);
    const alike = unlike.map((line, index) => (index % 3 === 0 ? line : index % 3 === 1 ? "}\n" : "\n"));
    for (const lines of [unlike, alike]) {
      const ours = lines.with(10, "ours\n").with(100_000, "ours\n");
      const theirs = lines.with(0, "theirs\n").with(199_999, "theirs\n");
      expect(merge(ours.join(""), [lines.join(""), theirs.join("")])).toBe(
        ours.with(0, "theirs\n").with(199_999, "theirs\n").join(""),
      );
    }
  });

  it("gives up where comparing would take too long", () => {
    const blank = "\n".repeat(9000);
    expect(merge(`0\nx\n${blank}y\n`, [`x\n${blank}y\n`, `1\n${blank}2\n`])).toBeUndefined();
  });

  it("law: an edit that begins with the target gives what it ends with, and one that changes nothing nothing", () => {
    fc.assert(
      fc.property(anyText, anyText, (one, other) => {
        expect(merge(one, [one, other])).toBe(other);
        expect(merge(one, [other, other])).toBe(one);
        expect(merge(one)).toBe(one);
      }),
    );
  });

  it("law: the order does not matter, and what both sides have is kept", () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (base, ours, theirs) => {
        expect(merge(ours, [base, theirs])).toBe(merge(theirs, [base, ours]));
        expect(merge(ours, [base, ours])).toBe(ours);
      }),
      { numRuns: 500 },
    );
  });

  it("law: edits with an untouched line between them are both kept", () => {
    const anyLines = fc.array(fc.constantFrom("x\n", "y\r\n", "\n"), { maxLength: 5 });
    fc.assert(
      fc.property(anyLines, anyLines, fc.tuple(fc.nat(8), fc.nat(8)), (mine, others, [one, two]) => {
        const lines = numbered(20);
        const replaced = (at: number, put: readonly string[], text: readonly string[]) =>
          text.flatMap((line, index) => (index === at ? put : [line]));
        const ours = replaced(one, mine, lines).join("");
        const theirs = replaced(10 + two, others, lines).join("");
        const both = replaced(one, mine, replaced(10 + two, others, lines)).join("");
        expect(merge(ours, [lines.join(""), theirs])).toBe(both);
      }),
    );
  });
});
