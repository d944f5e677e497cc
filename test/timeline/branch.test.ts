import { describe, expect, it } from "vitest";
import { branchOf, isOnBranch, linesOfBranch, NearestAbove, nearest } from "../../src/timeline/outline.ts";
import { tell } from "../story.ts";

const story = tell("cp 1", "prompt a", "step 2", "reply left", "rewind 1", "cp 3", "prompt b");

describe("the branch", () => {
  it("is the way from the root to the head, without what a journey left", () => {
    expect(story.branch()).toEqual(["session", "cp 1", "rewind 1", "cp 3", "prompt b"]);
  });

  it("is there for every entry, also those on branches that were left", () => {
    expect(story.branch(story.row(5))).toEqual(["session", "cp 1", "prompt a", "step 2", "reply left"]);
  });

  it("is empty if there is no entry", () => {
    expect(tell().without(1).branch()).toEqual([]);
  });

  it("tells which entries are on it and which are not", () => {
    const on = story.outline.rows().filter((row) => isOnBranch(story.outline, row));
    expect(on.map((row) => row.seq)).toEqual([1, 2, 6, 7, 8]);
    expect([...linesOfBranch(story.outline)].sort()).toEqual([1, 2, 6, 7, 8]);
  });

  it("finds for many entries at once what it finds for each", () => {
    for (const lost of [undefined, 3, 4]) {
      const { outline } = lost === undefined ? story : story.without(lost);
      const above = new NearestAbove(outline, (kind) => kind === "prompt");
      for (const row of outline.rows().toReversed())
        expect(above.of(row)).toEqual(nearest(outline, row, ({ kind }) => kind === "prompt"));
    }
  });

  it("finds the nearest entry of a kind at or above another", () => {
    const prompt = (from: number) =>
      nearest(story.outline, story.row(from), (row) => row.kind === "prompt")?.seq;
    expect([prompt(5), prompt(3), prompt(2)]).toEqual([3, 3, undefined]);
  });

  it("is walked without recursion through 100,000 entries", () => {
    const long = tell(...Array.from({ length: 100_000 }, () => "prompt p"));
    expect(branchOf(long.outline)).toHaveLength(100_001);
  });
});
