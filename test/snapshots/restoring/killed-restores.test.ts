import { appendFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { PathOutcome } from "../../../src/ports/workspace-files.ts";
import { remark } from "../../../src/record/error.ts";
import { listJournals, settleRestore } from "../../../src/snapshots/restoring/restore.ts";
import {
  FailingWorkspaceDisk,
  Killed,
  killAt,
  type WorkspaceFaults,
} from "../../../src/testing/disk/failing-workspace-disk.ts";
import { asOwner, orAsOwner } from "./owner-disk.ts";
import {
  file,
  folder,
  inScene,
  JOURNAL,
  link,
  restoredAll,
  type Scene,
  sorted,
  type Tree,
  unsyncedDisk,
} from "./scene.ts";
import { AFTER, BEFORE } from "./two-trees.ts";

/** Kills a restore right before its n-th change; returns whether it got that far. */
async function killed(
  scene: Scene,
  change: number,
  trees = { before: BEFORE, after: AFTER },
): Promise<boolean> {
  const workspaceDisk = new FailingWorkspaceDisk(unsyncedDisk, orAsOwner(killAt(change)));
  try {
    await scene.restore(trees.before, trees.after, { workspaceDisk });
    return false;
  } catch (error) {
    expect(error).toBeInstanceOf(Killed);
    return true;
  }
}

async function rollForward(scene: Scene, faults: WorkspaceFaults = asOwner): Promise<PathOutcome[]> {
  const [unfinished] = listJournals(scene.journalDisk, JOURNAL);
  if (unfinished === undefined) throw new Error("there is no journal");
  const workspaceDisk = new FailingWorkspaceDisk(unsyncedDisk, faults);
  return settleRestore(scene.deps({ workspaceDisk }), unfinished, "forward");
}

function expectDone(scene: Scene, outcomes: readonly PathOutcome[], at: string): void {
  expect(outcomes, at).toEqual(restoredAll(scene.steps(BEFORE, AFTER)));
  expect(scene.tree(), at).toEqual(sorted(AFTER));
  expect(scene.journalFiles(), at).toEqual([]);
}

/** Calls `work` once for each change before which a restore can be killed. */
async function atEveryKill(work: (scene: Scene, change: number) => Promise<void>): Promise<number> {
  for (let change = 1; ; change += 1) {
    let wasKilled = false;
    await inScene(async (scene) => {
      wasKilled = await killed(scene, change);
      if (wasKilled) await work(scene, change);
    });
    if (!wasKilled) return change - 1;
  }
}

describe("a restore that was killed", () => {
  it("is finished by rolling it forward, wherever it was cut off", async () => {
    const kills = await atEveryKill(async (scene, change) => {
      expectDone(scene, await rollForward(scene), `killed at ${change}`);
    });
    expect(kills).toBeGreaterThan(50);
  });

  it("is finished even when rolling forward is killed, wherever that is", async () => {
    await atEveryKill(async (scene, change) => {
      // Each attempt is killed at a later point; the last one completes.
      for (let again = (change % 9) + 1; ; again += 9) {
        try {
          const outcomes = await rollForward(scene, orAsOwner(killAt(again)));
          expectDone(scene, outcomes, `killed at ${change}, then up to ${again}`);
          return;
        } catch (error) {
          if (!(error instanceof Killed)) throw error;
        }
      }
    });
  });

  it("has what stepped aside for a folder back in its place when the folder still cannot be made", async () => {
    const trees = { before: { x: file("x") }, after: { x: folder() } };
    for (const change of [1, 2, 3, 4]) {
      await inScene(async (scene) => {
        await killed(scene, change, trees);
        const outcomes = await rollForward(scene, ({ name }) =>
          name === "makeFolder" ? "ENOSPC" : undefined,
        );
        const isMade = change === 4;
        expect(outcomes).toEqual(
          isMade
            ? [{ path: "x", outcome: "restored" }]
            : [{ path: "x", outcome: "failed", ...remark("restore-system-error", { errno: "ENOSPC" }) }],
        );
        expect(scene.tree()).toEqual(isMade ? trees.after : trees.before);
      });
    }
  });

  it("has no outcomes left once it is settled", () =>
    inScene(async (scene) => {
      await killed(scene, 5);
      const [unfinished] = listJournals(scene.journalDisk, JOURNAL);
      if (unfinished === undefined) throw new Error("there is no journal");
      await settleRestore(scene.deps(), unfinished, "forward");
      expect(await settleRestore(scene.deps(), unfinished, "forward")).toEqual([]);
    }));

  it("is forgotten, with nothing done, when it never began", () =>
    inScene(async (scene) => {
      await killed(scene, 1);
      const [unfinished] = listJournals(scene.journalDisk, JOURNAL);
      if (unfinished === undefined) throw new Error("there is no journal");
      expect(await settleRestore(scene.deps(), unfinished, "discard")).toEqual([]);
      expect(scene.tree()).toEqual(sorted(BEFORE));
      expect(listJournals(scene.journalDisk, JOURNAL)).toEqual([]);
    }));
});

describe("what is changed outside between the kill and rolling forward", () => {
  const trees: { readonly before: Tree; readonly after: Tree } = {
    before: { a: file("a1"), b: file("b1"), c: file("c1"), d: link("d1") },
    after: { a: file("a2"), b: file("b2"), c: file("c2"), d: folder(), "d/e": file("e2") },
  };

  it("is kept, wherever the restore was cut off, and the others are finished", async () => {
    for (let change = 1; ; change += 1) {
      let wasKilled = false;
      await inScene(async (scene) => {
        wasKilled = await killed(scene, change, trees);
        if (!wasKilled) return;
        rmSync(join(scene.root, "b"));
        scene.plant({ b: file("theirs") });
        expect(await rollForward(scene)).toEqual([
          { path: "a", outcome: "restored" },
          { path: "b", outcome: "kept", ...remark("restore-changed-since") },
          { path: "c", outcome: "restored" },
          { path: "d", outcome: "restored" },
          { path: "d/e", outcome: "restored" },
        ]);
        expect(scene.tree()).toEqual({ ...sorted(trees.after), b: file("theirs") });
      });
      if (!wasKilled) return;
    }
  });

  it("stays next to its place, and is reported, if it had been moved aside for a folder", async () => {
    const swap = { before: { x: file("x"), y: file("y") }, after: { x: folder(), y: folder() } };
    // Kills right before the folder takes its place, and right before the old file is removed.
    for (const change of [3, 4]) {
      await inScene(async (scene) => {
        await killed(scene, change, swap);
        const old = `.worldline-restore-${scene.journal.list()[0]?.token}.old`;
        // Simulates a write through a handle that was open the whole time.
        appendFileSync(join(scene.root, old), ", and theirs");
        expect(await rollForward(scene)).toEqual([
          { path: "x", outcome: "restored", ...remark("restore-kept-aside", { path: old }) },
          { path: "y", outcome: "restored" },
        ]);
        expect(scene.tree()).toEqual({ ...swap.after, [old]: file("x, and theirs") });
      });
    }
  });

  it("is not gone through when it is a link", () =>
    inScene(async (scene) => {
      await killed(scene, 1, {
        before: { s: folder(), "s/f": file("1") },
        after: { s: folder(), "s/f": file("2") },
      });
      rmSync(join(scene.root, "s"), { recursive: true });
      writeFileSync(join(scene.outside, "f"), "1", { mode: 0o644 });
      // Looks exactly like a leftover of this restore, but is outside the workspace.
      const token = scene.journal.list()[0]?.token ?? "";
      writeFileSync(join(scene.outside, `.worldline-restore-${token}`), "");
      scene.plant({ s: link(scene.outside) });
      expect(await rollForward(scene)).toEqual([
        { path: "s/f", outcome: "kept", ...remark("restore-link-in-the-way") },
      ]);
      expect(readdirSync(scene.outside)).toEqual([`.worldline-restore-${token}`, "f"]);
    }));
});
