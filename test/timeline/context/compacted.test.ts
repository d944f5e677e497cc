import { describe, expect, it } from "vitest";
import type { EntryOf } from "../../../src/record/entry.ts";
import { shownLines } from "../../../src/timeline/context/context.ts";
import { tell } from "../../story.ts";

const SHORT =
  "user: [What happened before this point, in short. The full record is kept but no longer shown to you.\n\n";

describe("a compacted context", () => {
  const turns = ["prompt a", "step 1", "reply r +x(a)", "ok a 1", "step 2", "reply s +x(b)", "ok b 2"];

  it("begins with the summary, then the pinned prompt, then what was kept", () => {
    const story = tell(...turns, "compact 7/2 it went well", "step 3", "reply t");
    expect(story.says()).toEqual([
      `${SHORT}it went well]`,
      "user: a",
      "assistant: s +x(b)",
      "b ok: 2 [Checkpoint 3]",
      "assistant: t",
    ]);
  });

  it("is restored if the user rewinds to before the compaction", () => {
    const story = tell(...turns, "cp 3");
    const before = story.context();
    story.add("compact 7/2 short");
    story.add("rewind 3");
    expect(story.context()).toEqual(before);
    expect(story.context(story.row(9))).toEqual(before);
  });

  it("shows the last compaction only", () => {
    const story = tell(...turns, "compact 7/2 first", "step 3", "reply t", "compact 11/2 second", "prompt b");
    expect(story.says()).toEqual([`${SHORT}second]`, "user: a", "assistant: t", "user: b"]);
  });

  it("shows its summary alone when nothing came after", () => {
    expect(tell(...turns, "compact 9 all").says()).toEqual([`${SHORT}all]`]);
  });

  it("shows too much and never too little when the first kept line is lost", () => {
    const story = tell("prompt a", "reply q", ...turns, "compact 9/2 short", "step 3");
    const damaged = story.without(9);
    expect(damaged.says()).toEqual([`${SHORT}short]`, "user: a [Checkpoint 3]"]);
    expect(story.without(4, 9).says()).toEqual([
      `${SHORT}short]`,
      "user: a",
      "assistant: r +x(a)",
      "a ok: 1 [Checkpoint 3]",
    ]);
  });

  it("shows nothing from before an earlier compaction when the first kept line is lost", () => {
    const story = tell("prompt a", "reply q", "compact 3 first", ...turns, "compact 10 second", "prompt b");
    expect(story.without(2, 10).says()).toEqual([`${SHORT}second]`, "user: b"]);
  });

  it("does without a pinned prompt whose line is lost", () => {
    const story = tell(...turns, "compact 7/2 short").without(2);
    expect(story.says()).toEqual([`${SHORT}short]`, "assistant: s +x(b)", "b ok: 2"]);
  });

  it("does not show a pinned line twice when it lies in the kept part after all", () => {
    const story = tell(...turns, "compact 2/2 short");
    const compaction = story.entry(9) as EntryOf<"compaction">;
    expect(shownLines(story.outline, story.outline.head, compaction).pinned).toEqual([]);
  });

  it("is read from the lines of the session, the compaction, and what these keep", () => {
    const story = tell("prompt a", "reply q", "prompt b", "compact 4/2 short", "prompt c");
    const { outline } = story;
    expect(shownLines(outline, outline.head, story.entry(5) as EntryOf<"compaction">)).toEqual({
      session: 1,
      compaction: 5,
      pinned: [2],
      entries: [4, 5, 6],
    });
    expect(shownLines(outline, outline.at(4), undefined)).toEqual({
      session: 1,
      pinned: [],
      entries: [2, 3, 4],
    });
  });
});
