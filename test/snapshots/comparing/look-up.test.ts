import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isWithin, type PathBytes } from "../../../src/record/files.ts";
import { gapsOf, listUnder, stateAt } from "../../../src/snapshots/comparing/compare.ts";
import type { FolderEdit } from "../../../src/snapshots/comparing/update-folders.ts";
import { FolderCache } from "../../../src/snapshots/objects/tree-objects.ts";
import { fileOf } from "../arbitrary-states.ts";
import { MemoryObjects } from "../memory-objects.ts";
import { anyEdits, anyPath, rootOf } from "./workspace-model.ts";

function workspace(edits: Record<PathBytes, FolderEdit>) {
  const objects = new MemoryObjects();
  const root = rootOf(objects, new Map(Object.entries(edits)));
  return { objects, root, cache: new FolderCache(objects) };
}

describe("looking into a snapshot", () => {
  it("finds the workspace itself, a file, and nothing below a file", () => {
    const { cache, root } = workspace({ "a/b": fileOf("1") });
    expect(stateAt(cache, root, "")).toEqual(root);
    expect(stateAt(cache, root, "a/b")).toEqual(fileOf("1"));
    expect(stateAt(cache, root, "a/b/c")).toBeUndefined();
    expect(stateAt(cache, root, "c")).toBeUndefined();
  });

  it("lists what is at a path and under it, and not what merely begins alike", () => {
    const { cache, root } = workspace({ "a/b": fileOf("1"), "a/b/c": fileOf("2"), "a/bc": fileOf("3") });
    expect(listUnder(cache, root, "a/b").map(({ path }) => path)).toEqual(["a/b", "a/b/c"]);
    expect(listUnder(cache, root, "a/bc")).toEqual([{ path: "a/bc", state: fileOf("3") }]);
    expect(listUnder(cache, root, "x")).toEqual([]);
  });

  it("law: lists under a path what it lists of everything within that path", () => {
    fc.assert(
      fc.property(anyEdits, anyPath, (edits, under) => {
        const objects = new MemoryObjects();
        const root = rootOf(objects, edits);
        const cache = new FolderCache(objects);
        const all = listUnder(cache, root, "");
        expect(listUnder(cache, root, under)).toEqual(all.filter(({ path }) => isWithin(path, under)));
        for (const { path, state } of all) expect(stateAt(cache, root, path)).toEqual(state);
      }),
    );
  });

  it("finds the gaps, and looks for them only where there are some", () => {
    const { cache, root, objects } = workspace({
      "a/b/c": { kind: "left-out", why: "unreadable" },
      "a/d": { kind: "left-out", why: "ignored" },
      "e/f/g": fileOf("1"),
      h: { kind: "left-out", why: "changing" },
    });
    expect(gapsOf(cache, root.hash)).toEqual([
      { path: "a/b/c", why: "unreadable" },
      { path: "h", why: "changing" },
    ]);
    expect(objects.reads).toBe(3);
  });

  it("finds no gaps in a complete snapshot by looking at its root alone", () => {
    const { cache, root, objects } = workspace({ "a/b": fileOf("1"), c: { kind: "left-out", why: "git" } });
    expect(gapsOf(cache, root.hash)).toEqual([]);
    expect(objects.reads).toBe(1);
  });
});
