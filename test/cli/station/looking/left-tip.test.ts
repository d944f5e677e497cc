import { describe, expect, it } from "vitest";
import { tipOf } from "../../../../src/cli/station/looking/tree/left-tip.ts";
import { tell } from "../../../story.ts";

describe("the end of what a backtrack left", () => {
  const story = tell(
    ...["cp 1", "prompt a", "host x 1", "step 2", "reply b +x(a)", "ok a 1", "host x 2"],
    ...["step 3", "reply c", "host x 3", "backtrack 2 note"],
  );
  const [journey] = story.of("backtrack");
  if (journey === undefined) throw new Error("There is no backtrack.");

  it("is what was said last, and counts all but how far another agent got", () => {
    expect(tipOf(story.outline, journey, new Map())).toEqual({
      row: story.row(10),
      what: { kind: "left", entries: 4 },
      checkpoint: story.row(9),
    });
  });

  it("has no row where something else of it has one", () => {
    const shown = new Map([[9, { what: { kind: "step" } as const }]]);
    expect(tipOf(story.outline, journey, shown)).toBeUndefined();
  });
});
