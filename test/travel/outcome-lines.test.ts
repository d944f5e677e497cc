import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Outcome, outcomeLines, outcomesIn } from "../../src/travel/logged-files.ts";
import { keptRemark } from "../../src/travel/plan-files.ts";

const bytes = fc.string({
  unit: fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code)),
  minLength: 1,
});
const outcome: fc.Arbitrary<Outcome> = fc.record(
  {
    path: bytes,
    outcome: fc.constantFrom("restored", "kept", "failed"),
    detail: fc.constantFrom("created", "removed", "merged", "not-restorable", "parent-changed"),
    why: fc.string(),
    reason: fc.string(),
    params: fc.dictionary(fc.constantFrom("a", "b"), fc.nat(), { noNullPrototype: true }),
  },
  { requiredKeys: ["path", "outcome"], noNullPrototype: true },
);

describe("the paths of a restore, as text", () => {
  it("are one readable line each, with the bytes if a name is not text", () => {
    const lines = outcomeLines([
      { path: "src/a\nb.ts", outcome: "restored" },
      { path: "caf\xe9", outcome: "kept", why: "changed outside this session" },
    ]);
    expect(lines.split("\n")).toEqual([
      '{"path":"src/a\\nb.ts","outcome":"restored"}',
      '{"path":"caf\\\\xe9","outcome":"kept","why":"changed outside this session","bytes":"636166e9"}',
    ]);
  });

  it("law: are read back as they were, whatever bytes are in them", () => {
    fc.assert(
      fc.property(fc.array(outcome), (outcomes) => {
        expect(outcomesIn(outcomeLines(outcomes))).toStrictEqual(outcomes);
      }),
    );
  });

  it("keep, next to the English reason why a path stays, what it was made from, which older lines do not have", () => {
    const known: Outcome = { path: "a", outcome: "kept", ...keptRemark("outside") };
    const older = '{"path":"a","outcome":"kept","why":"changed outside this session"}';
    expect(outcomeLines([known])).toBe(older.replace("}", ',"reason":"kept-outside"}'));
    expect(outcomesIn(outcomeLines([known]))).toEqual([known]);
    expect(outcomesIn(older)).toEqual([{ path: "a", outcome: "kept", why: "changed outside this session" }]);
  });

  it("are skipped if a line cannot be parsed", () => {
    const lines = [
      "",
      "[forgotten]",
      '{"path":1,"outcome":"kept"}',
      '{"path":"a","outcome":"lost"}',
      "[]",
      "null",
    ];
    expect(outcomesIn(lines.join("\n"))).toEqual([]);
  });

  it("are read without the fields that say nothing", () => {
    const line = '{"path":"a","outcome":"kept","detail":"lost","why":1,"reason":1}';
    expect(outcomesIn(line)).toStrictEqual([{ path: "a", outcome: "kept" }]);
  });
});
