import { describe, expect, it } from "vitest";
import { Destinations } from "../../src/travel/destination.ts";
import type { JourneyEntry } from "../../src/travel/redo.ts";
import { id, type Told, tell } from "../story.ts";

function journeysOf(story: Told): JourneyEntry[] {
  return [...story.of("backtrack"), ...story.of("rewind"), ...story.of("redo")].sort((a, b) => a.seq - b.seq);
}

function destinations(story: Told): Destinations {
  return new Destinations(story.outline, journeysOf(story));
}

const story = tell(
  ...["cp 1", "prompt a", "step 2", "reply r", "rewind 1"],
  ...["cp 3", "prompt b", "reply s", "rewind 3", "cp 4", "prompt c"],
);
const to = (line: number) => destinations(story).of(story.row(line));

describe("how to get to a place", () => {
  it("is a rewind to a checkpoint", () => {
    expect([to(2), to(4), to(7)]).toEqual([
      { by: "rewind", to: 1 },
      { by: "rewind", to: 2 },
      { by: "rewind", to: 3 },
    ]);
  });

  it("is the redo of the journey that left from there, at the end of a branch", () => {
    expect(to(5)).toEqual({ by: "redo", journey: id(6) });
    expect(to(9)).toEqual({ by: "redo", journey: id(10) });
  });

  it("of a journey or the beginning is the checkpoint that follows without anything in between", () => {
    expect(to(1)).toEqual({ by: "rewind", to: 1 });
    expect(to(6)).toEqual({ by: "rewind", to: 3 });
    expect(to(10)).toEqual({ by: "rewind", to: 4 });
  });

  it("is to stay at the head, unless that is a checkpoint", () => {
    expect(to(12)).toEqual({ by: "staying" });
    const begun = tell("cp 1");
    expect(destinations(begun).of(begun.row(2))).toEqual({ by: "rewind", to: 1 });
  });

  it("is not a journey that was undone, or that left only the files", () => {
    const undone = tell("cp 1", "prompt a", "reply r", "rewind 1", "redo 5", "prompt b");
    expect(destinations(undone).of(undone.row(4))).toBeUndefined();
    const files = journeysOf(story).map((entry) => ({ ...entry, scope: "files" }) as JourneyEntry);
    expect(new Destinations(story.outline, files).of(story.row(5))).toBeUndefined();
  });

  it("is the checkpoint that follows, also if a journey that landed before it is lost", () => {
    const told = tell("cp 1", "prompt a", "reply r", "rewind 1", "redo 5", "cp 2", "rewind 1", "redo 5");
    const damaged = told.without(6);
    expect(destinations(damaged).of(damaged.row(4))).toEqual({ by: "rewind", to: 2 });
  });

  it("is not known for an entry in the middle of a turn", () => {
    expect(to(3)).toEqual({ by: "rewind", to: 2 });
    expect(to(8)).toBeUndefined();
  });

  it("has the end of every branch that was left, also one that a redo returned to and left again", () => {
    const back = tell(...story.lines.slice(1), "redo 6", "rewind 1");
    const ends = destinations(back).ends();
    expect(ends.map(({ row, journey }) => [row.seq, journey.id])).toEqual([
      [9, id(10)],
      [12, id(13)],
      [13, id(14)],
    ]);
  });

  it("has no end where something follows, or that is not in this session", () => {
    const followed = tell("cp 1", "prompt a", "rewind 1", "redo 4", "redo 5");
    const ends = destinations(followed).ends();
    expect(ends.map(({ row, journey }) => [row.seq, journey.id])).toEqual([[5, id(6)]]);
    const elsewhere = story.of("rewind").map((entry) => ({ ...entry, from: id(77) }));
    expect(new Destinations(story.outline, elsewhere).ends()).toEqual([]);
  });
});
