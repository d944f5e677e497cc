import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hunksBetween } from "../../../src/snapshots/comparing/merge-file.ts";

const lettersOf = (text: string) => [...text];

/** With few letters, every line repeats; with many, most are unique and anchor the rest. */
const anyLines = fc.oneof(
  fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 15 }),
  fc.array(fc.constantFrom(...lettersOf("abcdefghijklmnopqrstuvwxyz")), { maxLength: 25 }),
);

describe("the hunks between two texts", () => {
  it("are the lines that differ, and no others", () => {
    expect(hunksBetween(lettersOf("abcdef"), lettersOf("aXcdfg"))).toEqual([
      { start: 1, end: 2, lines: ["X"] },
      { start: 4, end: 5, lines: [] },
      { start: 6, end: 6, lines: ["g"] },
    ]);
  });

  it("are anchored by lines that occur once on each side", () => {
    expect(hunksBetween(lettersOf("}}1}}2}}"), lettersOf("}}}1}}2}"))).toEqual([
      { start: 2, end: 2, lines: ["}"] },
      { start: 6, end: 7, lines: [] },
    ]);
  });

  it("law: put into the base, give the other; are in order and do not touch", () => {
    fc.assert(
      fc.property(anyLines, anyLines, (base, other) => {
        const result: string[] = [];
        let done = 0;
        for (const { start, end, lines } of hunksBetween(base, other) ?? []) {
          expect(start).toBeGreaterThanOrEqual(done === 0 ? 0 : done + 1);
          expect(end - start + lines.length).toBeGreaterThan(0);
          result.push(...base.slice(done, start), ...lines);
          done = end;
        }
        expect([...result, ...base.slice(done)]).toEqual(other);
      }),
      { numRuns: 1000 },
    );
  });

  it("law: there are none between a text and itself", () => {
    fc.assert(
      fc.property(anyLines, (lines) => {
        expect(hunksBetween(lines, [...lines])).toEqual([]);
      }),
    );
  });
});
