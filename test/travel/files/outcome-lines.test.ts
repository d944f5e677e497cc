import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { because } from "../../../src/record/path-reason.ts";
import { type Outcome, outcomeLines, outcomesIn } from "../../../src/travel/logged-files.ts";

const bytes = fc.string({
  unit: fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code)),
  minLength: 1,
});
const outcome: fc.Arbitrary<Outcome> = fc.record(
  { path: bytes, outcome: fc.constantFrom("restored", "kept", "failed"), why: fc.string() },
  { requiredKeys: ["path", "outcome"] },
);

const DENIED = { code: "errno", errno: "EACCES" } as const;

describe("the paths of a restore, as text", () => {
  it("are a line each, readable, with the bytes where a name is no text", () => {
    const lines = outcomeLines([
      { path: "src/a\nb.ts", outcome: "restored" },
      { path: "caf\xe9", outcome: "kept", why: "changed by somebody else since" },
    ]);
    expect(lines.split("\n")).toEqual([
      '{"path":"src/a\\nb.ts","outcome":"restored"}',
      '{"path":"caf\\\\xe9","outcome":"kept","why":"changed by somebody else since","bytes":"636166e9"}',
    ]);
  });

  it("keep their reasons as codes, beside the English", () => {
    const told = { path: "a", outcome: "failed", ...because({ code: "mode-not-set", by: DENIED }) } as const;
    const line =
      '{"path":"a","outcome":"failed","why":"its mode could not be set: permission denied (EACCES)",' +
      '"reasons":[{"code":"mode-not-set","by":{"code":"errno","errno":"EACCES"}}]}';
    expect(outcomeLines([told])).toBe(line);
    expect(outcomesIn(line)).toEqual([told]);
  });

  it("are read without reasons where what stands there is none", () => {
    for (const reasons of ['"changed"', "[]", '[{"code":1}]', '[{"code":"mode-not-set","by":null}]'])
      expect(outcomesIn(`{"path":"a","outcome":"kept","why":"changed","reasons":${reasons}}`)).toEqual([
        { path: "a", outcome: "kept", why: "changed" },
      ]);
  });

  it("law: are read back as they were, whatever bytes are in them", () => {
    fc.assert(
      fc.property(fc.array(outcome), (outcomes) => {
        expect(outcomesIn(outcomeLines(outcomes))).toEqual(outcomes);
      }),
    );
  });

  it("are passed over where a line says nothing", () => {
    expect(outcomesIn('\n[forgotten]\n{"path":1}\n{"path":"a","outcome":"lost"}\n[]')).toEqual([]);
  });
});
