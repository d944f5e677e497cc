import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldedName, isGitAlias, isGitName, pathOfText } from "../../src/record/files.ts";

const IGNORED = ["\u200b", "\u200c", "\u200d", "\u202e", "\u206f", "\ufeff", "\u00ad", "\u034f", "\u{e0001}"];

describe("a name that some file system takes for .git", () => {
  it("law: is known in any letter case, with characters that are passed over anywhere, and with what Windows drops", () => {
    const spelling = fc
      .tuple(
        fc.constantFrom(".git", "git~1"),
        fc.array(fc.tuple(fc.nat(5), fc.constantFrom(...IGNORED)), { maxLength: 4 }),
        fc.nat(31),
        fc.constantFrom("", " ", ".", " . .", ":x", "::$DATA", "\\hooks"),
      )
      .map(([name, ignored, cases, end]) => {
        const letters = [...name].map((letter, at) => ((cases >> at) & 1 ? letter.toUpperCase() : letter));
        for (const [at, character] of ignored) letters.splice(at, 0, character);
        return letters.join("") + end;
      });
    fc.assert(
      fc.property(spelling, (name) => {
        expect([isGitAlias(name), isGitName(pathOfText(name))]).toEqual([true, true]);
      }),
      { numRuns: 300 },
    );
  });

  it("law: is any whose folded form is, and what already differs in its first letter is none", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 8, unit: "binary" }), (name) => {
        expect(isGitAlias(name)).toBe([".git", "git~1"].includes(foldedName(name)));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([".gitignore", ".git2", "git", "git~2", "dot.git", "", ".", "..", " .git", "\xe9.git"])(
    "is not %j",
    (name) => {
      expect([isGitAlias(name), isGitName(name)]).toEqual([false, false]);
    },
  );
});
