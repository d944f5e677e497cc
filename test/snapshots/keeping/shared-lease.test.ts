import { describe, expect, it } from "vitest";
import type { Processes } from "../../../src/disk/lock-owner.ts";
import {
  acquireExclusive,
  acquireShared,
  holdersOf,
  sweepDead,
} from "../../../src/snapshots/keeping/shared-lease.ts";
import {
  FailingDisk,
  ManualClock,
  rejectsWith,
  SimulatedDisk,
  SimulatedProcesses,
} from "../../../src/testing/testing.ts";

const FOLDER = "/home/leases";
const NOW = { name: "the next one", waitMs: 0 };
const PATIENT = { name: "the patient one", waitMs: 60_000 };

function scene() {
  const disk = new FailingDisk(new SimulatedDisk());
  const machine = new SimulatedProcesses();
  const depsOf = (processes: Processes) => ({
    disk,
    processes,
    clock: new ManualClock({ seed: processes.pid }),
  });
  return { disk, machine, depsOf, start: (host?: string) => depsOf(machine.start(host)) };
}

describe("a lease that can be shared", () => {
  it("is shared by any number, and leaves no files", async () => {
    const { start, disk } = scene();
    const leases = [
      await acquireShared(start(), FOLDER, NOW),
      await acquireShared(start(), FOLDER, NOW),
      await acquireShared(start(), FOLDER, NOW),
    ];
    expect(disk.list(FOLDER)).toEqual(leases.map(({ owner }) => `shared-${owner.token}`));
    for (const lease of leases) await lease.release();
    expect(disk.list(FOLDER)).toEqual([]);
  });

  it("costs one file that is never synced, and nothing else", async () => {
    const { start, disk } = scene();
    const deps = start();
    await (await acquireShared(deps, FOLDER, NOW)).release();
    const before = disk.operations.length;
    await (await acquireShared(deps, FOLDER, NOW)).release();
    expect(disk.operations.slice(before).map(({ name }) => name)).toEqual(["create", "write", "unlink"]);
  });

  it("is refused while it is held exclusively, and the holder is named", async () => {
    const { start, disk } = scene();
    const first = start();
    const alone = await acquireExclusive(first, FOLDER, { name: "worldline store gc", waitMs: 0 });
    const error = await rejectsWith("SNAPSHOTS_HELD", acquireShared(start(), FOLDER, NOW));
    expect(error.message).toBe(
      `The snapshot store is in use by worldline store gc (pid ${first.processes.pid} on this-machine, since 2026-01-01T00:00:00.000Z).`,
    );
    await rejectsWith("SNAPSHOTS_HELD", acquireExclusive(start(), FOLDER, NOW));
    expect(disk.list(FOLDER)).toEqual(["exclusive"]);
    await alone.release();
    await acquireShared(start(), FOLDER, NOW);
  });

  it("is not held exclusively while it is shared, and the sharer is named; others may share it again then", async () => {
    const { start, disk } = scene();
    const first = await acquireShared(start(), FOLDER, { name: "worldline watch", waitMs: 0 });
    const error = await rejectsWith(
      "SNAPSHOTS_HELD",
      acquireExclusive(start(), FOLDER, { ...NOW, what: "workspace" }),
    );
    expect(error.message).toMatch(/^The workspace is in use by worldline watch \(pid/);
    const second = await acquireShared(start(), FOLDER, NOW);
    await first.release();
    await second.release();
    expect(disk.list(FOLDER)).toEqual([]);
    await acquireExclusive(start(), FOLDER, NOW);
  });

  it("is waited for, and exclusive waiters come before those who come later", async () => {
    const { start } = scene();
    const order: string[] = [];
    const first = await acquireShared(start(), FOLDER, { name: "first", waitMs: 0 });
    const waits: string[] = [];
    const onWait = ({ name }: { readonly name: string }) => waits.push(name);
    const alone = acquireExclusive(start(), FOLDER, { ...PATIENT, name: "alone", onWait }).then(
      async (lease) => {
        order.push("alone");
        await lease.release();
      },
    );
    const later = acquireShared(start(), FOLDER, { ...PATIENT, onWait }).then(async (lease) => {
      order.push("later");
      await lease.release();
    });
    while (waits.length < 2) await new Promise((resolve) => setImmediate(resolve));
    order.push("first is done");
    await first.release();
    await Promise.all([alone, later]);
    expect(order).toEqual(["first is done", "alone", "later"]);
    expect(waits.sort()).toEqual(["alone", "first"]);
  });
});

describe("the dead", () => {
  it("do not count, shared or alone, and their files are swept", async () => {
    const { start, disk, machine } = scene();
    const [sharer, alone] = [start(), start()];
    await acquireShared(sharer, FOLDER, NOW);
    machine.kill(sharer.processes.pid);
    await acquireExclusive(alone, FOLDER, NOW);
    machine.kill(alone.processes.pid);
    const shared = await acquireShared(start(), FOLDER, NOW);
    await shared.release();
    const last = await acquireExclusive(start(), FOLDER, NOW);
    expect(last.takenFrom?.pid).toBe(alone.processes.pid);
    await last.release();
    expect(disk.list(FOLDER)).toEqual([]);
  });

  it("include a holder that was cut off before its file named an owner", async () => {
    const { start, disk } = scene();
    disk.makeFolder("/home");
    disk.makeFolder(FOLDER);
    disk.close(disk.open(`${FOLDER}/shared-0`, "create"));
    const lease = await acquireExclusive(start(), FOLDER, NOW);
    expect(disk.list(FOLDER)).toEqual(["exclusive"]);
    await lease.release();
  });

  it("do not include those on another host, unless requested", async () => {
    const { start, disk } = scene();
    await acquireShared(start("another-machine"), FOLDER, NOW);
    const error = await rejectsWith("SNAPSHOTS_HELD", acquireExclusive(start(), FOLDER, NOW));
    expect(error.hint).toMatch(/--take-over/);
    await acquireExclusive(start(), FOLDER, { ...NOW, takeOver: "yes" });
    expect(disk.list(FOLDER)).toEqual(["exclusive"]);
  });

  it("can be removed by any process, and the living are listed", async () => {
    const { start, disk, machine } = scene();
    const [dead, living] = [start(), start()];
    await acquireShared(dead, FOLDER, NOW);
    const lease = await acquireShared(living, FOLDER, NOW);
    machine.kill(dead.processes.pid);
    expect(holdersOf(living, FOLDER)).toEqual([lease.owner]);
    sweepDead(living, FOLDER);
    expect(disk.list(FOLDER)).toEqual([`shared-${lease.owner.token}`]);
  });
});

describe("a sharer whose file is swept before it could be read", () => {
  it("notices, and tries again", async () => {
    let swept = 0;
    class SweptDisk extends SimulatedDisk {
      override close(file: number): void {
        super.close(file);
        if (swept++ === 0) for (const name of this.list(FOLDER)) this.unlink(`${FOLDER}/${name}`);
      }
    }
    const disk = new SweptDisk();
    const deps = { disk, clock: new ManualClock(), processes: new SimulatedProcesses().start() };
    const lease = await acquireShared(deps, FOLDER, NOW);
    expect(disk.list(FOLDER)).toEqual([`shared-${lease.owner.token}`]);
    expect(swept).toBe(2);
  });
});

describe("a disk that fails", () => {
  it("is reported as such, and the caller holds nothing", async () => {
    for (const name of ["create", "write", "sync", "link"] as const) {
      const { start, disk } = scene();
      await (await acquireShared(start(), FOLDER, NOW)).release();
      disk.faults = (operation) => (operation.name === name ? { errno: "ENOSPC" } : undefined);
      const how = name === "create" || name === "write" ? acquireShared : acquireExclusive;
      await rejectsWith("STORE_FULL", how(start(), FOLDER, NOW));
      expect(holdersOf(start(), FOLDER)).toEqual([]);
    }
  });
});
