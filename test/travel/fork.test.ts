import { describe, expect, it } from "vitest";
import { planFork } from "../../src/travel/fork.ts";
import { id, tell } from "../story.ts";
import { refused } from "./refused.ts";

const story = tell(
  "cp 1",
  "prompt a",
  "title t",
  "label 1 good",
  "rewind 1",
  "rotated 2",
  "cp 2",
  "prompt b",
  "label 2 good",
  "title u",
);

describe("planning a fork", () => {
  it("copies the branch without its first line, its files and its names, because the new session gets its own", () => {
    expect(planFork(story.outline, undefined)).toEqual({
      reason: "fork",
      moves: [{ do: "copy", lines: [2, 6, 8, 9], place: id(11) }],
    });
  });

  it("copies up to a checkpoint, also one on a branch that was left", () => {
    const left = tell("cp 1", "prompt a", "cp 2", "prompt b", "rewind 1");
    expect(planFork(left.outline, 2).moves).toEqual([{ do: "copy", lines: [2, 3, 4], place: id(4) }]);
  });

  it("copies how far another agent got", () => {
    const hosted = tell("cp 1", "prompt a", "host x 1", "reply b", "host x 2");
    expect(planFork(hosted.outline, undefined).moves).toMatchObject([{ lines: [2, 3, 4, 5, 6] }]);
  });

  it("passes over lines that are lost", () => {
    expect(planFork(story.without(8).outline, undefined).moves).toMatchObject([{ lines: [2, 6, 9] }]);
  });

  it("refuses a checkpoint that is not there", () => {
    expect(refused(() => planFork(story.outline, 9))).toContain("Known checkpoints: 1-2");
  });
});
