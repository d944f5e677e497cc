import { describe, expect, it } from "vitest";
import { DurableFolders, writeNew } from "../../../src/disk/durable-files.ts";
import { workspacePlaces } from "../../../src/snapshots/context.ts";
import { eraseObjects, ForgottenContents, findContents } from "../../../src/snapshots/keeping/forgotten.ts";
import { sweepLeftovers } from "../../../src/snapshots/keeping/in-use.ts";
import { acquireShared } from "../../../src/snapshots/keeping/shared-lease.ts";
import { FailingDisk, ManualClock, SimulatedDisk, SimulatedProcesses } from "../../../src/testing/testing.ts";
import { KeptScene, prompt } from "./kept-scene.ts";

const AT = "2026-01-01T00:00:00.000Z";
const SECRET = "the key is 12345";

function scene() {
  const kept = new KeptScene(new SimulatedDisk());
  const { snapshot } = kept.keep({ ".env": SECRET, "a.txt": "harmless" }, prompt(1), 1);
  return { kept, snapshot, secret: kept.contentOf(SECRET) };
}

describe("forgetting contents", () => {
  it("finds them wherever they are, by their bytes", () => {
    const { kept, secret } = scene();
    const found = findContents(kept.store, (bytes) => bytes.includes("12345"));
    expect(found).toEqual({ found: [secret], unreadable: [] });
  });

  it("removes them alone, for good, and remembers that it did", () => {
    const { kept, secret, snapshot } = scene();
    expect(eraseObjects(kept, new Set([secret]), AT)).toEqual([]);
    expect(() => kept.store.get(secret, "content")).toThrow(
      expect.objectContaining({ code: "SNAPSHOT_MISSING" }),
    );
    expect(kept.isThere(snapshot)).toBe(true);
    expect(kept.store.get(kept.contentOf("harmless"), "content").toString()).toBe("harmless");
    const after = (kept.disk as SimulatedDisk).losePower("nothing");
    expect(findContents(new KeptScene(after).store, (bytes) => bytes.includes("12345")).found).toEqual([]);
    const forgotten = new ForgottenContents(after, kept.places.root);
    expect([secret, kept.contentOf("harmless")].map((hash) => forgotten.isForgotten(hash))).toEqual([
      true,
      false,
    ]);
    expect(kept.announced).toBe(1);
  });

  it("says what is still there because another program is writing", () => {
    const machine = new SimulatedProcesses();
    const writer = new KeptScene(new SimulatedDisk(), { processes: machine.start() });
    const secret = writer.contentOf(SECRET);
    writer.store.sync();
    const other = new KeptScene(writer.disk, { processes: machine.start(), seed: 9 });
    expect(eraseObjects(other, new Set([secret]), AT)).toEqual([secret]);
    writer.store.close();
    expect(eraseObjects(other, new Set([secret]), AT)).toEqual([]);
  });

  it("can be repeated after any failure", () => {
    const count = (() => {
      const { kept, secret } = scene();
      kept.store.close();
      const disk = new FailingDisk((kept.disk as SimulatedDisk).losePower("everything"));
      eraseObjects(new KeptScene(disk, { seed: 9 }), new Set([secret]), AT);
      return disk.operations.length;
    })();
    for (let failing = 1; failing <= count; failing += 1) {
      const { kept, secret, snapshot } = scene();
      kept.store.close();
      const disk = new FailingDisk((kept.disk as SimulatedDisk).losePower("everything"), ({ number }) =>
        number === failing ? { errno: "EIO" } : undefined,
      );
      const again = new KeptScene(disk, { seed: 9 });
      try {
        eraseObjects(again, new Set([secret]), AT);
      } catch {
        expect(eraseObjects(again, new Set([secret]), AT)).toEqual([]);
      }
      again.store.refresh();
      expect([again.store.has(secret), again.isThere(snapshot), again.forgotten.isForgotten(secret)]).toEqual(
        [false, true, true],
      );
    }
  });
});

describe("sweeping leftovers", () => {
  function workspaces() {
    const { kept } = scene();
    const machine = new SimulatedProcesses();
    const deps = { ...kept, processes: machine.start(), clock: new ManualClock() };
    const folders = new DurableFolders(kept.disk, kept.places.root);
    const known = (workspace: string) => {
      const own = workspacePlaces(kept.places, workspace);
      for (const folder of [own.leases, own.journal]) folders.make(folder);
      writeNew(kept.disk, own.about, Buffer.from(JSON.stringify({ folder: workspace })));
      return own;
    };
    return { kept, machine, deps, known };
  }

  it("removes what belongs to a workspace that is gone and of which nothing is kept", () => {
    const { kept, deps, known } = workspaces();
    const own = known("/gone");
    expect(sweepLeftovers(deps)).toEqual(["/gone"]);
    expect(kept.disk.stat(own.folder)).toBeUndefined();
  });

  it("leaves one that is there, one that is kept, one that waits to be finished, and what says nothing", async () => {
    const { kept, machine, deps, known } = workspaces();
    kept.disk.makeFolder("/there");
    known("/there");
    known("/work/space");
    writeNew(kept.disk, `${known("/unfinished").journal}/1.json`, Buffer.from("{}"));
    await acquireShared({ ...deps, processes: machine.start() }, known("/in-use").leases, {
      name: "x",
      waitMs: 0,
    });
    kept.disk.makeFolder(`${kept.places.workspaces}/unknown`);
    const before = kept.disk.list(kept.places.workspaces).length;
    expect(sweepLeftovers(deps)).toEqual([]);
    expect(kept.disk.list(kept.places.workspaces)).toHaveLength(before);
  });

  it("removes the leases of the dead", async () => {
    const { kept, machine, deps, known } = workspaces();
    kept.disk.makeFolder("/there");
    const own = known("/there");
    const dead = machine.start();
    await acquireShared({ ...deps, processes: dead }, own.leases, { name: "x", waitMs: 0 });
    machine.kill(dead.pid);
    sweepLeftovers(deps);
    expect(kept.disk.list(own.leases)).toEqual([]);
  });
});
