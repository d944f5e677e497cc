import { describe, expect, it } from "vitest";
import type { ObjectHash } from "../../../src/record/ids.ts";
import type { SegmentStore } from "../../../src/snapshots/segments/segment-store.ts";
import {
  type DiskOperation,
  FailingDisk,
  type Fault,
  type Faults,
  SimulatedDisk,
  type Survival,
} from "../../../src/testing/testing.ts";
import { codeOf, noise, SegmentScene } from "./segment-scene.ts";

const SURVIVALS: readonly Survival[] = [
  "nothing",
  "everything",
  ...[1, 2, 3, 4, 5, 6].map((seed) => ({ seed })),
];
const SEGMENT_BYTES = 6000;

/** The objects that were acknowledged. */
type Ledger = Map<ObjectHash, Buffer>;

interface Step {
  readonly name: string;
  readonly run: () => void;
}

interface Run {
  readonly scene: SegmentScene;
  readonly failing: FailingDisk;
  readonly disk: SimulatedDisk;
  readonly ledger: Ledger;
  readonly steps: readonly Step[];
}

/**
 * Small and large batches, segments that fill up, a store that closes, one that dies, and one that continues.
 */
function prepare(faults: Faults): Run {
  const disk = new SimulatedDisk();
  disk.makeFolder("/home");
  disk.syncFolder("/");
  const failing = new FailingDisk(disk, faults);
  const scene = new SegmentScene(failing);
  const ledger: Ledger = new Map();
  const waiting: Ledger = new Map();
  const put = (store: SegmentStore, length: number, seeds: readonly number[]) => () => {
    for (const seed of seeds) {
      const bytes = noise(length, seed);
      waiting.set(store.put("content", bytes), bytes);
    }
  };
  const acknowledge = (work: () => void) => {
    work();
    for (const [hash, bytes] of waiting) ledger.set(hash, bytes);
    waiting.clear();
  };
  const options = { segmentBytes: SEGMENT_BYTES };
  const [first, second, third] = [scene.start(options), scene.start(options), scene.start(options)];
  const sync = (store: SegmentStore) => () => acknowledge(() => store.sync());
  const steps: Step[] = [
    { name: "put", run: put(first.store, 300, [1, 2, 3]) },
    { name: "sync", run: sync(first.store) },
    { name: "put more", run: put(first.store, 1500, [4, 5, 6]) },
    { name: "sync more", run: sync(first.store) },
    { name: "put into the next segment", run: put(first.store, 700, [7]) },
    { name: "close", run: () => acknowledge(() => first.store.close()) },
    { name: "go on", run: put(second.store, 1200, [8]) },
    { name: "sync that", run: sync(second.store) },
    { name: "die", run: () => scene.processes.kill(second.process.pid) },
    { name: "go on after the dead", run: put(third.store, 900, [9, 1, 8]) },
    { name: "sync after the dead", run: sync(third.store) },
    { name: "close after the dead", run: () => acknowledge(() => third.store.close()) },
  ];
  return { scene, failing, disk, ledger, steps };
}

function operationsOf(): readonly DiskOperation[] {
  const { steps, failing } = prepare(() => undefined);
  for (const step of steps) step.run();
  return failing.operations;
}

/** Checks that every acknowledged object is there, and that the store accepts another one. */
function check(scene: SegmentScene, ledger: Ledger, where: string): void {
  const store = scene.open({ segmentBytes: SEGMENT_BYTES });
  const lost = (from: SegmentStore) =>
    [...ledger].filter(([hash, bytes]) =>
      codeOf(() => expect(from.get(hash, "content").equals(bytes)).toBe(true)),
    );
  expect(lost(store), where).toEqual([]);
  const next = store.put("content", noise(800, 99));
  for (const bytes of ledger.values()) store.put("content", bytes);
  store.close();
  const again = scene.open();
  expect(lost(again), where).toEqual([]);
  expect(again.get(next, "content").equals(noise(800, 99)), where).toBe(true);
  again.close();
}

/** Repeats each call until it succeeds. */
function insist(faults: Faults, most: number): number {
  const run = prepare(faults);
  let rejections = 0;
  for (const { name, run: call } of run.steps) {
    for (let tries = 0; ; tries += 1) {
      const code = codeOf(call);
      if (code === undefined) break;
      expect(["STORE_FULL", "STORE_UNWRITABLE"], name).toContain(code);
      expect(tries, `${name} does not heal`).toBeLessThan(most);
      rejections += 1;
    }
  }
  run.failing.faults = () => undefined;
  expect(run.ledger.size).toBe(11);
  expect(run.disk.openFiles, "files left open").toBeLessThan(8);
  for (const survival of ["everything", "nothing"] as const) {
    check(run.scene.restarted(run.disk.losePower(survival)), run.ledger, survival);
  }
  return rejections;
}

const operations = operationsOf();
const at =
  (number: number, fault: Fault): Faults =>
  (operation) =>
    operation.number === number ? fault : undefined;

describe("a disk that fails under segments", () => {
  it("is tried in every kind of operation", () => {
    const kinds = new Set(operations.map(({ name }) => name));
    expect([...kinds].sort()).toEqual([
      "create",
      "link",
      "makeFolder",
      "rename",
      "sync",
      "syncFolder",
      "unlink",
      "write",
    ]);
  });

  it.each(["EIO", "ENOSPC"])("once, with %s in any single operation, loses nothing and heals", (errno) => {
    let rejections = 0;
    for (const { number } of operations) rejections += insist(at(number, { errno }), 1);
    expect(rejections).toBeGreaterThan(operations.length / 6);
  });

  it("after a part of a write, whatever the part, loses nothing and heals", () => {
    for (const { number, name } of operations) {
      if (name !== "write") continue;
      for (const partial of [1, 57, 400]) insist(at(number, { errno: "ENOSPC", partial }), 1);
    }
  });

  it.each([2, 3, 4])("%i times in a row, cutting back included, loses nothing and heals", (times) => {
    for (const { number } of operations) {
      const faults: Faults = (operation) =>
        operation.number >= number && operation.number < number + times
          ? { errno: "EIO", partial: 20 }
          : undefined;
      insist(faults, times);
    }
  });
});

describe("losing power under segments", () => {
  it("instead of any single operation loses nothing that was acknowledged", () => {
    for (const { number, name } of operations) {
      const { steps, scene, failing, ledger } = prepare(at(number, { errno: "power" }));
      const failed = steps.find((step) => codeOf(step.run) !== undefined);
      for (const survival of SURVIVALS) {
        const where = `${failed?.name}, ${name} ${number}, ${JSON.stringify(survival)}`;
        check(scene.restarted(failing.losePower(survival)), ledger, where);
      }
    }
  });

  it("again while the next one continues loses nothing either", () => {
    for (const { number } of operations.filter(({ name }) => name === "sync")) {
      const { steps, scene, failing, ledger } = prepare(at(number, { errno: "power" }));
      steps.find((step) => codeOf(step.run) !== undefined);
      for (const seed of [1, 2, 3]) goOnInTheDark(scene, failing.losePower({ seed }), ledger);
    }
  });
});

/** Cuts the power again at each operation of the next writer. */
function goOnInTheDark(scene: SegmentScene, dim: SimulatedDisk, ledger: Ledger): void {
  for (let number = 1, isDone = false; !isDone; number += 1) {
    const failing = new FailingDisk(dim.losePower("everything"), at(number, { errno: "power" }));
    const store = scene.restarted(failing).open({ segmentBytes: SEGMENT_BYTES });
    const acknowledged = new Map(ledger);
    isDone =
      codeOf(() => {
        for (const bytes of ledger.values()) store.put("content", bytes);
        const next = store.put("content", noise(600, 77));
        store.sync();
        acknowledged.set(next, noise(600, 77));
        store.close();
      }) === undefined;
    for (const survival of ["nothing", { seed: number }] as const) {
      check(scene.restarted(failing.losePower(survival)), acknowledged, `again at ${number}`);
    }
  }
}
