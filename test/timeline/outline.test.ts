import { describe, expect, it } from "vitest";
import type { EntryOf } from "../../src/record/entry.ts";
import { toSeq } from "../../src/record/ids.ts";
import { tell } from "../story.ts";

describe("the outline of a damaged log", () => {
  const story = tell("cp 1", "prompt a", "step 2", "reply r", "rewind 1", "cp 3", "prompt b", "step 4");

  it("keeps the place of a lost line, and the line numbers of the others", () => {
    const damaged = story.without(4);
    expect(damaged.outline.gaps).toEqual([4]);
    expect(damaged.outline.nextSeq).toBe(10);
    expect(damaged.outline.at(4)).toBeUndefined();
    expect(damaged.outline.at(5)?.kind).toBe("reply");
  });

  it.each([
    [3, ["session", "cp 1", "rewind 1", "cp 3", "prompt b", "step 4"]],
    [6, ["session", "cp 1", "cp 3", "prompt b", "step 4"]],
    [7, ["session", "cp 1", "rewind 1", "prompt b", "step 4"]],
    [8, ["session", "cp 1", "rewind 1", "cp 3", "step 4"]],
    [9, ["session", "cp 1", "rewind 1", "cp 3", "prompt b"]],
    [1, ["cp 1", "rewind 1", "cp 3", "prompt b", "step 4"]],
  ])("loses line %i from the branch and nothing else", (line, branch) => {
    expect(story.without(line).branch()).toEqual(branch);
  });

  it("lets a journey whose landing place is lost land on the line before that", () => {
    expect(story.without(2).branch()).toEqual(["session", "rewind 1", "cp 3", "prompt b", "step 4"]);
  });

  it("finds where a lost journey landed, for another journey that went back to it", () => {
    const twice = tell(
      "cp 1",
      "prompt a",
      "cp 2",
      "prompt b",
      "rewind 1",
      "title t",
      "rewind 2",
      "redo 8",
      "cp 3",
    );
    expect(twice.branch()).toEqual(["session", "cp 1", "rewind 1", "title t", "redo 8", "cp 3"]);
    expect(twice.without(6).branch()).toEqual(["session", "cp 1", "title t", "redo 8", "cp 3"]);
  });

  it("writes on with the landing place of a lost journey, so that more damage costs no more", () => {
    const damaged = story.without(6);
    damaged.add("reply after the damage");
    damaged.add("prompt c");
    expect(damaged.entry(10).origin).toEqual(story.entry(9).origin);
    expect(damaged.without(6, 10).branch().slice(-2)).toEqual(["step 4", "prompt c"]);
  });

  it("reports what it had to attach again, and lines that are there twice", () => {
    const damaged = story.without(8);
    damaged.outline.add(story.entry(3));
    expect(damaged.outline.oddities).toEqual([
      { seq: 9, what: "reattached" },
      { seq: 3, what: "repeated" },
    ]);
  });

  it("takes lines that are missing between two for lost", () => {
    const torn = tell();
    torn.outline.add(story.entry(5));
    expect(torn.outline.gaps).toEqual([2, 3, 4]);
    expect(torn.outline.length).toBe(5);
  });
});

describe("checkpoint numbers", () => {
  it("count from 1, over all branches", () => {
    const story = tell("cp 1", "prompt a", "step 2", "rewind 1", "cp 3", "step 4", "rewind 2");
    expect(story.outline.highestNumber).toBe(4);
  });

  it("leave room for every line that is lost, since it may have been a checkpoint", () => {
    const story = tell("cp 1", "prompt a", "cp 2", "prompt b");
    expect(story.without(4).outline.highestNumber).toBe(2);
    expect(story.without(4, 5).outline.highestNumber).toBe(3);
  });

  it("do not leap again with each new checkpoint after the damage", () => {
    const story = tell("cp 1", "lost", "lost", "lost", "cp 5", "cp 6", "cp 7");
    expect(story.outline.highestNumber).toBe(7);
  });

  it("are not lowered by the files of an older checkpoint", () => {
    const story = tell("cp 1", "cp 2", "lost");
    const { outline } = story;
    outline.add({
      ...story.entry(3),
      seq: outline.nextSeq,
      kind: "snapshot",
      checkpoint: 1 as never,
      state: "none",
      author: "timeline",
    });
    expect(outline.highestNumber).toBe(3);
  });
});

describe("the numbers of a fork", () => {
  it("count on from those of its source, and leave room for lost lines from there", () => {
    const source = tell("cp 1", "lost");
    const fork = tell().without(1);
    fork.outline.add({ ...(source.entry(1) as EntryOf<"session">), seq: toSeq(2), numbersFrom: 5 });
    fork.outline.addGap();
    expect(fork.outline.highestNumber).toBe(6);
  });
});
