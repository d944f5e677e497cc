import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesOf, hunksBetween, linesOf, withHunks, withoutHunks } from "../../src/finder/narrow/lines.ts";

const texts = fc.array(fc.constantFrom("a\n", "b\n", "c\r\n", "\n", "é\n"), { maxLength: 12 });

describe("the lines of a file", () => {
  it("law: are its bytes, whatever they are", () => {
    fc.assert(
      fc.property(fc.uint8Array({ min: 1, maxLength: 60 }), (bytes) => {
        const lines = linesOf(bytes);
        expect(lines === undefined ? undefined : [...bytesOf(lines)]).toEqual([...bytes]);
      }),
    );
    expect(linesOf(Uint8Array.from([65, 0, 66]))).toBeUndefined();
  });

  it("law: with all hunks are the new text, with none the old one, and without all again the old one", () => {
    fc.assert(
      fc.property(texts, texts, (old, now) => {
        const hunks = hunksBetween(old, now) ?? [];
        expect(withHunks(old, hunks)).toEqual(now);
        expect(withHunks(old, [])).toEqual(old);
        expect(withoutHunks(now, now, hunks)).toEqual(old);
      }),
    );
  });

  it("law: lose some of the hunks and keep the others", () => {
    fc.assert(
      fc.property(texts, texts, fc.infiniteStream(fc.boolean()), (old, now, choices) => {
        const hunks = hunksBetween(old, now) ?? [];
        const picks = choices[Symbol.iterator]();
        const taken = hunks.filter(() => picks.next().value);
        const kept = hunks.filter((hunk) => !taken.includes(hunk));
        expect(withoutHunks(now, now, taken)).toEqual(withHunks(old, kept));
      }),
    );
  });

  it("keep what came later, and refuse if it is on the same lines", () => {
    const lines = (text: string) => text.split("").map((each) => `${each}\n`);
    const [old, then] = [lines("abcdefgh"), lines("abXdefgh")];
    const hunks = hunksBetween(old, then) ?? [];
    expect(withoutHunks(then, lines("1abXdefg2h"), hunks)).toEqual(lines("1abcdefg2h"));
    expect(withoutHunks(then, lines("abXXdefgh"), hunks)).toEqual(lines("abcXdefgh"));
    expect(withoutHunks(then, lines("abYdefgh"), hunks)).toBeUndefined();
    expect(withoutHunks(then, lines("abdefgh"), hunks)).toBeUndefined();
  });
});
