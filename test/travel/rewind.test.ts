import { describe, expect, it } from "vitest";
import type { SnapshotId } from "../../src/record/ids.ts";
import {
  isAlreadyThere,
  leftOf,
  planRewind,
  rangesOf,
  requireCheckpoint,
  requireHead,
} from "../../src/travel/rewind.ts";
import { id, type Told, tell } from "../story.ts";
import { refused } from "./refused.ts";

const story = tell("cp 1", "prompt a", "step 2", "reply r", "rewind 1", "cp 3", "prompt b");
const conversation = { scope: "conversation" } as const;

describe("planning a rewind", () => {
  it("goes below the checkpoint and writes down where it left from", () => {
    expect(planRewind(story.outline, { to: 1, ...conversation }, {})).toStrictEqual({
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

  it("refuses to go where the conversation is already, but not to restore the files there", () => {
    const rewound = tell("cp 1", "prompt a", "rewind 1").outline;
    expect(refused(() => planRewind(rewound, { to: 1, ...conversation }, {}))).toContain(
      "REWIND_REFUSED The conversation is already at checkpoint 1.",
    );
    expect(planRewind(rewound, { to: 1, scope: "files" }, {}).reason).toBe("rewind");
  });

  it("refuses when no line of the log can be read", () => {
    const lost = tell("cp 1").without(1, 2);
    expect(refused(() => planRewind(lost.outline, { to: 1, ...conversation }, {}))).toContain(
      "CHECKPOINT_UNKNOWN",
    );
    expect(refused(() => requireHead(lost.outline))).toContain("This session's log has no readable lines");
  });
});

describe("a conversation", () => {
  const isAt = (number: number, told: Told) =>
    isAlreadyThere(told.outline, requireCheckpoint(told.outline, number));

  it.each([
    ["nothing", []],
    ["the rewind that led there", ["prompt a", "rewind 1"]],
    ["the state of its files", ["files 1", "interval s1"]],
    ["a restore of files and its notice", ["prompt a", "rewind 1", "restored", "notice 2 files restored"]],
    ["how far another agent got", ["host x 1"]],
    ["a deleted checkpoint", ["deleted 0"]],
  ])("is at a checkpoint already after %s", (_, lines) => {
    expect(isAt(1, tell("cp 1", ...lines))).toBe(true);
  });

  it.each([
    ["a prompt", ["prompt a"]],
    ["a notice of its own", ["notice hello"]],
    ["a backtrack", ["step 2", "backtrack 2 note"]],
    ["a rewind to another one", ["prompt a", "rewind 1", "cp 2", "rewind 1", "rewind 2"]],
  ])("is not at a checkpoint after %s", (_, lines) => {
    expect(isAt(1, tell("cp 1", ...lines))).toBe(false);
  });

  it.each([["rewind 1"], ["rewind 1", "host x 1"], ["rewind 1", "notice hello"]])(
    "is not at a checkpoint if the one that it is at is lost: %s",
    (...lines) => {
      const told = tell("cp 1", "prompt a", "rewind 1", "cp 2", "prompt b", ...lines);
      expect(isAt(2, told.without(1, 2, ...(lines.length > 1 ? [7] : [])))).toBe(false);
    },
  );
});

describe("what a journey records about the present that it left", () => {
  const snapshot = "snap" as SnapshotId;
  const outside = [{ path: "/etc/hosts" }];

  it.each([
    ["is nothing if nothing was captured", {}, {}],
    ["is the snapshot", { snapshot }, { left: snapshot }],
    ["is the commit with the snapshot", { snapshot, gitHead: "c0" }, { left: snapshot, leftGitHead: "c0" }],
    ["is not the commit alone", { gitHead: "c0" }, {}],
    ["is the author, also without a snapshot", { author: "outside" as const }, { leftAuthor: "outside" }],
    ["is each file that no snapshot covers", { outside }, { outside }],
    ["is nothing about such files if there are none", { outside: [] }, {}],
  ])("%s", (_, present, left) => {
    expect(leftOf(present)).toStrictEqual(left);
  });
});

describe("a list of numbers", () => {
  it("is written as ranges, so that 10,000 of them fit on a line", () => {
    expect(rangesOf([])).toBe("");
    expect(rangesOf([7])).toBe("7");
    expect(rangesOf([4, 1, 2, 9, 3, 7, 7, 8])).toBe("1-4, 7-9");
    expect(rangesOf([1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23])).toBe(
      "1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23",
    );
    expect(rangesOf([1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 26])).toBe(
      "…, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25-26",
    );
    expect(rangesOf(Array.from({ length: 10_000 }, (_, index) => index + 1))).toBe("1-10000");
  });
});
