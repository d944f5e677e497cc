import { describe, expect, it } from "vitest";
import type { Processes } from "../../../src/disk/lock-owner.ts";
import type { GcRequest } from "../../../src/snapshots/keeping/gc.ts";
import { performGc, planGc } from "../../../src/snapshots/keeping/gc.ts";
import { FailingDisk, type Fault, SimulatedDisk, SimulatedProcesses } from "../../../src/testing/testing.ts";
import { partOf } from "../../support/part-of.ts";
import { KeptScene, prompt, RETENTION, type Tree } from "./kept-scene.ts";

/** Large contents that fill their own segments, and small ones that share segments. */
function tree(number: number): Tree {
  return {
    "own.txt": `own ${number}`.padEnd(300 * (number % 3), "."),
    src: { "shared.txt": "shared".padEnd(400, "."), "small.txt": `${number}` },
  };
}

const NUMBERS = [1, 2, 3, 4, 5];
const KEPT = [4, 5];
const SHORT: GcRequest = { retention: RETENTION, maxBytes: 1 };
const machine = new SimulatedProcesses();

/** A store with snapshots to keep, some to let go, and some without references. */
const written = ((): { readonly disk: SimulatedDisk; readonly snapshots: readonly string[] } => {
  const disk = new SimulatedDisk();
  const kept = new KeptScene(disk, { processes: machine.start() });
  const refs = NUMBERS.map((number) => {
    kept.put(tree(number + 100));
    return kept.keep(tree(number), prompt(number), number);
  });
  kept.store.close();
  return { disk, snapshots: refs.map(({ snapshot }) => snapshot) };
})();

function failingAt(failing: number, fault: Fault): FailingDisk {
  const disk = written.disk.losePower("everything");
  return new FailingDisk(disk, ({ number }) => (number === failing ? fault : undefined));
}

function gc(disk: FailingDisk | SimulatedDisk, processes: Processes): KeptScene {
  const kept = new KeptScene(disk, { processes, seed: processes.pid });
  performGc(kept, planGc(kept, SHORT));
  return kept;
}

/**
 * Checks that a fresh program can read everything that must be kept, and that every reference has its
 * snapshot.
 */
function check(disk: SimulatedDisk, processes: Processes): void {
  const kept = new KeptScene(disk, { processes });
  const refs = kept.refs.all();
  const readable = refs.map(({ keptFor, snapshot }) => [keptFor, kept.read(snapshot)]);
  expect(readable).toEqual(
    refs.map(({ keptFor }) => [keptFor, tree("checkpoint" in keptFor ? keptFor.checkpoint : 0)]),
  );
  const numbers = refs.flatMap(({ keptFor }) => ("checkpoint" in keptFor ? [keptFor.checkpoint] : []));
  expect(numbers).toEqual(expect.arrayContaining(KEPT));
}

/** The numbers of all operations of a gc, starting at 1. */
const operations = ((): number[] => {
  const disk = new FailingDisk(written.disk.losePower("everything"));
  const kept = gc(disk, machine.start());
  expect(kept.refs.all()).toHaveLength(KEPT.length);
  return disk.operations.map(({ number }) => number);
})();

function attempt(work: () => unknown): void {
  try {
    work();
  } catch {
    // The test judges what the failed attempt leaves behind.
  }
}

describe("gc", () => {
  it.each([
    [0, "ENOSPC"],
    [1, "EIO"],
  ])(
    "loses nothing that is kept when any operation fails (from %i: %s), and can be repeated",
    (from, errno) => {
      for (const operation of partOf(operations, 2, from)) {
        const disk = failingAt(operation, { errno });
        const processes = machine.start();
        attempt(() => gc(disk, processes));
        check(disk.losePower("everything"), machine.start());
        machine.kill(processes.pid);
        const again = gc(disk.losePower("everything"), machine.start());
        expect(again.refs.all().map(({ snapshot }) => again.read(snapshot))).toEqual(KEPT.map(tree));
        expect(written.snapshots.map((id) => again.isThere(id as never))).toEqual([
          false,
          false,
          false,
          true,
          true,
        ]);
      }
    },
  );

  it("loses nothing that is kept when the power goes, at whatever moment, and can be repeated", () => {
    const moments = operations.flatMap((operation) =>
      partOf(["nothing", { seed: operation }, { seed: 1_000 + operation }] as const, 3, operation).map(
        (survival) => ({
          operation,
          survival,
        }),
      ),
    );
    for (const { operation, survival } of moments) {
      const disk = failingAt(operation, { errno: "power", partial: operation * 7 });
      const processes = machine.start();
      attempt(() => gc(disk, processes));
      machine.kill(processes.pid);
      const after = disk.losePower(survival);
      check(after, machine.start());
      check(gc(after, machine.start()).disk as SimulatedDisk, machine.start());
    }
  });
});
