import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Disk } from "../../../src/disk/disk.ts";
import { readWhole, removeFile, writeNew } from "../../../src/disk/durable-files.ts";
import type { ObjectHash } from "../../../src/record/ids.ts";
import type { SegmentStore } from "../../../src/snapshots/segments/segment-store.ts";
import { FailingDisk, SimulatedDisk, type Survival } from "../../../src/testing/testing.ts";
import { codeOf, FOLDER, noise, SegmentScene } from "./segment-scene.ts";

const SURVIVALS: readonly Survival[] = ["nothing", "everything", ...[1, 2, 3, 4].map((seed) => ({ seed }))];

function fill(store: SegmentStore, seeds: readonly number[]): ObjectHash[] {
  return seeds.map((seed) => {
    const hash = store.put("content", noise(500, seed));
    store.sync();
    return hash;
  });
}

/** Two full segments of four objects each; every other object is kept. */
function prepare(disk: SimulatedDisk = new SimulatedDisk()) {
  const failing = new FailingDisk(disk);
  const scene = new SegmentScene(failing);
  const store = scene.open({ segmentBytes: 2000 });
  const hashes = fill(store, [1, 2, 3, 4, 5, 6, 7, 8]);
  store.close();
  const kept = new Set(hashes.filter((_, at) => at % 2 === 0));
  return { scene, failing, hashes, kept };
}

function collect(store: SegmentStore, isKept: (hash: ObjectHash) => boolean): number {
  return store.segments().reduce((sum, { id }) => sum + store.rewrite(id, isKept).freed, 0);
}

function found(store: SegmentStore, hashes: Iterable<ObjectHash>): boolean[] {
  return [...hashes].map((hash) => codeOf(() => store.get(hash, "content")) === undefined);
}

function replace(disk: Disk, path: string, bytes: Buffer): void {
  removeFile(disk, path);
  writeNew(disk, path, bytes);
}

function flip(disk: Disk, path: string, at: number): void {
  const bytes = readWhole(disk, path);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  replace(disk, path, bytes);
}

describe("rewriting segments", () => {
  it("frees what is not kept, and keeps the rest", () => {
    const { scene, hashes, kept } = prepare();
    const store = scene.open();
    const before = store.storedBytes();
    const freed = collect(store, (hash) => kept.has(hash));
    expect([store.storedBytes(), freed]).toEqual([before - 4 * 556 - 8, 4 * 556 + 16]);
    expect(found(store, hashes)).toEqual(hashes.map((hash) => kept.has(hash)));
    store.close();
    const again = scene.open();
    expect(found(again, hashes)).toEqual(hashes.map((hash) => kept.has(hash)));
    expect([again.verify(), again.segments().length]).toEqual([[], 1]);
    expect(again.segments()[0]?.records).toBe(4);
  });

  it("leaves a segment of which everything is kept as it is, and removes one of which nothing is", () => {
    const { scene } = prepare();
    const store = scene.open();
    const before = scene.names();
    expect(collect(store, () => true)).toBe(0);
    expect(scene.names()).toEqual(before);
    const bytes = store.storedBytes();
    expect(collect(store, () => false)).toBe(bytes);
    expect([scene.names(), store.storedBytes()]).toEqual([[], 0]);
  });

  it("of the segment that the store itself writes to continues in another segment", () => {
    const scene = new SegmentScene();
    const store = scene.open();
    const hashes = fill(store, [1, 2, 3]);
    const [first] = hashes;
    expect(collect(store, (hash) => hash === first)).toBe(2 * 556 + 8);
    const [later] = fill(store, [4]);
    expect(found(store, [...hashes, later as ObjectHash])).toEqual([true, false, false, true]);
    store.close();
    expect(scene.names().length).toBe(1);
  });

  it("leaves alone what a living writer holds, and takes what a dead one held", () => {
    const scene = new SegmentScene();
    const { store: writer, process } = scene.start();
    fill(writer, [1, 2]);
    const store = scene.open();
    expect(collect(store, () => false)).toBe(0);
    scene.processes.kill(process.pid);
    expect(collect(store, () => false)).toBe(2 * 556 + 8);
  });

  it("does not copy an object that another segment has, unless it is damaged there", () => {
    const scene = new SegmentScene();
    const [one, other] = [scene.open(), scene.open()];
    const [hash] = fill(one, [1]) as [ObjectHash];
    fill(other, [1]);
    one.close();
    other.close();
    const [damaged = ""] = scene.names();
    const whole = readWhole(scene.disk, join(FOLDER, damaged));
    flip(scene.disk, join(FOLDER, damaged), 100);
    const careful = scene.open();
    collect(careful, () => true);
    expect(found(careful, [hash])).toEqual([true]);
    careful.close();
    replace(scene.disk, join(FOLDER, damaged), whole);
    const store = scene.open();
    expect(store.segments().map(({ records }) => records)).toEqual([1, 1]);
    expect(collect(store, () => true)).toBe(556 + 8);
    expect([store.segments().length, found(store, [hash])]).toEqual([1, [true]]);
  });

  it("leaves alone a segment in which something kept is damaged, and no other has it", () => {
    const scene = new SegmentScene();
    const store = scene.open();
    const [one, two] = fill(store, [1, 2]) as [ObjectHash, ObjectHash];
    store.close();
    const [segment = ""] = scene.names();
    flip(scene.disk, join(FOLDER, segment), 100);
    const after = scene.open();
    expect([collect(after, (hash) => hash === one), scene.names()]).toEqual([0, [segment]]);
    expect(collect(after, (hash) => hash === two)).toBe(556 + 8);
    expect(found(after, [one, two])).toEqual([false, true]);
  });

  it("with the power going at any operation loses nothing that is kept", () => {
    for (let number = 1, isDone = false; !isDone; number += 1) {
      const { scene, failing, kept } = prepare();
      const start = failing.operations.length;
      failing.faults = (operation) => (operation.number === start + number ? { errno: "power" } : undefined);
      const store = scene.open();
      isDone =
        codeOf(() => {
          collect(store, (hash) => kept.has(hash));
          store.close();
        }) === undefined;
      for (const survival of SURVIVALS) {
        const after = scene.restarted(failing.losePower(survival)).open();
        expect(found(after, kept), `${number} ${JSON.stringify(survival)}`).toEqual([true, true, true, true]);
        collect(after, (hash) => kept.has(hash));
        expect(found(after, kept), `${number} ${JSON.stringify(survival)}`).toEqual([true, true, true, true]);
      }
    }
  });

  it("with any operation failing once loses nothing that is kept, and can be done again", () => {
    for (let number = 1, isDone = false; !isDone; number += 1) {
      const { scene, failing, hashes, kept } = prepare();
      const start = failing.operations.length;
      failing.faults = (operation) => (operation.number === start + number ? { errno: "ENOSPC" } : undefined);
      const store = scene.open();
      const code = codeOf(() => collect(store, (hash) => kept.has(hash)));
      isDone = failing.operations.length < start + number;
      expect(code === undefined || code === "STORE_FULL", String(code)).toBe(true);
      expect(found(store, kept)).toEqual([true, true, true, true]);
      failing.faults = () => undefined;
      collect(store, (hash) => kept.has(hash));
      store.close();
      expect(found(scene.open(), hashes)).toEqual(hashes.map((hash) => kept.has(hash)));
    }
  });
});
