import { randomFillSync } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { realDisk } from "../../../src/disk/disk.ts";
import { realProcesses } from "../../../src/disk/lock-owner.ts";
import type { ObjectKind } from "../../../src/snapshots/objects/object.ts";
import { hashObject } from "../../../src/snapshots/objects/object.ts";
import { openSegments } from "../../../src/snapshots/segments/stored-segments.ts";
import { FailingDisk, inTempFolder, ManualClock, SimulatedDisk } from "../../../src/testing/testing.ts";
import { codeOf, noise, putText, SegmentScene, textOf } from "./segment-scene.ts";

const KINDS: readonly ObjectKind[] = ["content", "folder", "snapshot"];

function openReal(folder: string, seed = 1) {
  return openSegments({
    disk: realDisk,
    clock: new ManualClock({ seed }),
    processes: realProcesses(),
    folder: join(folder, "segments"),
  });
}

interface Put {
  readonly kind: ObjectKind;
  readonly bytes: Uint8Array;
}

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constantFrom(...KINDS), bytes: fc.uint8Array({ maxLength: 400 }) }),
    fc.constantFrom("sync" as const, "close" as const),
  ),
  { maxLength: 40 },
);

/** Plays a story; each "close" is followed by a new store in a new process. */
function play(story: readonly (Put | "sync" | "close")[]): void {
  const scene = new SegmentScene();
  let store = scene.open({ segmentBytes: 600 });
  for (const step of story) {
    if (typeof step === "object") store.put(step.kind, step.bytes);
    else store[step]();
    if (step === "close") store = scene.open({ segmentBytes: 600 });
  }
  const put = story.filter((step) => typeof step === "object");
  expect(put.filter(({ kind, bytes }) => !store.get(hashObject(kind, bytes), kind).equals(bytes))).toEqual(
    [],
  );
  expect(store.verify()).toEqual([]);
}

describe("a store of segments", () => {
  it("gives back what was put, of any size and kind, before it is synced, after, and when opened again", async () => {
    await inTempFolder((folder) => {
      const random = randomFillSync(Buffer.alloc(10 * 1024 * 1024));
      const contents = [
        Buffer.alloc(0),
        Buffer.from("x"),
        Buffer.alloc(127, "a"),
        Buffer.alloc(128, "a"),
        noise(5000),
        Buffer.alloc(10 * 1024 * 1024, "the same again "),
        random,
      ];
      const store = openReal(folder);
      const put = contents.flatMap((bytes) =>
        KINDS.map((kind) => ({ kind, bytes, hash: store.put(kind, bytes) })),
      );
      const check = (from: typeof store) => {
        for (const { kind, bytes, hash } of put) {
          expect(hash).toBe(hashObject(kind, bytes));
          expect(from.has(hash)).toBe(true);
          expect(from.get(hash, kind).equals(bytes)).toBe(true);
        }
      };
      check(store);
      store.sync();
      check(store);
      store.close();
      const again = openReal(folder, 2);
      check(again);
      expect(again.verify()).toEqual([]);
      again.close();
      const total = readdirSync(join(folder, "segments"))
        .filter((name) => name.endsWith(".seg"))
        .reduce((sum, name) => sum + statSync(join(folder, "segments", name)).size, 0);
      expect(again.storedBytes()).toBe(total);
    });
  });

  it("law: whatever is put in whatever order with whatever syncs, all of it is there", () => {
    fc.assert(fc.property(steps, play), { numRuns: 60 });
  });

  it("creates nothing before something is synced, and nothing for a process that only reads", async () => {
    await inTempFolder((folder) => {
      const store = openReal(folder);
      const hash = hashObject("content", Buffer.from("one"));
      expect(store.has(hash)).toBe(false);
      expect(codeOf(() => store.get(hash, "content"))).toBe("SNAPSHOT_MISSING");
      store.refresh();
      store.sync();
      store.close();
      expect([store.segments(), store.storedBytes(), store.verify()]).toEqual([[], 0, []]);
      putText(store, "one");
      expect(existsSync(join(folder, "segments"))).toBe(false);
      store.close();
      const before = readdirSync(join(folder, "segments"));
      const reader = openReal(folder, 2);
      expect(textOf(reader, hash)).toBe("one");
      expect(readdirSync(join(folder, "segments"))).toEqual(before);
      reader.close();
    });
  });

  it("writes a file and its folders with one write and one sync", () => {
    const disk = new FailingDisk(new SimulatedDisk());
    const store = new SegmentScene(disk).open();
    putText(store, "the first");
    store.sync();
    disk.operations.length = 0;
    store.put("content", noise(6000));
    for (const depth of [1, 2, 3, 4, 5]) store.put("folder", noise(300, depth));
    store.sync();
    store.sync();
    expect(disk.operations.map(({ name }) => name)).toEqual(["write", "sync"]);
  });

  it("keeps the same content once", () => {
    const scene = new SegmentScene();
    const store = scene.open();
    for (const text of ["one", "one", "two"]) putText(store, text);
    store.sync();
    putText(store, "one");
    store.close();
    const again = scene.open();
    putText(again, "two");
    again.close();
    expect(again.segments().map(({ records }) => records)).toEqual([2]);
  });

  it("tells an object from one of another kind with the same bytes", () => {
    const store = new SegmentScene().open();
    const hash = store.put("content", Buffer.from("same"));
    expect(codeOf(() => store.get(hash, "folder"))).toBe("SNAPSHOT_DAMAGED");
    store.sync();
    expect(codeOf(() => store.get(hash, "folder"))).toBe("SNAPSHOT_DAMAGED");
    expect(store.has(hashObject("folder", Buffer.from("same")))).toBe(false);
  });

  it("continues in a new segment when one is full, and leaves no lock", () => {
    const scene = new SegmentScene();
    const store = scene.open({ segmentBytes: 1000 });
    const hashes = [1, 2, 3].map((seed) => {
      const hash = store.put("content", noise(1000, seed));
      store.sync();
      return hash;
    });
    store.close();
    expect(scene.names().map((name) => name.split(".")[1])).toEqual([
      "idx",
      "seg",
      "idx",
      "seg",
      "idx",
      "seg",
    ]);
    const again = scene.open();
    expect(hashes.map((hash) => again.get(hash, "content").length)).toEqual([1000, 1000, 1000]);
  });

  it("continues in an existing small segment", () => {
    const scene = new SegmentScene();
    for (let run = 0; run < 20; run += 1) {
      const store = scene.open();
      putText(store, `run ${run}`);
      store.close();
    }
    expect(scene.names().length).toBe(1);
    expect(scene.open().segments()[0]?.records).toBe(20);
  });

  it("says of each record what it is and what it takes", () => {
    const store = new SegmentScene().open();
    const hash = store.put("folder", Buffer.alloc(4000, "abc"));
    store.sync();
    const [segment] = store.segments();
    const records: unknown[] = [];
    store.each(segment?.id ?? "", (record) => records.push(record));
    const storedBytes = (segment?.bytes ?? 0) - 8;
    expect(records).toEqual([{ hash, kind: "folder", rawBytes: 4000, storedBytes }]);
    expect(storedBytes).toBeLessThan(200);
  });

  it("says how far it is when it verifies everything", () => {
    const store = new SegmentScene().open({ segmentBytes: 1 });
    for (const text of ["one", "two"]) {
      putText(store, text);
      store.sync();
    }
    const progress: unknown[] = [];
    expect(store.verify((done) => progress.push(done))).toEqual([]);
    const of = store.storedBytes();
    expect(progress).toEqual([
      { bytes: of / 2, of },
      { bytes: of, of },
    ]);
  });

  it("writes more than some MiB by itself, and finds thousands of objects in its index", () => {
    const scene = new SegmentScene();
    const store = scene.open();
    const large = store.put("content", noise(8 * 1024 * 1024));
    expect(store.storedBytes()).toBeGreaterThan(8 * 1024 * 1024);
    const hashes = Array.from({ length: 3000 }, (_, number) => putText(store, `object ${number}`));
    store.close();
    const again = scene.open();
    expect(hashes.filter((hash) => !again.has(hash))).toEqual([]);
    expect(again.has(hashObject("content", Buffer.from("object -1")))).toBe(false);
    expect(hashes.map((hash) => textOf(again, hash))).toEqual(hashes.map((_, number) => `object ${number}`));
    expect(again.has(large)).toBe(true);
  });
});
