import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FileState, FolderState, PathBytes, PathChange } from "../../../src/record/files.ts";
import { compareRoots, listUnder } from "../../../src/snapshots/comparing/compare.ts";
import type { FolderEdit } from "../../../src/snapshots/comparing/update-folders.ts";
import { FolderCache } from "../../../src/snapshots/objects/tree-objects.ts";
import { fileOf } from "../arbitrary-states.ts";
import { MemoryObjects } from "../memory-objects.ts";
import { anyEdits, modelOf, rootOf, type Shown, shown, sorted } from "./workspace-model.ts";

const made = { kind: "folder", mode: 0o755 } as const;

type Told = [path: PathBytes, before: Shown | undefined, after: Shown | undefined];

function told({ path, before, after }: PathChange): Told {
  const show = (state: FileState | undefined) => (state === undefined ? undefined : shown(state));
  return [path, show(before), show(after)];
}

function changes(before: Record<PathBytes, FolderEdit>, edits: Record<PathBytes, FolderEdit>): Told[] {
  const objects = new MemoryObjects();
  const first = new Map(Object.entries(before));
  const old = rootOf(objects, first);
  const now = rootOf(objects, first, new Map(Object.entries(edits)));
  return compareRoots(new FolderCache(objects), old, now).map(told);
}

describe("comparing two snapshots", () => {
  it("names files that came, went and changed, and not the folders they are in", () => {
    expect(
      changes(
        { "a/b": fileOf("1"), "a/c": fileOf("2") },
        { "a/b": fileOf("3"), "a/c": undefined, "a/d": fileOf("4") },
      ),
    ).toEqual([
      ["a/b", fileOf("1"), fileOf("3")],
      ["a/c", fileOf("2"), undefined],
      ["a/d", undefined, fileOf("4")],
    ]);
  });

  it("names a folder that came, and everything in it", () => {
    expect(changes({}, { "a/b/c": fileOf("1") })).toEqual([
      ["a", undefined, made],
      ["a/b", undefined, made],
      ["a/b/c", undefined, fileOf("1")],
    ]);
  });

  it("names a folder that became a file, and everything that was in it", () => {
    expect(changes({ "a/b": fileOf("1") }, { a: fileOf("2") })).toEqual([
      ["a", made, fileOf("2")],
      ["a/b", fileOf("1"), undefined],
    ]);
  });

  it("names a folder for its mode alone, and a file for its mode alone", () => {
    const mode = { kind: "folder", mode: 0o700 } as const;
    expect(changes({ "a/b": fileOf("1") }, { a: mode, "a/b": fileOf("1", 0o755) })).toEqual([
      ["a", made, mode],
      ["a/b", fileOf("1"), fileOf("1", 0o755)],
    ]);
  });

  it("goes by the bytes of whole paths", () => {
    expect(changes({}, { "a/b": fileOf("1"), "a-b": fileOf("2"), "\xff": fileOf("3") })).toEqual([
      ["a", undefined, made],
      ["a-b", undefined, fileOf("2")],
      ["a/b", undefined, fileOf("1")],
      ["\xff", undefined, fileOf("3")],
    ]);
  });

  it("names the workspace itself for its mode", () => {
    const objects = new MemoryObjects();
    const before = rootOf(objects, new Map([["a", fileOf("1")]]));
    const after: FolderState = { ...before, mode: 0o700 };
    expect(compareRoots(new FolderCache(objects), before, after)).toEqual([{ path: "", before, after }]);
    expect(objects.reads).toBe(0);
  });

  it("names everything when there was nothing before", () => {
    const objects = new MemoryObjects();
    const root = rootOf(objects, new Map([["a/b", fileOf("1")]]));
    const cache = new FolderCache(objects);
    expect(compareRoots(cache, undefined, root)).toEqual(
      listUnder(cache, root, "").map(({ path, state }) => ({ path, before: undefined, after: state })),
    );
  });

  it("reads only what lies on the way to a difference", () => {
    const objects = new MemoryObjects();
    const edits = new Map<PathBytes, FolderEdit>();
    for (let index = 0; index < 100; index++) edits.set(`${index}/a/b`, fileOf("1"));
    const before = rootOf(objects, edits);
    const after = rootOf(objects, edits, new Map([["7/a/b", fileOf("2")]]));
    objects.reads = 0;
    expect(compareRoots(new FolderCache(objects), before, after).map(({ path }) => path)).toEqual(["7/a/b"]);
    expect(objects.reads).toBe(6);
  });

  it("law: a snapshot does not differ from itself, and nothing is read to find that out", () => {
    fc.assert(
      fc.property(anyEdits, (edits) => {
        const objects = new MemoryObjects();
        const root = rootOf(objects, edits);
        expect(compareRoots(new FolderCache(objects), root, { ...root })).toEqual([]);
        expect(objects.reads).toBe(0);
      }),
    );
  });

  it("law: what differs, put onto the one, gives the other, and is in order", () => {
    fc.assert(
      fc.property(anyEdits, anyEdits, anyEdits, (common, one, other) => {
        const objects = new MemoryObjects();
        const cache = new FolderCache(objects);
        const before = rootOf(objects, common, one);
        const after = rootOf(objects, common, other);
        const differences = compareRoots(cache, before, after);

        const model = modelOf(listUnder(cache, before, ""));
        for (const change of differences) {
          const [path, from, to] = told(change);
          expect(model.get(path)).toEqual(from);
          expect(to).not.toEqual(from);
          if (to === undefined) model.delete(path);
          else model.set(path, to);
        }
        expect(sorted(model)).toEqual(sorted(modelOf(listUnder(cache, after, ""))));
        const paths = differences.map(({ path }) => path);
        expect(paths).toEqual([...new Set(paths)].sort());
      }),
      { numRuns: 300 },
    );
  });

  it("law: in the other direction, before and after change places", () => {
    fc.assert(
      fc.property(anyEdits, anyEdits, (one, other) => {
        const objects = new MemoryObjects();
        const cache = new FolderCache(objects);
        const a = rootOf(objects, one);
        const b = rootOf(objects, one, other);
        expect(compareRoots(cache, b, a)).toEqual(
          compareRoots(cache, a, b).map(({ path, before, after }) => ({
            path,
            before: after,
            after: before,
          })),
        );
      }),
    );
  });
});
