import { describe, expect, it } from "vitest";
import type { Disk, DiskStat } from "../../src/disk/disk.ts";
import { readWhole, writeNew } from "../../src/disk/durable-files.ts";
import { SimulatedDisk } from "../../src/testing/testing.ts";

/**
 * A disk that reports this size for every file, as if the name had belonged to another file when its size was
 * read.
 */
function withSize(disk: SimulatedDisk, size: number | undefined): Disk {
  const stat = (path: string): DiskStat | undefined => {
    const known = disk.stat(path);
    return known === undefined || size === undefined ? undefined : { ...known, size };
  };
  return new Proxy<Disk>(disk, {
    get: (target, name) => {
      if (name === "stat") return stat;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

describe("reading a whole file", () => {
  const content = Buffer.from("0123456789".repeat(1_000));

  it.each([undefined, 0, 3, 4_096, content.length - 1, content.length, content.length + 1, 99_999])(
    "reads all of it where its size was said to be %s",
    (size) => {
      const disk = new SimulatedDisk();
      writeNew(disk, "/file", content);
      expect(readWhole(withSize(disk, size), "/file").equals(content)).toBe(true);
    },
  );

  it("reads an empty one", () => {
    const disk = new SimulatedDisk();
    writeNew(disk, "/file", Buffer.alloc(0));
    expect(readWhole(disk, "/file")).toHaveLength(0);
  });
});
