import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { WorkspaceFiles } from "../../../src/ports/workspace-files.ts";
import { isWorldlineError } from "../../../src/record/error.ts";
import type { SnapshotId } from "../../../src/record/ids.ts";
import { realWorkspaceDisk } from "../../../src/snapshots/workspace/real-workspace-disk.ts";
import { FailingWorkspaceDisk, failAt } from "../../../src/testing/disk/failing-workspace-disk.ts";
import { inTempFolder, SimulatedDisk } from "../../../src/testing/testing.ts";
import { restoreOf } from "../../laws/files/files-world.ts";
import { differences, told, walk } from "../../laws/files/independent-walk.ts";
import { partOf } from "../../support/part-of.ts";
import { FilesMachine } from "./files-run.ts";
import { makeState } from "./files-script.ts";
import { expectOneOf } from "./power-cuts.ts";

/** Captures until the snapshot is complete. The second attempt succeeds, since only one call fails. */
async function captureAll(files: WorkspaceFiles, workspace: string): Promise<SnapshotId> {
  for (let tries = 1; ; tries += 1) {
    try {
      const { snapshot, state, gaps } = await files.capture({ look: "everything" });
      expect(state === "complete").toBe(gaps.length === 0);
      if (state === "complete") {
        expect(differences(told(await files.list(snapshot)), walk(workspace))).toEqual([]);
        return snapshot;
      }
    } catch (error) {
      const isTold =
        isWorldlineError(error, "WORKSPACE_UNUSABLE") || isWorldlineError(error, "STORE_UNREADABLE");
      if (!isTold) throw error;
    }
    expect(tries).toBe(1);
  }
}

async function play(folder: string, disk: FailingWorkspaceDisk): Promise<void> {
  const workspace = join(folder, "workspace");
  const { files, upkeep } = new FilesMachine().open({
    workspace,
    disk: new SimulatedDisk(),
    workspaceDisk: disk,
  });
  makeState(workspace, "first");
  const first = await captureAll(files, workspace);
  const firstTree = walk(workspace);
  makeState(workspace, "second");
  const second = await captureAll(files, workspace);
  const secondTree = walk(workspace);
  const steps = await files.compare(second, first);
  const outcomes = await files.restore(restoreOf(steps, second));
  const now = walk(workspace);
  expectOneOf(now, [firstTree, secondTree]);
  for (const { path, outcome } of outcomes) {
    if (outcome === "restored") expect([path, now.get(path)]).toEqual([path, firstTree.get(path)]);
  }
  const present = await captureAll(files, workspace);
  const again = await files.restore(restoreOf(await files.compare(present, first), present));
  if (outcomes.some(({ outcome }) => outcome !== "restored")) {
    expect(again.filter(({ outcome }) => outcome !== "restored")).toEqual([]);
    expect(differences(walk(workspace), firstTree)).toEqual([]);
  }
  expect(await upkeep.verify()).toMatchObject({ damage: [], problems: [], refDamage: [] });
  await files.close();
}

describe("a workspace on a disk that fails", () => {
  it("once, in any single call, is still captured and restored, or the exception is reported", async () => {
    await inTempFolder(async (folder) => {
      const quiet = new FailingWorkspaceDisk(realWorkspaceDisk);
      await play(folder, quiet);
      expect(quiet.operations.length).toBeGreaterThan(100);
      for (const { number, name, path } of partOf(quiet.operations, 3)) {
        const disk = new FailingWorkspaceDisk(realWorkspaceDisk, failAt(number, "EIO"));
        await play(folder, disk).catch((error: unknown) => {
          throw new Error(`EIO in ${name} ${number} of ${path}`, { cause: error });
        });
      }
    });
  });
});
