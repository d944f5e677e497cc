import { describe, expect, it } from "vitest";
import type { Folder } from "../../../src/snapshots/objects/tree-objects.ts";
import { entryOf, FolderCache, folderWith } from "../../../src/snapshots/objects/tree-objects.ts";
import { fileOf, hashOf } from "../arbitrary-states.ts";
import { MemoryObjects } from "../memory-objects.ts";

const folderOfOne = (name: string): Folder => folderWith([entryOf(name, fileOf(name))]);

describe("the cache of folders", () => {
  it("reads what it wrote without asking the store", () => {
    const objects = new MemoryObjects();
    const cache = new FolderCache(objects);
    const folder = folderOfOne("a");
    expect(cache.read(cache.write(folder))).toBe(folder);
    expect(objects.reads).toBe(0);
  });

  it("reads from the store once", () => {
    const objects = new MemoryObjects();
    const hash = new FolderCache(objects).write(folderOfOne("a"));
    const cache = new FolderCache(objects);
    expect(cache.read(hash)).toEqual(folderOfOne("a"));
    expect(cache.read(hash)).toEqual(folderOfOne("a"));
    expect(objects.reads).toBe(1);
  });

  it("lets go of what was not used for the longest time, and reads it again", () => {
    const objects = new MemoryObjects();
    const cache = new FolderCache(objects, 4);
    const a = cache.write(folderOfOne("a"));
    const b = cache.write(folderOfOne("b"));
    cache.read(a);
    cache.write(folderOfOne("c"));
    cache.read(a);
    expect(objects.reads).toBe(0);
    expect(cache.read(b)).toEqual(folderOfOne("b"));
    expect(objects.reads).toBe(1);
  });

  it("holds a folder that is larger than all it may hold", () => {
    const objects = new MemoryObjects();
    const cache = new FolderCache(objects, 1);
    const hash = cache.write(folderWith(["a", "b", "c"].map((name) => entryOf(name, fileOf(name)))));
    expect(cache.read(hash).entries.length).toBe(3);
    expect(objects.reads).toBe(0);
  });

  it("forgets everything on request", () => {
    const objects = new MemoryObjects();
    const cache = new FolderCache(objects);
    const hash = cache.write(folderOfOne("a"));
    cache.clear();
    cache.read(hash);
    expect(objects.reads).toBe(1);
  });

  it("says what is missing", () => {
    expect(() => new FolderCache(new MemoryObjects()).read(hashOf("none"))).toThrow(
      expect.objectContaining({ code: "SNAPSHOT_MISSING" }),
    );
  });
});
