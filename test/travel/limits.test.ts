import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PathBytes } from "../../src/record/files.ts";
import { limitsOf, limitTexts } from "../../src/travel/logged-files.ts";
import type { JourneyEntry } from "../../src/travel/redo.ts";

const name = fc.string({
  unit: fc.integer({ min: 1, max: 255 }).map((code) => (code === 47 ? "\\" : String.fromCharCode(code))),
  minLength: 1,
});
const path: fc.Arbitrary<PathBytes> = fc.array(name, { maxLength: 3 }).map((names) => names.join("/"));

function journey(kind: "rewind" | "redo" | "backtrack", only?: readonly string[]): JourneyEntry {
  return { kind, ...(only === undefined ? {} : { only }) } as unknown as JourneyEntry;
}

describe("the paths that a journey is limited to, as text", () => {
  it("are readable, and marked if a name is not text", () => {
    expect(limitTexts(["src/a.ts", "caf\xc3\xa9", "caf\xe9\\x41", "\\xe9"])).toEqual([
      "src/a.ts",
      "café",
      "/caf\\xe9\\x5cx41",
      "\\xe9",
    ]);
  });

  it("law: are read back as they were, whatever bytes are in them", () => {
    fc.assert(
      fc.property(fc.array(path), fc.constantFrom("rewind", "redo"), (only, kind) => {
        expect(limitsOf(journey(kind, limitTexts(only)))).toEqual({ only });
      }),
    );
  });

  it("are absent if the journey was not limited", () => {
    for (const kind of ["rewind", "redo", "backtrack"] as const) expect(limitsOf(journey(kind))).toEqual({});
  });
});
