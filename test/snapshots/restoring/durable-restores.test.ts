import { linkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { remark } from "../../../src/record/error.ts";
import { listJournals, performRestore, settleRestore } from "../../../src/snapshots/restoring/restore.ts";
import { FailingWorkspaceDisk, Killed } from "../../../src/testing/disk/failing-workspace-disk.ts";
import { asOwner } from "./owner-disk.ts";
import { file, folder, inScene, JOURNAL, link, restoredAll, unsyncedDisk } from "./scene.ts";

const isTemporary = (path: string): boolean => path.includes(".worldline-restore-");

/** The files that were moved into place before they were durable. */
function movedTooEarly({ operations }: FailingWorkspaceDisk): string[] {
  const written = new Set<string>();
  const early: string[] = [];
  for (const { name, path, from = "" } of operations) {
    if (name === "writeNew") written.add(path);
    if (name === "sync") written.delete(path);
    if (name === "rename" && written.has(from)) early.push(path);
  }
  return early;
}

describe("a content is durable before it is moved into its place", () => {
  it("also when it is there already, and a second name keeps its mode from being changed", () =>
    inScene(async (scene) => {
      const workspaceDisk = new FailingWorkspaceDisk(unsyncedDisk);
      scene.plant({ a: file("a") });
      linkSync(join(scene.root, "a"), join(scene.outside, "other"));
      const steps = scene.steps({ a: file("a") }, { a: file("a", 0o600) });
      expect(await performRestore(scene.deps({ workspaceDisk }), scene.request(steps))).toEqual([
        { path: "a", outcome: "restored", ...remark("path-hard-link-split") },
      ]);
      expect([scene.tree(), movedTooEarly(workspaceDisk)]).toEqual([{ a: file("a", 0o600) }, []]);
    }));

  it("also when its owner may not read it", () =>
    inScene(async (scene) => {
      const workspaceDisk = new FailingWorkspaceDisk(unsyncedDisk, asOwner);
      const after = { a: file("a2", 0o200), b: file("b", 0o000) };
      expect(await scene.restore({ a: file("a") }, after, { workspaceDisk })).toEqual([
        { path: "a", outcome: "restored" },
        { path: "b", outcome: "restored" },
      ]);
      expect([scene.tree(), movedTooEarly(workspaceDisk)]).toEqual([after, []]);
    }));

  for (const failing of ["writeNew", "sync"] as const) {
    it(`also when it could not be prepared with the others: ${failing}`, () =>
      inScene(async (scene) => {
        let failures = 0;
        const workspaceDisk = new FailingWorkspaceDisk(unsyncedDisk, ({ name }) =>
          name === failing && failures++ === 0 ? "ENOSPC" : undefined,
        );
        const after = { a: file("a2"), b: file("b2") };
        expect(await scene.restore({ a: file("a") }, after, { workspaceDisk })).toEqual([
          { path: "a", outcome: "restored" },
          { path: "b", outcome: "restored" },
        ]);
        expect([scene.tree(), movedTooEarly(workspaceDisk)]).toEqual([after, []]);
      }));
  }

  it("or it is not moved", () =>
    inScene(async (scene) => {
      const workspaceDisk = new FailingWorkspaceDisk(unsyncedDisk, ({ name, path }) =>
        name === "sync" && isTemporary(path) ? "EIO" : undefined,
      );
      expect(await scene.restore({ a: file("a") }, { a: file("a2") }, { workspaceDisk })).toEqual([
        { path: "a", outcome: "failed", ...remark("restore-system-error", { errno: "EIO" }) },
      ]);
      expect(scene.tree()).toEqual({ a: file("a") });
    }));
});

describe("rolling a restore forward", () => {
  it("makes durable what the one that was killed had done, but not made durable", () =>
    inScene(async (scene) => {
      const before = { a: file("a"), gone: folder(), "gone/in": file("in"), mode: file("mode") };
      const after = {
        a: file("a2"),
        d: folder(),
        "d/e": file("e"),
        "d/l": link("e"),
        mode: file("mode", 0o600),
      };
      const killing = new FailingWorkspaceDisk(unsyncedDisk, ({ name, path }) =>
        name === "sync" && !isTemporary(path) ? "killed" : undefined,
      );
      await expect(scene.restore(before, after, { workspaceDisk: killing })).rejects.toBeInstanceOf(Killed);
      expect(scene.tree()).toEqual(after);
      const [unfinished] = listJournals(scene.journalDisk, JOURNAL);
      if (unfinished === undefined) throw new Error("there is no journal");
      const workspaceDisk = new FailingWorkspaceDisk(unsyncedDisk);
      const outcomes = await settleRestore(scene.deps({ workspaceDisk }), unfinished, "forward");
      expect(outcomes).toEqual(restoredAll(scene.steps(before, after)));
      const synced = workspaceDisk.operations
        .filter(({ name, path }) => name === "sync" && !isTemporary(path))
        .map(({ path }) => path.slice(scene.root.length + 1));
      expect(synced.sort()).toEqual(["", "a", "d", "d/e", "mode"]);
    }));
});
