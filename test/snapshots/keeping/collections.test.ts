import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { realDisk } from "../../../src/disk/disk.ts";
import type { WorkspaceFiles } from "../../../src/ports/workspace-files.ts";
import type { ObjectHash } from "../../../src/record/ids.ts";
import { StoredWorkspaceFiles } from "../../../src/snapshots/workspace-files.ts";
import { systemError } from "../../../src/testing/disk/simulated-disk.ts";
import { inTempFolder, sessionNumber } from "../../../src/testing/testing.ts";
import { FilesWorld, KEEP_REFERENCED } from "../../laws/files/files-world.ts";

const KEPT = { session: sessionNumber(1), checkpoint: 1, on: "prompt" } as const;

async function inWorld(work: (world: FilesWorld, at: (path: string) => string) => Promise<void>) {
  await inTempFolder(async (folder) => {
    const world = new FilesWorld(folder);
    await work(world, (path) => join(world.workspace, path));
  });
}

/** Two segments with snapshots that nothing references; the workspace is empty again. */
async function leaveGarbage(world: FilesWorld, at: (path: string) => string): Promise<void> {
  const [one, other] = [world.open(), world.open()];
  writeFileSync(at("a"), "one");
  await one.capture({ look: "everything" });
  rmSync(at("a"));
  writeFileSync(at("b"), "two");
  await other.capture({ look: "everything" });
  rmSync(at("b"));
  await one.capture({ look: "everything" });
  await other.capture({ look: "everything" });
  await one.close();
  await other.close();
}

/** Runs a gc and calls `inTheMiddle` once it has removed the first segment but not yet the last. */
async function collect(world: FilesWorld, inTheMiddle: () => void): Promise<void> {
  const upkeep = world.upkeep();
  const mark = join(world.home, "snapshots", "collected");
  let rewritten = 0;
  const onProgress = (): void => {
    if (!existsSync(mark)) return;
    rewritten += 1;
    if (rewritten === 1) inTheMiddle();
  };
  await upkeep.collect({ ...KEEP_REFERENCED, maxBytes: 1, onProgress }, async () => "yes");
  expect(rewritten).toBeGreaterThan(1);
  upkeep.close();
}

async function expectWhole(world: FilesWorld, files: WorkspaceFiles): Promise<void> {
  expect(await files.capture({ look: "everything", keptFor: KEPT })).toMatchObject({ state: "complete" });
  const upkeep = world.upkeep();
  expect(await upkeep.verify()).toMatchObject({ snapshots: 1, damage: [], problems: [] });
  upkeep.close();
}

describe("a process that reads while another one collects garbage", () => {
  it("captures all there is afterwards, when it began to read then", async () => {
    await inWorld(async (world, at) => {
      await leaveGarbage(world, at);
      const opened: WorkspaceFiles[] = [];
      await collect(world, () => {
        const deps = world.deps();
        opened.push(new StoredWorkspaceFiles(deps));
        // Reading any snapshot does this.
        deps.store.objects.segments();
      });
      const [files] = opened as [WorkspaceFiles];
      writeFileSync(at("a"), "one");
      writeFileSync(at("b"), "two");
      await expectWhole(world, files);
      await files.close();
    });
  });

  it("captures all there is afterwards, when it asked then whether a snapshot is there", async () => {
    await inWorld(async (world, at) => {
      await leaveGarbage(world, at);
      const files = world.open();
      const { snapshot } = await files.capture({ look: "everything" });
      let asked: Promise<boolean> | undefined;
      await collect(world, () => {
        asked = files.has(snapshot);
      });
      await asked;
      writeFileSync(at("a"), "one");
      writeFileSync(at("b"), "two");
      await expectWhole(world, files);
      await files.close();
    });
  });
});

describe("a process that closes after another one has removed contents", () => {
  it("does not leave a manifest that says they are there", async () => {
    await inWorld(async (world, at) => {
      writeFileSync(at("a"), "a secret");
      // Wait until the file is old enough to be trusted; otherwise it would be read again.
      await setTimeout(100);
      const first = world.open();
      const { snapshot } = await first.capture({ look: "everything" });
      const state = await first.stateAt(snapshot, "a");
      await first.close();
      // This one continues the first program's segment, so that the second program gets its own.
      const beside = world.open();
      writeFileSync(at("b"), "new");
      await beside.capture({ look: "everything" });
      const second = world.open();
      writeFileSync(at("c"), "new");
      await second.capture({ look: "everything" });
      await beside.close();
      const upkeep = world.upkeep();
      const hash = (state?.kind === "file" ? state.hash : "") as ObjectHash;
      expect(await upkeep.erase(new Set([hash]))).toEqual({ left: [], labels: 0 });
      upkeep.close();
      await second.close();
      const third = world.open();
      await expectWhole(world, third);
      expect(Buffer.from(await third.content(hash)).toString()).toBe("a secret");
      await third.close();
    });
  });

  it("leaves no lease, and no manifest if it captured nothing", async () => {
    await inWorld(async (world, at) => {
      writeFileSync(at("a"), "one");
      const files = world.open();
      await files.close();
      expect(existsSync(world.home)).toBe(false);
      const again = world.open();
      await again.capture({ look: "everything" });
      await again.close();
      expect(readdirSync(join(world.home, "snapshots", "leases"))).toEqual([]);
    });
  });
});

describe("collecting garbage", () => {
  it("is done, and says what is left over, where that cannot be swept", async () => {
    await inWorld(async (world, at) => {
      await leaveGarbage(world, at);
      const disk = Object.assign(Object.create(realDisk) as typeof realDisk, {
        open: (path: string, how: Parameters<typeof realDisk.open>[1]) => {
          if (path.endsWith("workspace.json")) throw systemError("EIO", path);
          return realDisk.open(path, how);
        },
      });
      const upkeep = world.upkeep({ disk });
      const { done } = await upkeep.collect({ ...KEEP_REFERENCED, maxBytes: 1 }, async () => "yes");
      expect(done).toMatchObject({ swept: [], unswept: { code: "STORE_UNWRITABLE" } });
      expect(done?.freedBytes).toBeGreaterThan(0);
      upkeep.close();
    });
  });
});
