import { describe, expect, it } from "vitest";
import { Destinations } from "../../src/travel/destination.ts";
import { id, type Told, tell } from "../story.ts";

function destinations(story: Told): Destinations {
  const journeys = [...story.of("backtrack"), ...story.of("rewind"), ...story.of("redo")];
  return new Destinations(
    story.outline,
    journeys.sort((a, b) => a.seq - b.seq),
  );
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

  it("is to stay at the head", () => {
    expect(to(12)).toEqual({ by: "staying" });
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
});
