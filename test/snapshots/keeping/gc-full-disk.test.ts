import { describe, expect, it } from "vitest";
import type { Disk } from "../../../src/disk/disk.ts";
import { Reserve, writeNew } from "../../../src/disk/durable-files.ts";
import type { Processes } from "../../../src/disk/lock-owner.ts";
import { openSnapshotContext } from "../../../src/snapshots/context.ts";
import type { GcRequest } from "../../../src/snapshots/keeping/gc.ts";
import { SnapshotUpkeep } from "../../../src/snapshots/snapshot-upkeep.ts";
import { FailingDisk, ManualClock, SimulatedDisk, SimulatedProcesses } from "../../../src/testing/testing.ts";
import { partOf } from "../../support/part-of.ts";
import { KeptScene, prompt, RETENTION, type Tree } from "./kept-scene.ts";

const HOME = "/home";
/** The reserved space cannot hold two of these. */
const LARGE = 600_000;
const KEPT = [4, 5];
const SHORT: Omit<GcRequest, "inUse"> = { retention: RETENTION, maxBytes: 1 };
const machine = new SimulatedProcesses();

/**
 * For each number, a file that fills its own segment, and a small one that shares its segment with others.
 */
function tree(number: number): Tree {
  return { "own.txt": `own ${number}`.padEnd(LARGE, `${number}`), "small.txt": `${number}` };
}

/** A store with snapshots to keep and to let go, on a disk that is completely full. */
function fullDisk(spare: "reserve" | "caches" | "nothing", segmentBytes = 600): SimulatedDisk {
  const disk = new SimulatedDisk();
  const kept = new KeptScene(disk, { processes: machine.start(), segmentBytes });
  for (const number of [1, 2, 3, ...KEPT]) kept.keep(tree(number), prompt(number), number);
  kept.store.close();
  if (spare === "reserve") new Reserve({ disk, clock: new ManualClock(), home: HOME }).fill();
  // Segment indexes are caches as well.
  const indexes = disk.list("/home/snapshots/segments").filter((name) => name.endsWith(".idx"));
  if (spare === "nothing") for (const name of indexes) disk.unlink(`/home/snapshots/segments/${name}`);
  if (spare === "caches") {
    const folder = "/home/snapshots/workspaces/one";
    for (const each of ["/home/snapshots/workspaces", folder]) disk.makeFolder(each);
    writeNew(disk, `${folder}/manifest`, Buffer.alloc(1_000_000, "?"));
  }
  disk.fillUp();
  return disk;
}

function upkeepOn(disk: Disk, processes: Processes = machine.start()): SnapshotUpkeep {
  const clock = new ManualClock({ seed: processes.pid });
  const deps = openSnapshotContext({ home: HOME, disk, clock, processes });
  return new SnapshotUpkeep(deps, { name: "worldline store gc", waitMs: 0 });
}

async function gc(disk: Disk, processes?: Processes) {
  const upkeep = upkeepOn(disk, processes);
  const { done } = await upkeep.collect(SHORT, async () => "yes");
  upkeep.close();
  return done;
}

/** Checks that a fresh program can read everything that must be kept. */
function expectKept(disk: Disk): void {
  const kept = new KeptScene(disk, { processes: machine.start() });
  const refs = kept.refs.all();
  const numbers = refs.flatMap(({ keptFor }) => ("checkpoint" in keptFor ? [keptFor.checkpoint] : []));
  expect(numbers).toEqual(expect.arrayContaining(KEPT));
  expect(refs.map(({ snapshot }) => kept.read(snapshot))).toEqual(numbers.map(tree));
}

describe("gc on a disk without a single free block", () => {
  it("frees room, and sets some aside again for the next time", async () => {
    const disk = fullDisk("reserve");
    const done = await gc(disk);
    expect(done?.released).toHaveLength(3);
    expect(done?.freedBytes).toBeGreaterThan(3 * LARGE);
    expect(disk.list(HOME)).toContain("reserve");
    expect(disk.list("/home/snapshots/leases")).toEqual([]);
    expectKept(disk);
  });

  it("frees room also where what is kept and what is not are in one segment that is larger than what was set aside", async () => {
    const disk = fullDisk("reserve", 1_000_000_000);
    expect(disk.list("/home/snapshots/segments").filter((name) => name.endsWith(".seg"))).toHaveLength(1);
    const done = await gc(disk);
    expect(done?.freedBytes).toBeGreaterThan(3 * LARGE);
    expectKept(disk);
  });

  it("uses the space of caches if none was reserved", async () => {
    const disk = fullDisk("caches");
    expect((await gc(disk))?.released).toHaveLength(3);
    expectKept(disk);
  });

  it("says that the disk is full if there is nothing to use, and loses nothing", async () => {
    const disk = fullDisk("nothing");
    // The hint must not suggest `store gc`, the command that just failed.
    await expect(gc(disk)).rejects.toMatchObject({
      code: "STORE_FULL",
      hint: expect.stringMatching(/Remove about 2 MB of other files .* run the command again\.$/u),
    });
    expectKept(disk);
  });

  it("tells how the store is used, too", async () => {
    const usage = await upkeepOn(fullDisk("reserve")).usage();
    expect(usage.damaged).toEqual([]);
  });

  it.each([
    [0, 600],
    [1, 1_000_000_000],
  ])(
    "loses nothing that is kept when the power goes at any moment, and can be repeated (from %i: segments of %d)",
    async (from, segmentBytes) => {
      const full = fullDisk("reserve", segmentBytes);
      const counted = new FailingDisk(full.losePower("everything"));
      await gc(counted);
      for (const { number } of partOf(counted.operations, 2, from)) {
        const disk = new FailingDisk(full.losePower("everything"), (operation) =>
          operation.number === number ? { errno: "power", partial: number } : undefined,
        );
        const processes = machine.start();
        await gc(disk, processes).catch(() => undefined);
        machine.kill(processes.pid);
        const after = disk.losePower({ seed: number });
        expectKept(after);
        await gc(after).catch(() => undefined);
        expectKept(after);
      }
    },
  );
});
