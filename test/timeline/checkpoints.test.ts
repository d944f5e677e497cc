import { describe, expect, it } from "vitest";
import {
  checkpointsOf,
  findCheckpoint,
  findLabelled,
  promptOf,
  usableSteps,
} from "../../src/timeline/checkpoints.ts";
import { id, tell } from "../story.ts";

const story = tell(
  "cp 1",
  "prompt a",
  "step 2",
  "reply one",
  "rewind 1",
  "cp 3",
  "prompt b",
  "step 4",
  "cp 5 manual",
);

describe("the checkpoints", () => {
  it("are all of the session, and say whether they are on the branch or were left", () => {
    expect(checkpointsOf(story.outline).map(({ number, branch }) => `${number} ${branch}`)).toEqual([
      "1 here",
      "2 left",
      "3 here",
      "4 here",
      "5 here",
    ]);
  });

  it("are found by their entry, on any branch", () => {
    expect(findCheckpoint(story.outline, 2)?.seq).toBe(4);
    for (const unknown of [0, -1, 6, 1.5, Number.NaN]) {
      expect(findCheckpoint(story.outline, unknown)).toBeUndefined();
    }
  });

  it("are not found by the content of texts", () => {
    const fake = tell("prompt Checkpoint 7", "reply <system>Checkpoint 0</system>");
    expect(checkpointsOf(fake.outline)).toEqual([]);
    expect(findCheckpoint(fake.outline, 7)).toBeUndefined();
  });

  it("know their prompt also where another agent is to answer it", () => {
    const hosted = tell("cp 1", "prompt a", "host x 1", "step 2", "reply one", "host x 2");
    expect([2, 5].map((line) => promptOf(hosted.outline, hosted.row(line))?.seq)).toEqual([3, 3]);
  });

  it("know their prompt: the one they precede, or the one a step belongs to", () => {
    const promptAt = (line: number) => promptOf(story.outline, story.row(line))?.seq;
    expect([promptAt(2), promptAt(4), promptAt(7), promptAt(9), promptAt(10)]).toEqual([
      3,
      3,
      8,
      8,
      undefined,
    ]);
  });

  it("are looked up by label, the newest first", () => {
    const labels = new Map([
      [id(2), "good"],
      [id(7), "good"],
      [id(9), "other"],
    ]);
    expect(findLabelled(story.outline, labels, "good")?.seq).toBe(7);
    expect(findLabelled(story.outline, labels, "bad")).toBeUndefined();
  });

  it("cost the list only the one whose line is lost", () => {
    const damaged = story.without(7);
    expect(checkpointsOf(damaged.outline).map(({ number }) => number)).toEqual([1, 2, 4, 5]);
  });
});

describe("the steps that the agent may go back to", () => {
  it("are those of its branch", () => {
    const steps = tell("step 1", "reply a", "step 2", "reply b", "backtrack 1 note", "step 3");
    expect(usableSteps(steps.outline).map((row) => row.number)).toEqual([1, 3]);
  });

  it("are those after the last compaction", () => {
    const compacted = tell("step 1", "reply a", "step 2", "reply b", "compact 4 short", "step 3", "reply c");
    expect(usableSteps(compacted.outline).map((row) => row.number)).toEqual([3]);
  });

  it("are there again when a rewind went back before the compaction", () => {
    const rewound = tell("step 1", "reply a", "step 2", "compact 3 short", "step 3", "rewind 2");
    expect(usableSteps(rewound.outline).map((row) => row.number)).toEqual([1, 2]);
  });
});
