import { describe, expect, it } from "vitest";
import { countsIn, detailOf, doneCount, type Outcome, outcomeCounts } from "../../src/travel/logged-files.ts";

type Counted = Omit<Outcome, "path">;

const times = (count: number, outcome: Counted): Counted[] => Array<Counted>(count).fill(outcome);

describe("counting the outcomes of a journey", () => {
  const files = [
    ...times(1, { outcome: "restored" }),
    ...times(2, { outcome: "restored", detail: "created" }),
    ...times(3, { outcome: "restored", detail: "removed" }),
    ...times(4, { outcome: "restored", detail: "merged" }),
    ...times(5, { outcome: "kept" }),
    ...times(6, { outcome: "kept", detail: "not-restorable" }),
    ...times(3, { outcome: "failed" }),
    ...times(4, { outcome: "failed", detail: "parent-changed" }),
  ];
  const counts = { restored: 1, created: 2, removed: 3, merged: 4, kept: 5, notRestorable: 6, failed: 7 };

  it("counts each file once", () => {
    expect(outcomeCounts(files)).toEqual(counts);
  });

  it("counts folders only if they were kept or failed", () => {
    const folders: readonly Counted[] = [
      { outcome: "restored", kind: "folder" },
      { outcome: "restored", detail: "created", kind: "folder" },
      { outcome: "kept", kind: "folder" },
      { outcome: "failed", kind: "folder" },
    ];
    expect(outcomeCounts([...files, ...folders])).toEqual({ ...counts, kept: 6, failed: 8 });
  });

  it("adds up the paths that are now as the journey asked, also in a log with fewer counts", () => {
    expect(doneCount(counts)).toBe(10);
    expect(doneCount({ restored: 8, kept: 1, failed: 1 })).toBe(8);
  });

  it("takes the counts from an entry with more fields, and only those that the entry has", () => {
    const entry = { ...counts, paths: "{}" };
    expect(countsIn(entry)).toStrictEqual(counts);
    const olderCounts = { restored: 8, kept: 1, failed: 0 };
    const olderEntry = { ...olderCounts, paths: "{}" };
    expect(countsIn(olderEntry)).toStrictEqual(olderCounts);
  });
});

describe("how a path was restored", () => {
  it.each([
    ["created if it did not exist before", undefined, "then", { detail: "created" }],
    ["removed if it does not exist afterwards", "now", undefined, { detail: "removed" }],
    ["not told apart if it exists before and afterwards", "now", "then", {}],
    ["not told apart if it never existed", undefined, undefined, {}],
  ])("is %s", (_, before, after, detail) => {
    expect(detailOf(before, after)).toEqual(detail);
  });
});
