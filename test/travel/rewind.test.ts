import { describe, expect, it } from "vitest";
import type { SnapshotId } from "../../src/record/ids.ts";
import { planRewind, rangesOf } from "../../src/travel/rewind.ts";
import { id, tell } from "../story.ts";
import { refused } from "./refused.ts";

const story = tell("cp 1", "prompt a", "step 2", "reply r", "rewind 1", "cp 3", "prompt b");
const conversation = { scope: "conversation" } as const;

describe("planning a rewind", () => {
  it("goes below the checkpoint and writes down where it left from", () => {
    expect(planRewind(story.outline, { to: 1, ...conversation }, {})).toEqual({
      reason: "rewind",
      moves: [
        {
          do: "append",
          parent: id(2),
          body: { kind: "rewind", to: 1, from: id(8), scope: "conversation" },
        },
      ],
    });
  });

  it("reaches a step, and a checkpoint on a branch that was left", () => {
    const [move] = planRewind(story.outline, { to: 2, ...conversation }, {}).moves;
    expect(move).toMatchObject({ parent: id(4), body: { to: 2 } });
  });

  it("reaches a checkpoint before a compaction", () => {
    const compacted = tell("cp 1", "prompt a", "reply r", "cp 2", "prompt b", "reply s", "compact 6 short");
    const [move] = planRewind(compacted.outline, { to: 1, ...conversation }, {}).moves;
    expect(move).toMatchObject({ parent: id(2) });
  });

  it("keeps the present that was captured before", () => {
    const left = "snap" as SnapshotId;
    const request = { to: 1, scope: "both", only: ["src"], choice: "merge" } as const;
    const [move] = planRewind(story.outline, request, { snapshot: left, author: "outside" }).moves;
    expect(move).toMatchObject({
      body: { scope: "both", left, leftAuthor: "outside", only: ["src"], choice: "merge" },
    });
  });

  it("stays where the conversation is when only the files go back", () => {
    const [move] = planRewind(story.outline, { to: 1, scope: "files" }, {}).moves;
    expect(move).toMatchObject({ parent: id(8), body: { from: id(8), to: 1 } });
  });

  it.each([-1, 0, 4, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    "refuses %d with the known numbers",
    (to) => {
      expect(refused(() => planRewind(story.outline, { to, ...conversation }, {}))).toBe(
        `CHECKPOINT_UNKNOWN There is no checkpoint ${to} in this session. Known checkpoints: 1-3`,
      );
    },
  );

  it("says how to make a checkpoint if there is none", () => {
    expect(refused(() => planRewind(tell("prompt a").outline, { to: 1, ...conversation }, {}))).toContain(
      "No checkpoints found.",
    );
  });

  it("refuses to go where the conversation is already, also right after a rewind", () => {
    const there = "REWIND_REFUSED The conversation is already at checkpoint 1.";
    expect(refused(() => planRewind(tell("cp 1").outline, { to: 1, ...conversation }, {}))).toContain(there);
    const rewound = tell("cp 1", "prompt a", "rewind 1");
    expect(refused(() => planRewind(rewound.outline, { to: 1, ...conversation }, {}))).toContain(there);
    const hosted = tell("cp 1", "prompt a", "rewind 1", "host x 1");
    expect(refused(() => planRewind(hosted.outline, { to: 1, ...conversation }, {}))).toContain(there);
    expect(planRewind(rewound.outline, { to: 1, scope: "files" }, {}).reason).toBe("rewind");
  });

  it("refuses when no line of the log can be read", () => {
    const lost = tell("cp 1").without(1, 2);
    expect(refused(() => planRewind(lost.outline, { to: 1, ...conversation }, {}))).toContain(
      "CHECKPOINT_UNKNOWN",
    );
  });
});

describe("a list of numbers", () => {
  it("is written as ranges, so that 10,000 of them fit on a line", () => {
    expect(rangesOf([])).toBe("");
    expect(rangesOf([7])).toBe("7");
    expect(rangesOf([4, 1, 2, 9, 3, 7, 7, 8])).toBe("1-4, 7-9");
    expect(rangesOf(Array.from({ length: 10_000 }, (_, index) => index + 1))).toBe("1-10000");
  });
});
