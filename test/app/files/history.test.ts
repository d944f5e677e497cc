import { describe, expect, it } from "vitest";
import { changesOf, filesKnownTo, type Moment, momentsOf } from "../../../src/app/files/history.ts";
import { viewSession } from "../../../src/machine/open.ts";
import type { FileState, PathBytes } from "../../../src/record/files.ts";
import type { ObjectHash, SnapshotId } from "../../../src/record/ids.ts";
import { toSeq } from "../../../src/record/ids.ts";
import { openMemoryStore } from "../../../src/stores/memory.ts";
import { Story } from "../../../src/testing/testing.ts";

const snapshot = (name: string) => name.padEnd(64, "0") as SnapshotId;

/** A session in which each kind of entry recorded a state of the files. */
function story() {
  const told = new Story();
  told.begin();
  const place = told.checkpoint();
  const { number: checkpoint } = place;
  told.tell({ kind: "snapshot", checkpoint, state: "complete", snapshot: snapshot("a"), author: "outside" });
  told.tell({ kind: "snapshot", checkpoint, state: "none", why: "No disk.", author: "outside" });
  told.tell({ kind: "interval", snapshot: snapshot("b"), author: "timeline" });
  const from = told.last.id;
  const journey = { from, scope: "files" } as const;
  told.tell({ kind: "rewind", to: checkpoint, ...journey, left: snapshot("c"), leftAuthor: "timeline" });
  const outcome = { restored: 1, kept: 0, failed: 0, paths: "", journey: told.last.id };
  told.tell({ kind: "restored", ...outcome, snapshot: snapshot("d") });
  told.tell({ kind: "restored", ...outcome });
  told.tell({ kind: "rewind", to: checkpoint, ...journey });
  const redo = { kind: "redo", journey: told.last.id, revokes: "nothing", estimate: 0 } as const;
  told.tell({ ...redo, ...journey, left: snapshot("e") });
  const note = {
    prompts: [],
    told: [],
    changed: [],
    estimate: 0,
    note: "It leaks.",
    running: [],
    times: 1,
  } as const;
  told.tell({
    kind: "backtrack",
    to: checkpoint,
    from,
    files: "restore",
    ...note,
    left: snapshot("f"),
    leftAuthor: "outside",
  });
  return told;
}

async function viewOf(told: Story) {
  const store = openMemoryStore();
  const [first, ...rest] = told.entries;
  if (first?.kind !== "session") throw new Error("The story has not begun.");
  await store.create(first);
  await store.append(told.session, toSeq(2), rest);
  return viewSession(store, told.session);
}

const second = (line: number) => Date.UTC(2026, 0, 1, 0, 0, line);

describe("the moments of a session", () => {
  it("are the states of the files that its entries recorded, oldest first", async () => {
    const view = await viewOf(story());
    expect(await momentsOf(view, { has: async () => true })).toEqual([
      { view, at: second(3), snapshot: snapshot("a"), author: "outside", checkpoint: 1 },
      { view, at: second(5), snapshot: snapshot("b"), author: "timeline" },
      { view, at: second(6), snapshot: snapshot("c"), author: "timeline" },
      { view, at: second(7), snapshot: snapshot("d"), author: "journey" },
      { view, at: second(10), snapshot: snapshot("e"), author: "outside" },
      { view, at: second(11), snapshot: snapshot("f"), author: "outside" },
    ]);
  });

  it("are only those that the store still has", async () => {
    const view = await viewOf(story());
    const moments = await momentsOf(view, { has: async (each) => each === snapshot("b") });
    expect(moments).toEqual([{ view, at: second(5), snapshot: snapshot("b"), author: "timeline" }]);
  });
});

describe("the last state of the files that a session knows", () => {
  it.each([
    ["its checkpoint", 3, snapshot("a")],
    ["nothing, if its last capture failed", 4, undefined],
    ["a tool call", 5, snapshot("b")],
    ["a rewind", 6, snapshot("c")],
    ["the restore of a rewind", 7, snapshot("d")],
    ["nothing, before its first capture", 2, undefined],
  ])("was recorded by %s", async (_, lines, known) => {
    const told = story();
    told.untell(told.entries.length - lines);
    expect(await filesKnownTo(await viewOf(told))).toBe(known);
  });
});

const file = (hash: string, mode = 0o644): FileState => ({
  kind: "file",
  mode,
  size: 1,
  hash: hash as ObjectHash,
});
const folder = (hash: string, mode = 0o755): FileState => ({
  kind: "folder",
  mode,
  hash: hash as ObjectHash,
});

/** The changes to a path that had these states, one after the other. */
async function changes(...states: readonly (FileState | undefined)[]) {
  const moments = states.map((_, at) => ({ at, snapshot: snapshot(`${at}`) }) as unknown as Moment);
  const stateAt = async (id: SnapshotId, path: PathBytes) =>
    path === "p" ? states[moments.findIndex((moment) => moment.snapshot === id)] : undefined;
  const found = await changesOf("p", moments, { stateAt });
  return found.map(({ at, what, state }) => ({ at, what, state }));
}

describe("the changes to a path", () => {
  it("are the moments in which its state differs from the one before", async () => {
    expect(
      await changes(undefined, file("a"), file("a"), file("b"), file("b", 0o755), undefined, undefined),
    ).toEqual([
      { at: 1, what: "created", state: file("a") },
      { at: 3, what: "changed", state: file("b") },
      { at: 4, what: "changed", state: file("b", 0o755) },
      { at: 5, what: "deleted", state: undefined },
    ]);
  });

  it("include the changes within a folder, and those of its mode and kind", async () => {
    const states = [
      folder("a"),
      folder("a"),
      folder("b"),
      folder("b", 0o644),
      file("b"),
      folder("b"),
      undefined,
    ];
    expect(await changes(...states)).toEqual([
      { at: 0, what: "created", state: folder("a") },
      { at: 2, what: "changed", state: folder("b") },
      { at: 3, what: "changed", state: folder("b", 0o644) },
      { at: 4, what: "changed", state: file("b") },
      { at: 5, what: "changed", state: folder("b") },
      { at: 6, what: "deleted", state: undefined },
    ]);
  });

  it("are found without reading the same snapshot twice", async () => {
    const moment = { snapshot: snapshot("a") } as Moment;
    const other = { snapshot: snapshot("b") } as Moment;
    const read: SnapshotId[] = [];
    const stateAt = async (id: SnapshotId) => {
      read.push(id);
      return file("a");
    };
    await changesOf("p", [moment, moment, other, other], { stateAt });
    expect(read).toEqual([snapshot("a"), snapshot("b")]);
  });
});
