import { describe, expect, it } from "vitest";
import { toSeq } from "../../src/record/ids.ts";
import {
  checkpointOfHostLine,
  checkpointsOf,
  commandOf,
  findCheckpoint,
  findLabelled,
  hostLineOf,
  hostLineOfPrompt,
  lookalikeOf,
  promptOf,
  usableSteps,
} from "../../src/timeline/checkpoints.ts";
import { Outline } from "../../src/timeline/outline.ts";
import { id, type Told, tell } from "../story.ts";

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

  it("are found on the first readable line, even if that is the log's first", () => {
    const outline = new Outline();
    outline.add({ ...story.entry(2), seq: toSeq(1), parent: null });
    expect(findCheckpoint(outline, 1)?.seq).toBe(1);
  });

  it("know their prompt at the end of the log, and after their files or a lost line", () => {
    const next = tell("cp 1", "files 1", "lost", "prompt a");
    expect(promptOf(next.outline, next.row(2))?.seq).toBe(5);
    expect(promptOf(next.outline, next.row(3))).toBeUndefined();
  });

  it("do not take the prompt of another branch for theirs", () => {
    const left = tell("cp 1", "prompt a", "cp 2", "rewind 1", "prompt b");
    for (const told of [left, left.without(2)]) expect(promptOf(told.outline, told.row(4))).toBeUndefined();
    expect(promptOf(left.outline, left.row(2))?.seq).toBe(3);
    const manual = tell("cp 1 manual", "cp 2", "prompt a", "rewind 1", "prompt b");
    expect(promptOf(manual.outline, manual.row(2))).toBeUndefined();
  });

  it("know for a step the request of its turn, even if the agent went back to before that request", () => {
    const back = tell("cp 1", "prompt a", "step 2", "cp 3", "prompt b", "step 4", "backtrack 2 n", "step 5");
    expect(promptOf(back.outline, back.row(9))?.seq).toBe(6);
  });

  it("are looked up by label, the newest first", () => {
    const labels = new Map([
      [id(2), "good"],
      [id(7), "good"],
      [id(9), "other"],
    ]);
    expect(findLabelled(story.outline, labels, "good")?.seq).toBe(7);
    expect(findLabelled(story.outline, labels, "bad")).toBeUndefined();
    expect(findLabelled(story.without(7).outline, labels, "good")?.seq).toBe(2);
    expect(findLabelled(story.without(9).outline, labels, "other")).toBeUndefined();
  });

  it("have labels that may look alike, except for the label that is wanted and that of the target", () => {
    const labels = new Map([
      [id(2), "good"],
      [id(7), "Good"],
      [id(9), "other"],
    ]);
    expect(lookalikeOf(labels, "GOOD")).toBe("good");
    expect(lookalikeOf(labels, "good")).toBe("Good");
    expect(lookalikeOf(labels, "GOOD", id(2))).toBe("Good");
    expect(lookalikeOf(labels, "Other", id(9))).toBeUndefined();
    expect(lookalikeOf(labels, "other")).toBeUndefined();
    expect(lookalikeOf(labels, "new")).toBeUndefined();
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

describe("the command that a checkpoint was created for", () => {
  const commandAt = (told: Told, line: number) => commandOf(told.outline, told.row(line))?.seq;

  it("is the next one, after entries about the checkpoint or lost lines", () => {
    expect(commandAt(tell("cp 1", "start c Shell"), 2)).toBe(3);
    expect(commandAt(tell("cp 1", "files 1", "label 1 good", "lost", "start c Shell", "ok c 1"), 2)).toBe(6);
  });

  it("is none if the checkpoint was created for a prompt, or for nothing", () => {
    const turn = tell("cp 1", "prompt a", "step 2", "reply r +x(a)", "start a x", "ok a 1", "cp 3 manual");
    expect([2, 4, 8].map((line) => commandAt(turn, line))).toEqual([undefined, undefined, undefined]);
  });

  it("is none if the next command ran on another branch, even if the journey there is lost", () => {
    const left = tell("cp 1", "cp 2", "rewind 1", "start c Shell");
    expect(commandAt(left.without(4), 3)).toBeUndefined();
    expect(commandAt(left.without(2, 4), 3)).toBeUndefined();
  });
});

describe("the line about the host that answered a prompt", () => {
  const hostAt = (told: Told, line: number) => hostLineOf(told.outline, told.row(line))?.seq;
  const checkpointAt = (told: Told, line: number) => checkpointOfHostLine(told.outline, told.row(line))?.seq;

  it("is the one directly after the prompt, and leads back to the prompt's checkpoint", () => {
    const hosted = tell("cp 1", "prompt a", "host x m1", "step 2", "reply r", "host x m2");
    expect([hostAt(hosted, 2), checkpointAt(hosted, 4), checkpointAt(hosted, 7)]).toEqual([4, 2, undefined]);
  });

  it("may come after the first line of a new file", () => {
    const rotated = tell("cp 1", "prompt a", "rotated 2", "host x m1");
    expect([hostAt(rotated, 2), checkpointAt(rotated, 5)]).toEqual([5, 2]);
  });

  it("is not that of a step, although its turn has one", () => {
    const hosted = tell("cp 1", "prompt a", "host x m1", "step 2");
    expect(hostAt(hosted, 5)).toBeUndefined();
  });

  it("is not one about a later message", () => {
    const own = tell("cp 1", "prompt a", "step 2", "host x m1");
    expect([hostAt(own, 2), hostLineOfPrompt(own.outline, own.row(3)), checkpointAt(own, 5)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("is not one about another branch, even if the lines that show its place are lost", () => {
    const left = tell("cp 1", "prompt a", "rewind 1", "host x m1").without(1, 2, 4);
    expect(hostLineOfPrompt(left.outline, left.row(3))).toBeUndefined();
  });

  it("is none if no prompt was sent, or nothing came after it", () => {
    expect(hostAt(tell("cp 1 manual"), 2)).toBeUndefined();
    expect(hostAt(tell("cp 1", "prompt a"), 2)).toBeUndefined();
  });

  it("leads to no checkpoint from a prompt that was added to a turn", () => {
    const queued = tell(
      "cp 1",
      "prompt a",
      "host x m1",
      "prompt hurry",
      "host x m2",
      "step 2",
      "prompt b",
      "host x m3",
    );
    expect([4, 6, 9].map((line) => checkpointAt(queued, line))).toEqual([2, undefined, undefined]);
  });

  it("leads to no checkpoint if the lines before it are lost", () => {
    const begun = tell("rotated 2", "host x m1");
    expect([checkpointAt(begun, 3), checkpointAt(begun.without(1), 3)]).toEqual([undefined, undefined]);
    expect(checkpointAt(begun.without(1, 2), 3)).toBeUndefined();
  });
});
