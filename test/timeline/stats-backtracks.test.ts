import { describe, expect, it } from "vitest";
import type { EntryOf } from "../../src/record/entry.ts";
import type { EntryId } from "../../src/record/ids.ts";
import { leftBehind, savedByBacktracks, wayLeftBy } from "../../src/timeline/stats.ts";
import { type Told, tell } from "../story.ts";
import { begun, usage } from "./work.ts";

function backtrackIn(story: Told): EntryOf<"backtrack"> {
  const [back] = story.of("backtrack");
  if (back === undefined) throw new Error("there is no backtrack");
  return back;
}

describe("what a backtrack left", () => {
  it("is every entry after the landing, with its tokens, up to where the backtrack started", () => {
    const work = begun();
    work.says(1_000);
    const landing = work.step();
    work.says(300);
    const from = work.says(50);
    const back = work.goesBack(landing, 10);
    expect(wayLeftBy(work.outline, back)).toEqual({
      entries: 2,
      tokens: 350,
      from: from.seq,
      landing: landing.seq,
    });
    expect(leftBehind(work.outline, back)).toEqual({ entries: 2, tokens: 350 });
  });

  it("leaves out entries that mean nothing to users", () => {
    const work = begun();
    const landing = work.step();
    work.tell({ kind: "host", host: "claude", hostSession: "sdk-1" });
    work.says(300);
    const back = work.goesBack(landing);
    expect(leftBehind(work.outline, back)).toEqual({ entries: 1, tokens: 300 });
  });

  it("is not changed by what providers count later", () => {
    const work = begun();
    const landing = work.step();
    work.says(300);
    const back = work.goesBack(landing);
    work.says(1, { usage: usage(90_000) });
    expect(leftBehind(work.outline, back)).toEqual({ entries: 1, tokens: 300 });
  });

  it("never has fewer than zero tokens, even if its context was compacted", () => {
    const work = begun();
    work.says(1_000);
    const landing = work.step();
    work.compacts();
    const back = work.goesBack(landing);
    expect(leftBehind(work.outline, back)).toEqual({ entries: 1, tokens: 0 });
  });

  it("is nothing if the start, the landing, or the backtrack itself is not in the log", () => {
    const story = tell("cp 1", "prompt a", "step 2", "reply b", "backtrack 1 n");
    const none = { entries: 0, tokens: 0, from: 0, landing: 0 };
    const back = backtrackIn(story);
    expect(wayLeftBy(story.without(5).outline, back)).toEqual(none);
    expect(wayLeftBy(story.without(1, 2).outline, back)).toEqual(none);
    expect(wayLeftBy(story.without(6).outline, back)).toEqual(none);
  });
});

describe("a log so damaged that the start of a backtrack is no longer after its landing", () => {
  const damaged = tell(
    "cp 1",
    "prompt a",
    "rewind 1",
    "cp 2",
    "step 3",
    "reply b",
    "backtrack 2 n",
    "rewind 1",
  ).without(1, 2, 4, 5);

  it("still counts the entries from the start up, and their tokens as saved", () => {
    const way = wayLeftBy(damaged.outline, backtrackIn(damaged));
    expect(way).toMatchObject({ entries: 2, from: 7, landing: 3 });
    expect(savedByBacktracks(damaged.outline, [way])).toBe(way.tokens);
  });
});

describe("the sums over all backtracks", () => {
  it("count backtracks, and the entries and tokens that they left", () => {
    const work = begun();
    const landing = work.step();
    work.says(300);
    work.goesBack(landing, 10);
    work.says(50);
    work.says(60);
    work.goesBack(landing, 20);
    // The second backtrack left the first one's note as well.
    expect(work.stats.backtracks).toMatchObject({ count: 2, entries: 4, tokens: 420, saved: 420 });
  });

  it("count nothing as saved that a redo brought back", () => {
    const work = begun();
    const landing = work.step();
    work.says(300);
    const back = work.goesBack(landing);
    expect(work.saved).toBe(300);
    work.redoes(back);
    expect(work.saved).toBe(0);
  });

  it("count what was left twice as saved once, as part of the longer way", () => {
    const work = begun();
    const landing = work.step();
    work.says(300);
    work.redoes(work.goesBack(landing));
    work.says(50);
    work.goesBack(landing);
    expect(work.stats.backtracks).toMatchObject({ tokens: 650, saved: 350 });
  });

  it("count a way that ends where another one landed", () => {
    const work = begun();
    const first = work.checkpoint();
    work.says(300);
    const second = work.checkpoint();
    work.goesBack(first);
    work.rewindTo(second);
    work.says(50);
    work.goesBack(second);
    work.rewindTo(first);
    expect(work.saved).toBe(300 + 50);
  });

  it("count nothing as saved by a backtrack whose start is lost", () => {
    const work = begun();
    const landing = work.step();
    work.goesBack(landing, 10, "zzzzzzzzzzzz" as EntryId);
    expect(work.stats.backtracks).toEqual({ count: 1, entries: 0, tokens: 0, saved: 0, notSent: 0 });
  });
});

describe("the tokens that requests did not send because of backtracks", () => {
  it("are what the backtrack left, without its note, for each later reply on the branch", () => {
    const work = begun();
    const landing = work.step();
    work.says(300);
    work.goesBack(landing, 10);
    work.says(1);
    work.says(1, { model: "other" });
    work.says(1);
    expect(work.stats).toMatchObject({
      backtracks: { notSent: 3 * 290 },
      models: [
        { model: "m", replies: 3, notSent: 2 * 290 },
        { model: "other", replies: 1, notSent: 290 },
      ],
    });
  });

  it("add up over several backtracks, but only on the same branch", () => {
    const work = begun();
    const first = work.step();
    work.says(300);
    work.goesBack(first, 10);
    const second = work.step();
    work.says(50);
    // 290 so far.
    work.goesBack(second, 20);
    work.says(1);
    // 290 + 290 + 30.
    work.rewindTo(first);
    work.says(1);
    expect(work.stats.backtracks.notSent).toBe(290 + (290 + 30));
  });

  it("are negative if the note is longer than what it replaced", () => {
    const work = begun();
    const landing = work.step();
    work.says(3);
    work.goesBack(landing, 10);
    work.says(1);
    expect(work.stats.backtracks.notSent).toBe(-7);
  });

  it("end at a compaction, whose own request does not count either", () => {
    const work = begun();
    const landing = work.step();
    work.says(300);
    work.goesBack(landing, 10);
    work.compacts({ model: "m" });
    work.says(1);
    expect(work.stats).toMatchObject({ models: [{ notSent: 0 }], backtracks: { notSent: 0 } });
  });
});
