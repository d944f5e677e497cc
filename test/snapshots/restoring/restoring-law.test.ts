import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { listJournals, settleRestore } from "../../../src/snapshots/restoring/restore.ts";
import { FailingWorkspaceDisk, Killed, killAt } from "../../../src/testing/disk/failing-workspace-disk.ts";
import { asOwner, orAsOwner } from "./owner-disk.ts";
import {
  file,
  folder,
  inScene,
  JOURNAL,
  link,
  type Node,
  restoredAll,
  sorted,
  type Tree,
  unsyncedDisk,
} from "./scene.ts";

/** Few names, so that two trees often have the same path with different kinds. */
const names = fc.constantFrom("a", "b", "\xff", "a-b");
const node: fc.Arbitrary<Node> = fc.oneof(
  fc
    .record({
      bytes: fc.constantFrom("", "one", "two"),
      mode: fc.constantFrom(0o644, 0o600, 0o755, 0o4755, 0o444, 0o200, 0o000),
    })
    .map(({ bytes, mode }) => file(bytes, mode)),
  {
    weight: 3,
    arbitrary: fc.constantFrom(0o755, 0o700, 0o555, 0o1777, 0o500, 0o300).map((mode) => folder(mode)),
  },
  fc.constantFrom("a", "../..", "/etc", "\xfe").map((target) => link(target)),
);

/** Shorter paths are planted first; a path whose parent is not a folder is dropped. */
const tree: fc.Arbitrary<Tree> = fc
  .array(fc.tuple(fc.array(names, { minLength: 1, maxLength: 4 }), node), { maxLength: 14 })
  .map((places) => {
    const planted: Record<string, Node> = {};
    for (const [parts, what] of places.sort(([a], [b]) => a.length - b.length)) {
      const above = parts.slice(0, -1).join("/");
      if (above !== "" && planted[above]?.kind !== "folder") continue;
      planted[parts.join("/")] ??= what;
    }
    return planted;
  });

describe("law: whatever the two trees,", () => {
  it("a restore leads from one to the other, byte for byte and with all modes", async () => {
    await fc.assert(
      fc.asyncProperty(tree, tree, (before, after) =>
        inScene(async (scene) => {
          const workspaceDisk = new FailingWorkspaceDisk(unsyncedDisk, asOwner);
          expect(await scene.restore(before, after, { workspaceDisk })).toEqual(
            restoredAll(scene.steps(before, after)),
          );
          expect(scene.tree()).toEqual(sorted(after));
          expect(scene.journalFiles()).toEqual([]);
        }),
      ),
      { numRuns: 100 },
    );
  });

  it("and wherever it is killed, rolling it forward leads there too", async () => {
    await fc.assert(
      fc.asyncProperty(tree, tree, fc.nat(40), (before, after, kill) =>
        inScene(async (scene) => {
          const workspaceDisk = new FailingWorkspaceDisk(unsyncedDisk, orAsOwner(killAt(kill + 1)));
          const steps = scene.steps(before, after);
          await scene.restore(before, after, { workspaceDisk }).catch((error: unknown) => {
            expect(error).toBeInstanceOf(Killed);
          });
          for (const unfinished of listJournals(scene.journalDisk, JOURNAL)) {
            const alive = new FailingWorkspaceDisk(unsyncedDisk, asOwner);
            const outcomes = await settleRestore(scene.deps({ workspaceDisk: alive }), unfinished, "forward");
            expect(outcomes).toEqual(restoredAll(steps));
          }
          expect(scene.tree()).toEqual(sorted(after));
          expect(scene.journalFiles()).toEqual([]);
        }),
      ),
      { numRuns: 100 },
    );
  });
});
