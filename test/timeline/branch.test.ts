import { describe, expect, it } from "vitest";
import {
  askedBefore,
  branchOf,
  branchSince,
  isOnBranch,
  linesOfBranch,
  NearestAbove,
  nearest,
  rowsLeftBy,
  wayLeft,
} from "../../src/timeline/outline.ts";
import { id, type Told, tell } from "../story.ts";

const story = tell("cp 1", "prompt a", "step 2", "reply left", "rewind 1", "cp 3", "prompt b");

describe("the branch", () => {
  it("is the way from the root to the head, without what a journey left", () => {
    expect(story.branch()).toEqual(["session", "cp 1", "rewind 1", "cp 3", "prompt b"]);
  });

  it("is there for every entry, also those on branches that were left", () => {
    expect(story.branch(story.row(5))).toEqual(["session", "cp 1", "prompt a", "step 2", "reply left"]);
  });

  it("is empty if there is no entry", () => {
    const { outline } = tell().without(1);
    expect([branchOf(outline), branchSince(outline, 1), linesOfBranch(outline)]).toEqual([[], [], new Set()]);
    expect(isOnBranch(outline, story.row(1))).toBe(false);
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

describe("the way from one entry to another", () => {
  const seqs = (told: Told, from: number, to: number) =>
    wayLeft(told.outline, told.outline.at(from), told.outline.at(to)).map(({ seq }) => seq);

  it("leaves the entries down to where their branches part, newest first", () => {
    expect([seqs(story, 5, 8), seqs(story, 8, 5)]).toEqual([
      [5, 4, 3],
      [8, 7, 6],
    ]);
  });

  it("leaves nothing on the way down, and all entries in between on the way up", () => {
    expect([seqs(story, 3, 5), seqs(story, 5, 3), seqs(story, 5, 5)]).toEqual([[], [5, 4], []]);
  });

  it("leaves the whole branch if it leads to no entry, and nothing if it comes from none", () => {
    expect([seqs(story, 4, 0), seqs(story, 0, 4), seqs(story, 0, 0)]).toEqual([[4, 3, 2, 1], [], []]);
  });
});

describe("the rows that a journey left", () => {
  const leftBy = (told: Told, journey: number, from: number) =>
    rowsLeftBy(told.outline, { seq: journey, from: id(from) }).map(({ seq }) => seq);

  it("are those from where it landed to where it came from, oldest first", () => {
    expect(leftBy(tell("cp 1", "prompt a", "reply r", "rewind 1", "prompt b"), 5, 4)).toEqual([3, 4]);
  });

  it("do not include those above its landing place that a later journey left", () => {
    const twice = tell("cp 1", "prompt a", "cp 2", "prompt b", "rewind 2", "prompt c", "rewind 1");
    expect([leftBy(twice, 6, 5), leftBy(twice, 8, 7)]).toEqual([[5], [3, 4, 6, 7]]);
  });

  it("do not include those that are on the branch again", () => {
    const redone = tell("cp 1", "prompt a", "cp 2", "prompt b", "rewind 1", "redo 6");
    expect(leftBy(redone, 6, 5)).toEqual([]);
    redone.add("rewind 2");
    expect(leftBy(redone, 6, 5)).toEqual([5]);
  });

  it("are those that are not on the branch if the journey's line is lost", () => {
    const damaged = tell("cp 1", "prompt a", "reply r", "rewind 1", "prompt b").without(5);
    expect(leftBy(damaged, 5, 4)).toEqual([3, 4]);
  });

  it("are none if the log does not have them", () => {
    expect(leftBy(tell("cp 1", "rewind 1"), 3, 99)).toEqual([]);
  });
});

describe("the path of the user's requests", () => {
  // The second backtrack of the agent goes back to before the second request.
  const tellBacktracks = () =>
    tell("cp 1", "prompt a", "step 2", "reply r", "cp 3", "prompt b", "step 4", "backtrack 2 note", "step 5");

  it("goes on before a backtrack with what that left", () => {
    const asked = tellBacktracks();
    const lines = [10, 9, 6, 1].map((line) => askedBefore(asked.outline, asked.row(line))?.seq);
    expect(lines).toEqual([9, 8, 5, undefined]);
    expect(asked.row(9).parent).toBe(4);
  });

  it("follows a rewind to where it landed, because the user took the requests back", () => {
    expect(askedBefore(story.outline, story.row(6))?.seq).toBe(2);
  });

  it("finds the nearest request, which the branch of the context does not have", () => {
    const { outline } = tellBacktracks();
    const prompts = (way?: "asked" | "branch") => {
      const above = new NearestAbove(outline, (kind) => kind === "prompt", way);
      return outline
        .rows()
        .toReversed()
        .map((row) => above.of(row)?.seq);
    };
    expect(prompts("asked")).toEqual([7, 7, 7, 7, 3, 3, 3, 3, undefined, undefined]);
    expect(prompts("branch")).toEqual([3, 3, 7, 7, 3, 3, 3, 3, undefined, undefined]);
    expect(prompts()).toEqual(prompts("branch"));
  });

  it("finds the nearest request after a rewind on the branch", () => {
    const above = new NearestAbove(story.outline, (kind) => kind === "prompt", "asked");
    expect([8, 7, 5].map((line) => above.of(story.row(line))?.seq)).toEqual([8, undefined, 3]);
  });
});
