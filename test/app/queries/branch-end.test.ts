import { describe, expect, it } from "vitest";
import type { ShownPlace } from "../../../src/app/queries/tree.ts";
import { endOf } from "../../../src/app/queries/tree.ts";
import { Destinations } from "../../../src/travel/destination.ts";
import { type Told, tell } from "../../story.ts";

function endsOf(story: Told, shown: ReadonlyMap<number, ShownPlace>) {
  const journeys = [...story.of("backtrack"), ...story.of("rewind"), ...story.of("redo")];
  const { outline } = story;
  return new Destinations(outline, journeys).ends().map((end) => endOf(outline, end, shown));
}

describe("the end of what a backtrack left", () => {
  const story = tell(
    ...["cp 1", "prompt a", "host x 1", "step 2", "reply b +x(a)", "ok a 1", "host x 2"],
    ...["step 3", "reply c", "host x 3", "backtrack 2 note"],
  );

  it("counts all but how far another agent got", () => {
    expect(endsOf(story, new Map())).toEqual([
      {
        what: { kind: "end", by: "backtrack", to: 2, entries: 4 },
        checkpoint: story.row(9),
      },
    ]);
  });
});

describe("the end of what a rewind left", () => {
  const story = tell("cp 1", "prompt a", "reply b", "rewind 1", "cp 2", "prompt c", "rewind 1");

  it("has its own row below a prompt, whose row leads to before it", () => {
    const shown = new Map([
      [3, { what: { kind: "prompt", text: "a" } as const, checkpoint: story.row(2) }],
      [5, { what: { kind: "rewind", to: 1, scope: "both" } as const }],
    ]);
    expect(endsOf(story, shown)).toEqual([
      { what: { kind: "end", by: "rewind", to: 1, entries: 2 } },
      { what: { kind: "end", by: "rewind", to: 1, entries: 3 }, checkpoint: story.row(6) },
    ]);
  });

  it("is absent if the row of a journey leads to it", () => {
    const twice = tell("cp 1", "prompt a", "cp 2", "prompt b", "rewind 2", "rewind 1");
    const shown = new Map([[6, { what: { kind: "rewind", to: 2, scope: "both" } as const }]]);
    expect(endsOf(twice, shown).at(-1)).toBeUndefined();
  });
});
