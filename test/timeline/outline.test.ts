import { describe, expect, it } from "vitest";
import type { EntryOf, Origin } from "../../src/record/entry.ts";
import { type EntryId, packId, toSeq } from "../../src/record/ids.ts";
import { Outline } from "../../src/timeline/outline.ts";
import { codeOf, type Placement } from "../../src/timeline/row.ts";
import { id, type Told, tell } from "../story.ts";

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

  it("does not take the last line twice", () => {
    const story = tell("cp 1");
    expect(story.outline.add(story.entry(2))).toBeUndefined();
    expect([story.outline.length, story.outline.oddities]).toEqual([2, [{ seq: 2, what: "repeated" }]]);
  });

  it.each<[origin: Origin, place: Placement]>([
    [[toSeq(1e9), toSeq(3)], { parent: 3, leg: 3 }],
    [[toSeq(2), toSeq(-1e9)], { parent: 3, leg: 0 }],
    [[toSeq(2), toSeq(4)], { parent: 3, leg: 0 }],
  ])(
    "places an entry whose parent is lost without a long search, even if its origin is %j",
    (origin, place) => {
      const story = tell("cp 1", "title t");
      const orphan = { ...story.entry(3), seq: story.outline.nextSeq, id: id(4), parent: id(99), origin };
      expect(story.outline.add(orphan)).toMatchObject(place);
    },
    // A search through a billion lines takes longer.
    2_000,
  );

  it("knows no landing place for what comes before the first journey", () => {
    const damaged = tell("cp 1", "rewind 1").without(1, 2);
    damaged.add("prompt a");
    expect(damaged.branch()).toEqual(["rewind 1", "prompt a"]);
    expect(damaged.outline.landingOf(0)).toBeUndefined();
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

describe("the rows of an outline", () => {
  it("have their place, also the first row, which is after nothing", () => {
    const { entries } = tell("prompt a");
    const outline = new Outline();
    const rows = entries.map((entry) => outline.add(entry));
    const row = { number: 0, input: 0, output: 0, leg: 0 };
    expect(rows).toEqual([
      { ...row, seq: 1, id: id(1), parent: 0, kind: "session", at: 1_000, estimate: rows[0]?.estimate },
      { ...row, seq: 2, id: id(2), parent: 1, kind: "prompt", at: 2_000, estimate: rows[1]?.estimate },
    ]);
    expect([outline.rows(), outline.head]).toEqual([rows, rows[1]]);
  });

  it("are found by kind, oldest first, also those that were added since the last search", () => {
    const story = tell("cp 1", "prompt a", "lost", "prompt b", "rewind 1");
    expect([story.outline.linesOf("prompt"), story.outline.linesOf("reply")]).toEqual([[3, 5], []]);
    story.add("prompt c");
    story.add("reply r");
    expect([story.outline.linesOf("prompt"), story.outline.linesOf("reply")]).toEqual([[3, 5, 7], [8]]);
    expect(story.outline.ofKind("prompt")).toEqual([story.row(3), story.row(5), story.row(7)]);
  });

  it("are found by id, however often, also those that were added since the last search", () => {
    const story = tell(...Array.from({ length: 20 }, () => "title t"), "lost");
    const found = () => story.outline.rows().map((row) => story.outline.byId(row.id)?.seq);
    const unknown = () => story.outline.byId("a00000000003" as EntryId);
    const lines = Array.from({ length: 21 }, (_line, at) => at + 1);
    expect([found(), unknown()]).toEqual([lines, undefined]);
    story.add("prompt a");
    story.add("prompt b");
    expect([found(), unknown()]).toEqual([[...lines, 23, 24], undefined]);
    const { seq: _seq, kind, id: entry, ...place } = story.row(3);
    story.outline.addPacked({ ...place, code: codeOf(kind), ...packId("b00000000003" as EntryId) });
    story.add("prompt c");
    expect(story.outline.byId("b00000000003" as EntryId)).toMatchObject({ ...place, seq: 25 });
    expect([found(), story.outline.byId(entry)?.seq]).toEqual([[...lines, 23, 24, 25, 26], 3]);
  });
});

/** The outline as it is read from an index of the session. */
function indexed(story: Told): Outline {
  const outline = new Outline();
  outline.reserve(story.lines.length);
  // The reader of an index passes the same object for every row.
  const packed = {
    code: 0,
    idHigh: 0,
    idLow: 0,
    parent: 0,
    at: 0,
    number: 0,
    estimate: 0,
    input: 0,
    output: 0,
    leg: 0,
  };
  for (let line = 1; line <= story.lines.length; line += 1) {
    const row = story.outline.at(line);
    if (row === undefined) outline.addGap();
    else outline.addPacked(Object.assign(packed, row, { code: codeOf(row.kind), ...packId(row.id) }));
  }
  return outline;
}

describe("an outline from an index", () => {
  const told = ["cp 1", "prompt a", "step 2", "counted 900+30 r", "lost", "rewind 1", "cp 3", "files 3"];

  it("has the same contents as one that is read from the lines", () => {
    const story = tell(...told);
    const outline = indexed(story);
    expect(outline.head).toEqual(story.outline.head);
    expect(outline.rows()).toEqual(story.outline.rows());
    expect([outline.highestNumber, outline.gaps, outline.nextSeq]).toEqual([3, [6], 10]);
  });

  it("goes on where the index ends", () => {
    for (const last of ["prompt b", "rewind 2", "lost"]) {
      const story = tell(...told);
      const outline = indexed(story);
      story.add(last);
      story.add("prompt c");
      for (const entry of story.entries.filter(({ seq }) => seq > told.length + 1)) outline.add(entry);
      expect(outline.rows()).toEqual(story.outline.rows());
      expect(outline.landingOf(7)).toEqual(story.row(2));
    }
  });
});
