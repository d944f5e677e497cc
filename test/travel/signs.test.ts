import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PathSign, type Sign, signLines, signsIn } from "../../src/travel/logged-files.ts";

const path = fc.string({
  unit: fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code)),
  minLength: 1,
});
const sign: fc.Arbitrary<Sign> = fc.oneof(
  fc.record({ sign: fc.constantFrom("read-only", "editor-file", "after-end") }),
  fc.record({ sign: fc.constant("swap-file"), file: fc.string() }),
  fc.record({ sign: fc.constant("open-elsewhere"), program: fc.string() }),
);
const signs: fc.Arbitrary<readonly PathSign[]> = fc.uniqueArray(fc.record({ path, sign }), {
  selector: (each) => each.path,
});

describe("the signs that the user changed a path, as text", () => {
  it("are one readable line each, with the bytes if a name is not text", () => {
    const lines = signLines([
      { path: "src/a\nb.ts", sign: { sign: "swap-file", file: ".a.swp" } },
      { path: "caf\xe9", sign: { sign: "read-only" } },
    ]);
    expect(lines.split("\n")).toEqual([
      '{"path":"src/a\\nb.ts","sign":"swap-file","file":".a.swp"}',
      '{"path":"caf\\\\xe9","bytes":"636166e9","sign":"read-only"}',
    ]);
  });

  it("law: are read back as they were, whatever bytes are in the paths", () => {
    fc.assert(
      fc.property(signs, (all) => {
        expect(signsIn(signLines(all))).toEqual(new Map(all.map((each) => [each.path, each.sign])));
      }),
    );
  });

  it.each<Sign>([
    { sign: "read-only" },
    { sign: "editor-file" },
    { sign: "after-end" },
    { sign: "swap-file", file: ".a.swp" },
    { sign: "open-elsewhere", program: "vim" },
  ])("keep what a sign says: $sign", (each) => {
    expect(signsIn(signLines([{ path: "a", sign: each }]))).toEqual(new Map([["a", each]]));
  });

  it("are none if the entry has none, or if a line cannot be parsed", () => {
    expect(signsIn(undefined)).toEqual(new Map());
    const lines = [
      "",
      "[forgotten]",
      "null",
      "[]",
      '{"path":1,"sign":"read-only"}',
      '{"path":"a","sign":"?"}',
    ];
    expect(signsIn(lines.join("\n"))).toEqual(new Map());
  });
});
