import { describe, expect, it } from "vitest";
import { toSeq } from "../../src/record/ids.ts";
import { treeOf } from "../../src/timeline/tree.ts";
import { id, type Told, tell } from "../story.ts";

/** One string per line: its rails, how it is attached, and its kind; a star marks the head's branch. */
function drawn(story: Told, wanted: (kind: string) => boolean = () => true): string[] {
  return treeOf(story.outline, (row) => wanted(row.kind)).map(({ row, rails, hang, branch }) => {
    const columns = rails.map((rail) => (rail === "open" ? "| " : ". ")).join("");
    const mark = { along: "", fork: "+-", last: "`-" }[hang];
    return `${columns}${mark}${story.lines[row.seq - 1]}${branch === "here" ? " *" : ""}`;
  });
}

describe("the tree", () => {
  it("of a session that never went back is one straight line", () => {
    expect(drawn(tell("cp 1", "prompt a", "step 2", "reply r"))).toEqual([
      "session *",
      "cp 1 *",
      "prompt a *",
      "step 2 *",
      "reply r *",
    ]);
  });

  it("shows branches that were left first and indented, then the way to the head", () => {
    const story = tell("cp 1", "prompt a", "rewind 1", "cp 2", "prompt b", "rewind 1", "cp 3", "prompt c");
    expect(drawn(story)).toEqual([
      "session *",
      "cp 1 *",
      "+-prompt a",
      "`-rewind 1",
      ". cp 2",
      ". prompt b",
      "rewind 1 *",
      "cp 3 *",
      "prompt c *",
    ]);
  });

  it("shows a branch within a branch that was left", () => {
    const story = tell("cp 1", "cp 2", "prompt a", "rewind 2", "prompt b", "rewind 1", "prompt c");
    expect(drawn(story)).toEqual([
      "session *",
      "cp 1 *",
      "`-cp 2",
      ". `-prompt a",
      ". rewind 2",
      ". prompt b",
      "rewind 1 *",
      "prompt c *",
    ]);
  });

  it("continues a branch that was left while later ones follow below it", () => {
    const story = tell("cp 1", "prompt a", "reply r", "rewind 1", "cp 2", "rewind 1", "prompt b");
    expect(drawn(story)).toEqual([
      "session *",
      "cp 1 *",
      "+-prompt a",
      "| reply r",
      "`-rewind 1",
      ". cp 2",
      "rewind 1 *",
      "prompt b *",
    ]);
  });

  it("shows the way to the head last, also if it is the older one", () => {
    const story = tell("cp 1", "prompt a", "rewind 1", "prompt b", "redo 4");
    expect(treeOf(story.outline, () => true)).toEqual([
      { row: story.row(1), rails: [], hang: "along", branch: "here" },
      { row: story.row(2), rails: [], hang: "along", branch: "here" },
      { row: story.row(4), rails: [], hang: "last", branch: "left" },
      { row: story.row(5), rails: ["closed"], hang: "along", branch: "left" },
      { row: story.row(3), rails: [], hang: "along", branch: "here" },
      { row: story.row(6), rails: [], hang: "along", branch: "here" },
    ]);
  });

  it("moves up what hangs on an entry that is not shown", () => {
    const story = tell("cp 1", "prompt a", "reply x", "rewind 1", "prompt b");
    expect(drawn(story, (kind) => kind === "prompt" || kind === "session")).toEqual([
      "session *",
      "`-prompt a",
      "prompt b *",
    ]);
  });

  it("shows what is left when the first line is lost", () => {
    expect(drawn(tell("cp 1", "prompt a").without(1))).toEqual(["cp 1 *", "prompt a *"]);
  });

  it("holds a session that is 100,000 entries deep", () => {
    const deep = tell(...Array.from({ length: 100_000 }, () => "title t"));
    expect(treeOf(deep.outline, () => true)).toHaveLength(100_001);
  });

  it("holds 150,000 branches that left one place", () => {
    const wide = tell("cp 1", "rewind 1");
    const rewind = wide.entry(3);
    for (let seq = 4; seq <= 150_002; seq += 1) wide.outline.add({ ...rewind, seq: toSeq(seq), id: id(seq) });
    const lines = treeOf(wide.outline, () => true);
    expect(lines).toHaveLength(150_002);
    expect(lines.at(-1)).toMatchObject({ hang: "along", branch: "here" });
  });
});
