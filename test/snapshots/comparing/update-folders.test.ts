import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PathBytes } from "../../../src/record/files.ts";
import type { ObjectHash } from "../../../src/record/ids.ts";
import { gapsOf, listUnder, stateAt } from "../../../src/snapshots/comparing/compare.ts";
import { type FolderEdit, updateRoot } from "../../../src/snapshots/comparing/update-folders.ts";
import { FolderCache } from "../../../src/snapshots/objects/tree-objects.ts";
import { fileOf } from "../arbitrary-states.ts";
import { MemoryObjects } from "../memory-objects.ts";
import {
  anyEdits,
  applyPlainly,
  failuresOf,
  type Model,
  modelOf,
  rootOf,
  type Shown,
  sorted,
} from "./workspace-model.ts";

const made = { kind: "folder", mode: 0o755 } as const;

/** The files after applying these batches in order. */
function filesAfter(...batches: Record<PathBytes, FolderEdit>[]): Record<PathBytes, Shown> {
  const objects = new MemoryObjects();
  const root = rootOf(objects, ...batches.map((batch) => new Map(Object.entries(batch))));
  return Object.fromEntries(sorted(modelOf(listUnder(new FolderCache(objects), root, ""))));
}

describe("updating folders", () => {
  it("makes the folders that are missing", () => {
    expect(filesAfter({ "a/b/c": fileOf("1") })).toEqual({ a: made, "a/b": made, "a/b/c": fileOf("1") });
  });

  it("leaves everything else as it is", () => {
    expect(
      filesAfter({ "a/b": fileOf("1"), "a/c": fileOf("2"), d: fileOf("3") }, { "a/b": fileOf("4") }),
    ).toEqual({
      a: made,
      "a/b": fileOf("4"),
      "a/c": fileOf("2"),
      d: fileOf("3"),
    });
  });

  it("keeps a folder when the last of what it held is gone", () => {
    expect(filesAfter({ "a/b": fileOf("1") }, { "a/b": undefined })).toEqual({ a: made });
  });

  it("removes a folder with all below it", () => {
    expect(filesAfter({ "a/b/c": fileOf("1") }, { a: undefined })).toEqual({});
  });

  it("changes a folder's mode and keeps what it holds", () => {
    expect(filesAfter({ "a/b": fileOf("1") }, { a: { kind: "folder", mode: 0o700 } })).toEqual({
      a: { kind: "folder", mode: 0o700 },
      "a/b": fileOf("1"),
    });
  });

  it("puts a file where a folder was, and a folder where a file was", () => {
    expect(
      filesAfter({ "a/b": fileOf("1"), c: fileOf("2") }, { a: fileOf("3"), "c/d": fileOf("4") }),
    ).toEqual({
      a: fileOf("3"),
      c: made,
      "c/d": fileOf("4"),
    });
  });

  it("makes a folder again for what is below it, without what it held", () => {
    const mode = { kind: "folder", mode: 0o700 } as const;
    expect(filesAfter({ a: mode, "a/b": fileOf("1") }, { a: undefined, "a/c": fileOf("2") })).toEqual({
      a: made,
      "a/c": fileOf("2"),
    });
  });

  it("creates no folder for what is to be removed, and keeps the file that is there", () => {
    expect(filesAfter({ a: fileOf("1") }, { "a/b": undefined, "c/d/e": undefined })).toEqual({
      a: fileOf("1"),
    });
  });

  it("takes a folder's content by its hash, and puts edits below onto that", () => {
    const objects = new MemoryObjects();
    const cache = new FolderCache(objects);
    const root = rootOf(objects, new Map([["a/b", fileOf("1")]]));
    const copied = stateAt(cache, root, "a");
    const edits = new Map([
      ["c", copied],
      ["c/d", fileOf("2")],
    ]);
    const updated = updateRoot(cache, root.hash, edits);
    expect(sorted(modelOf(listUnder(cache, { ...root, hash: updated.root }, "c")))).toEqual([
      ["c", made],
      ["c/b", fileOf("1")],
      ["c/d", fileOf("2")],
    ]);
  });

  it("refuses a workspace that is not a folder, and invalid names", () => {
    const cache = new FolderCache(new MemoryObjects());
    const update = (path: PathBytes) => updateRoot(cache, undefined, new Map([[path, fileOf("1")]]));
    expect(() => update("")).toThrow(expect.objectContaining({ code: "WORKSPACE_UNUSABLE" }));
    for (const path of ["/a", "//a", "a/", "a//b", "a/../b", "./a", ".git", "a/.git/config", "a\0"]) {
      expect(() => update(path)).toThrow(expect.objectContaining({ code: "SNAPSHOT_DAMAGED" }));
    }
  });

  it("begins again when the workspace itself is gone, and not for its mode", () => {
    expect(filesAfter({ a: fileOf("1") }, { "": undefined, b: fileOf("2") })).toEqual({ b: fileOf("2") });
    expect(filesAfter({ a: fileOf("1") }, { "": { kind: "folder", mode: 0o700 } })).toEqual({
      a: fileOf("1"),
    });
  });

  it("writes each folder on the way once, and reads what it knows from memory", () => {
    const objects = new MemoryObjects();
    const cache = new FolderCache(objects);
    const edits = new Map<PathBytes, FolderEdit>([
      ["a", { kind: "folder", mode: 0o700 }],
      ["a/b/1", fileOf("1")],
      ["a/b/2", fileOf("2")],
      ["c/3", fileOf("3")],
    ]);
    const { root } = updateRoot(cache, undefined, edits);
    expect(objects).toMatchObject({ writes: 4, reads: 0 });
    updateRoot(cache, root, new Map([["a/b/1", fileOf("4")]]));
    expect(objects).toMatchObject({ writes: 7, reads: 0 });
    expect(updateRoot(cache, root, edits).root).toBe(root);
    expect(objects).toMatchObject({ writes: 7, reads: 0 });
  });

  it("takes a hundred thousand edits at once", () => {
    const objects = new MemoryObjects();
    const cache = new FolderCache(objects);
    const edits = new Map<PathBytes, FolderEdit>();
    const file = fileOf("1");
    for (let index = 0; index < 50_000; index++) {
      edits.set(`wide/${index}`, file);
      edits.set(`deep/${index % 100}/${index % 1000}/${index}`, file);
    }
    const { root } = updateRoot(cache, undefined, edits);
    expect(objects.writes).toBe(1 + 1 + 1 + 100 + 1000);
    const list = listUnder(cache, { kind: "folder", mode: 0o755, hash: root }, "");
    expect(list.length).toBe(100_000 + objects.writes);
  });

  it("law: batch after batch, what is listed is what the plain way gives, failures included", () => {
    fc.assert(
      fc.property(fc.array(anyEdits, { maxLength: 4 }), (batches) => {
        const cache = new FolderCache(new MemoryObjects(), 8);
        let root: ObjectHash | undefined;
        let model: Model = new Map();
        for (const edits of batches) {
          model = applyPlainly(model, edits);
          const updated = updateRoot(cache, root, edits);
          root = updated.root;
          const list = listUnder(cache, { kind: "folder", mode: 0o755, hash: root }, "");
          expect(list.slice(1).map(({ path }) => path)).toEqual(sorted(model).map(([path]) => path));
          expect(sorted(modelOf(list))).toEqual(sorted(model));
          expect(updated.failures).toBe(failuresOf(model));
          expect(gapsOf(cache, root).length).toBe(updated.failures);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("law: the same files have the same root, however they came to be", () => {
    fc.assert(
      fc.property(fc.array(anyEdits, { maxLength: 4 }), (batches) => {
        const objects = new MemoryObjects();
        const root = rootOf(objects, ...batches);
        const model = modelOf(listUnder(new FolderCache(objects), root, ""));
        expect(rootOf(objects, model)).toEqual(root);
      }),
    );
  });
});
