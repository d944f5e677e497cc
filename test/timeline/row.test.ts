import { describe, expect, it } from "vitest";
import type { Entry, EntryBody, EntryKind } from "../../src/record/entry.ts";
import { type EntryId, type SnapshotId, toCheckpointNumber, toSeq } from "../../src/record/ids.ts";
import { shapes } from "../../src/record/shape.ts";
import {
  codeOf,
  isAboutPlace,
  isEntryToCount,
  isJourney,
  isSamePlace,
  type Row,
  RowColumns,
  rowOf,
} from "../../src/timeline/row.ts";
import { id, tell } from "../story.ts";

// Covers every kind, so that a new kind cannot be forgotten here.
const kinds = Object.keys(shapes) as EntryKind[];

describe("a row of the log", () => {
  it("is about a place if it adds nothing to the conversation and is not a report of a restore", () => {
    expect(kinds.filter((kind) => isAboutPlace({ kind })).sort()).toEqual(
      ["checkpoint-delete", "host", "interval", "label", "rotated", "snapshot", "title"].sort(),
    );
  });

  it("leads to the same place as the row above it if it is about that place, or reports a restore there", () => {
    const more = kinds.filter((kind) => isSamePlace({ kind }) && !isAboutPlace({ kind }));
    expect(more.sort()).toEqual(["notice", "restored"]);
  });
});

describe("the kinds of rows", () => {
  const row = tell().row(1);

  it("are journeys if they go to another place", () => {
    expect(kinds.filter(isJourney).sort()).toEqual(["backtrack", "redo", "rewind"]);
  });

  it("count as entries unless they mean nothing to users", () => {
    expect(kinds.filter((kind) => !isEntryToCount({ ...row, kind })).sort()).toEqual(["host", "interval"]);
  });
});

const usage = { input: 900, output: 30, cacheRead: 100, cacheWrite: 0 };

/** The row of an entry that says this, on line 7 after line 5 and the journey on line 4. */
function rowFor(body: EntryBody): Row {
  const base = { seq: toSeq(7), id: id(7), parent: id(5), at: "2026-01-02T03:04:05.678Z" };
  return rowOf({ ...base, ...body } as Entry, { parent: 5, leg: 4 });
}

describe("the row of an entry", () => {
  const plain = {
    seq: 7,
    id: id(7),
    parent: 5,
    leg: 4,
    at: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
    number: 0,
    estimate: 0,
    input: 0,
    output: 0,
  };
  const number = toCheckpointNumber(3);
  const compaction = {
    kind: "compaction",
    summary: "s",
    firstKept: id(2),
    pinned: [],
    reason: "full",
    tokensBefore: 900,
    kept: 250,
    estimate: 12,
  } as const;

  it.each<[what: string, EntryBody, Partial<Row>]>([
    ["a title: its place and time alone", { kind: "title", title: "t" }, {}],
    ["a prompt: its estimate", { kind: "prompt", parts: [], estimate: 12 }, { estimate: 12 }],
    ["a checkpoint: its number", { kind: "checkpoint", number, on: "prompt" }, { number: 3 }],
    ["a step: its number, and the size of its marker", { kind: "step", number }, { number: 3, estimate: 27 }],
    [
      "a snapshot: the number of its checkpoint",
      { kind: "snapshot", checkpoint: number, state: "none", author: "timeline" },
      { number: 3 },
    ],
    ["an interval: no number", { kind: "interval", snapshot: "s" as SnapshotId, author: "outside" }, {}],
    ["a user's interrupt: the size of the remark", { kind: "interrupt", by: "person" }, { estimate: 28 }],
    ["an interrupt by a crash: no size, since the model is not told", { kind: "interrupt", by: "crash" }, {}],
    ["a compaction: the size of the whole context", compaction, { estimate: 250 }],
    ["a compaction: not what its summary cost", { ...compaction, usage }, { estimate: 250 }],
    [
      "a reply: its estimate and what the provider counted",
      { kind: "reply", parts: [], model: "m", usage, estimate: 40 },
      { estimate: 40, input: 900, output: 30 },
    ],
    [
      "a reply that no provider counted: its estimate",
      { kind: "reply", parts: [], model: "m", estimate: 40 },
      { estimate: 40 },
    ],
  ])("has of %s", (_what, body, has) => {
    expect(rowFor(body)).toEqual({ ...plain, kind: body.kind, ...has });
  });

  it("has of a session the number that its checkpoints continue from", () => {
    const { numbersFrom: _none, ...body } = tell().of("session")[0] as Extract<Entry, { kind: "session" }>;
    expect(rowOf({ ...body, numbersFrom: 8 }, { parent: 0, leg: 0 })).toMatchObject({
      kind: "session",
      number: 8,
    });
  });
});

describe("the columns of rows", () => {
  const row: Row = {
    seq: toSeq(1),
    id: "abcdefghjkmn" as EntryId,
    parent: 6,
    kind: "reply",
    at: 1_767_322_800_123,
    number: 5,
    estimate: 40,
    input: 900,
    output: 30,
    leg: 4,
  };

  it("return every field of a row", () => {
    const columns = new RowColumns();
    columns.add(row);
    expect(columns.row(1)).toEqual(row);
    expect(columns.parentAt(1)).toBe(6);
  });

  it("have nothing at a gap, nor at lines that do not exist", () => {
    const columns = new RowColumns();
    columns.addGap();
    columns.add({ ...row, seq: toSeq(2) });
    const at = [-1, 0, 1, 3, 1.5, Number.NaN];
    expect(at.map((line) => [columns.row(line), columns.kindAt(line), columns.parentAt(line)])).toEqual(
      at.map(() => [undefined, undefined, 0]),
    );
  });

  it("find the newest entry with an id, and never a gap", () => {
    const columns = new RowColumns();
    columns.add({ ...row, id: id(0) });
    columns.add({ ...row, id: "000000000005" as EntryId });
    columns.add({ ...row, id: "a00000000005" as EntryId });
    columns.add({ ...row, id: "a00000000005" as EntryId });
    columns.addGap();
    const ids = ["000000000000", "000000000005", "a00000000005", "b00000000005"] as EntryId[];
    expect(ids.map((each) => columns.lineOf(each))).toEqual([1, 2, 4, 0]);
  });

  it("keep their rows when space is reserved for fewer rows or for more", () => {
    const columns = new RowColumns();
    columns.add(row);
    columns.reserve(1);
    columns.reserve(10_000);
    columns.add({ ...row, seq: toSeq(2) });
    expect([columns.length, columns.row(1), columns.row(2)]).toEqual([2, row, { ...row, seq: 2 }]);
  });

  it("list the lines of a kind and the gaps, from any line on", () => {
    const columns = new RowColumns();
    for (const kind of ["prompt", "reply", "prompt"] as const) {
      columns.add({ ...row, kind });
      columns.addGap();
    }
    expect([columns.linesOf("prompt"), columns.linesOf("prompt", 2)]).toEqual([[1, 5], [5]]);
    expect([columns.gapsFrom(), columns.gapsFrom(4)]).toEqual([
      [2, 4, 6],
      [4, 6],
    ]);
  });

  it("give every kind a code, and none to a kind that does not exist", () => {
    expect(kinds.map(codeOf)).toEqual(kinds.map((_kind, at) => at + 1));
    expect([codeOf("foreign"), codeOf("unheard-of" as EntryKind)]).toEqual([kinds.length + 1, 0]);
  });
});
