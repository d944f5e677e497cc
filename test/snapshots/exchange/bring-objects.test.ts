import { describe, expect, it } from "vitest";
import type { Disk } from "../../../src/disk/disk.ts";
import type { Processes } from "../../../src/disk/lock-owner.ts";
import type { BringRequest, ExportedPart } from "../../../src/ports/snapshot-objects.ts";
import type { ObjectHash } from "../../../src/record/ids.ts";
import { openSnapshotContext, type SnapshotContext } from "../../../src/snapshots/context.ts";
import { exportParts } from "../../../src/snapshots/exchange/export-objects.ts";
import { StoredSnapshotObjects } from "../../../src/snapshots/exchange/snapshot-objects.ts";
import { FailingDisk, ManualClock, SimulatedDisk, SimulatedProcesses } from "../../../src/testing/testing.ts";
import { KeptScene, minute, prompt, type Tree, WORKSPACE } from "../keeping/kept-scene.ts";

type Part = Exclude<ExportedPart, { readonly part: "snapshots" }>;

const machine = new SimulatedProcesses();
const TREES: readonly Tree[] = [
  { "a.txt": "one", deep: { "b.txt": "shared", "c.txt": "c".repeat(900) } },
  { "a.txt": "two", deep: { "b.txt": "shared" } },
];

function depsOn(disk: Disk, processes: Processes = machine.start()): SnapshotContext {
  return openSnapshotContext({
    home: "/home",
    disk,
    clock: new ManualClock({ seed: processes.pid }),
    processes,
  });
}

/** The parts that another store exported, and what is to be kept of them. */
const given = ((): { readonly parts: readonly Part[]; readonly keep: BringRequest["keep"] } => {
  const disk = new SimulatedDisk();
  const scene = new KeptScene(disk);
  const snapshots = TREES.map((tree) => scene.put(tree));
  scene.store.close();
  const parts = [...exportParts(depsOn(disk), { snapshots, ignored: "include" })];
  return {
    parts: parts.flatMap((part) => (part.part === "snapshots" ? [] : [part])),
    keep: snapshots.map((snapshot, at) => ({ snapshot, keptFor: prompt(at + 1), at: minute(at) })),
  };
})();

async function* flowing(parts: readonly Part[]): AsyncGenerator<Part> {
  yield* parts;
}

async function bring(
  deps: SnapshotContext,
  then: () => Promise<void> = async () => {},
  parts: readonly Part[] = given.parts,
): Promise<number> {
  const objects = new StoredSnapshotObjects(deps, { name: "a test", waitMs: 0 });
  const request = { parts: flowing(parts), keep: given.keep, workspace: WORKSPACE, then };
  return (await objects.bring(request)).added;
}

/** The snapshots that a fresh program finds kept, with their files. */
function keptOn(disk: SimulatedDisk): unknown {
  const scene = new KeptScene(disk, { processes: machine.start() });
  return scene.refs.all().map(({ keptFor, snapshot }) => ({ keptFor, tree: scene.read(snapshot) }));
}

const ALL = TREES.map((tree, at) => ({ keptFor: prompt(at + 1), tree }));

describe("bringing in objects", () => {
  it("has everything durable and kept when it is the session's turn", async () => {
    const disk = new SimulatedDisk();
    let found: unknown;
    const added = await bring(depsOn(disk), async () => {
      found = keptOn(disk.losePower("nothing"));
    });
    expect({ added, found }).toEqual({ added: given.parts.length, found: ALL });
  });

  it("keeps nothing when the session cannot be made", async () => {
    const disk = new SimulatedDisk();
    const refused = bring(depsOn(disk), async () => {
      throw new Error("no session");
    });
    await expect(refused).rejects.toThrow("no session");
    expect(keptOn(disk)).toEqual([]);
  });

  it("adds nothing twice", async () => {
    const disk = new SimulatedDisk();
    const first = depsOn(disk);
    await bring(first);
    first.objects.close();
    expect(await bring(depsOn(disk))).toBe(0);
    expect(keptOn(disk)).toEqual(ALL);
  });

  it("refuses an object that is not what its hash says, and keeps nothing", async () => {
    const disk = new SimulatedDisk();
    const parts = given.parts.map((part) =>
      part.part === "object" && part.kind === "content" ? { ...part, bytes: Buffer.from("other") } : part,
    );
    await expect(bring(depsOn(disk), async () => {}, parts)).rejects.toMatchObject({
      code: "BUNDLE_INVALID",
    });
    expect(keptOn(disk)).toEqual([]);
  });

  it("notes what was left out, so that it does not count as lost; what is here is not noted", async () => {
    const disk = new SimulatedDisk();
    const [there, elsewhere, gone] = ["1", "2", "3"].map((digit) => digit.repeat(64) as ObjectHash);
    const deps = depsOn(disk);
    const own = deps.objects.put("content", Buffer.from("here"));
    deps.objects.sync();
    const absent = (hash: ObjectHash | undefined, why: "ignored" | "forgotten" | "missing"): Part => ({
      ...{ part: "absent", hash: hash ?? own, why },
    });
    const parts = [absent(there, "ignored"), absent(elsewhere, "forgotten"), absent(gone, "missing")];
    await bring(deps, async () => {}, [...given.parts, ...parts, absent(own, "ignored")]);
    await bring(deps, async () => {}, parts);
    expect([...new KeptScene(disk).forgotten.all()]).toEqual([
      [elsewhere, "forgotten"],
      [there, "not-in-bundle"],
    ]);
  });

  it("is not the session's turn when anything fails before, and can be done again", async () => {
    const counting = new FailingDisk(new SimulatedDisk());
    let before = 0;
    await bring(depsOn(counting), async () => {
      before = counting.operations.length;
    });
    for (let failing = 1; failing <= before; failing += 1) {
      const disk = new FailingDisk(new SimulatedDisk(), ({ number }) =>
        number === failing ? { errno: "ENOSPC" } : undefined,
      );
      const processes = machine.start();
      let turn = "none";
      const outcome = await bring(depsOn(disk, processes), async () => {
        turn = "its";
      }).then(
        () => "done",
        (error: unknown) => (error as { code: string }).code,
      );
      // Some failures have no effect, such as failing to remove a ticket.
      expect([turn, outcome === "done"]).toEqual(turn === "its" ? ["its", true] : ["none", false]);
      machine.kill(processes.pid);
      const after = disk.losePower("everything");
      await bring(depsOn(after));
      expect(keptOn(after)).toEqual(ALL);
    }
  });
});

describe("exporting again", () => {
  it("does not take for there what has gone since", async () => {
    const disk = new SimulatedDisk();
    const scene = new KeptScene(disk, { processes: machine.start() });
    const snapshots = [scene.put({ deep: { "a.txt": "one" } })];
    scene.store.close();
    const exporting = new StoredSnapshotObjects(depsOn(disk), { name: "a test", waitMs: 0 });
    const first = async (): Promise<unknown> =>
      (await exporting.exporting({ snapshots, ignored: "include" }).next()).value;
    expect(await first()).toEqual({ part: "snapshots", there: snapshots, missing: [] });
    const deep = scene.folder({ "a.txt": "one" });
    for (const { id } of scene.store.segments()) scene.store.rewrite(id, (hash) => hash !== deep);
    expect(await first()).toEqual({ part: "snapshots", there: [], missing: snapshots });
    exporting.close();
  });
});
