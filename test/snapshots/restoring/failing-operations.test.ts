import { describe, expect, it } from "vitest";
import type { PathOutcome } from "../../../src/ports/workspace-files.ts";
import {
  FailingWorkspaceDisk,
  failAt,
  type WorkspaceFaults,
  type WorkspaceOperation,
} from "../../../src/testing/disk/failing-workspace-disk.ts";
import { partOf } from "../../support/part-of.ts";
import { asOwner, orAsOwner } from "./owner-disk.ts";
import { inScene, type Scene, sorted, type Tree, unsyncedDisk } from "./scene.ts";
import { AFTER, BEFORE } from "./two-trees.ts";

const ERRNOS = ["EACCES", "EPERM", "ENOSPC", "EIO", "ENAMETOOLONG", "EBUSY", "EROFS"] as const;

async function operationsOf(): Promise<readonly WorkspaceOperation[]> {
  const workspaceDisk = new FailingWorkspaceDisk(unsyncedDisk);
  await inScene(async (scene) => void (await scene.restore(BEFORE, AFTER, { workspaceDisk })));
  return workspaceDisk.operations;
}

const topOf = (path: string): string => path.split("/")[0] ?? "";
const only = (top: string, tree: Tree): Tree =>
  Object.fromEntries(Object.entries(tree).filter(([path]) => topOf(path) === top));
const same = (tree: Tree, other: Tree, path: string): boolean =>
  JSON.stringify(tree[path]) === JSON.stringify(other[path]);

/**
 * Checks that each path is in its old or new state, that paths reported as restored really are, and that
 * leftover temporary files are reported.
 */
function expectHonest(scene: Scene, outcomes: readonly PathOutcome[]): void {
  const now = scene.tree();
  const untrue = outcomes.filter(({ path, outcome, why = "" }) => {
    if (outcome === "restored") return !same(now, AFTER, path);
    // A folder that was filled but could not be closed again stays open.
    return (
      !same(now, AFTER, path) && !same(now, BEFORE, path) && !why.startsWith("its mode could not be set")
    );
  });
  expect(untrue).toEqual([]);
  expect(outcomes.filter(({ outcome, why }) => outcome !== "restored" && why === undefined)).toEqual([]);
  const known = new Set([...Object.keys(BEFORE), ...Object.keys(AFTER)]);
  const told = outcomes.filter(({ why = "" }) =>
    why.includes("a temporary file in its folder could not be removed"),
  );
  const tops = new Set(told.map(({ path }) => topOf(path)));
  expect(Object.keys(now).filter((path) => !known.has(path) && !tops.has(topOf(path)))).toEqual([]);
  expect(scene.journalFiles()).toEqual([]);
}

describe("one operation of a restore that fails", () => {
  it("costs the path that it was for, and no other, whichever it is", async () => {
    const operations = await operationsOf();
    expect(operations.length).toBeGreaterThan(150);
    for (const { number } of partOf(operations, 2)) {
      await inScene(async (scene) => {
        const errno = ERRNOS[number % ERRNOS.length] ?? "EIO";
        const workspaceDisk = new FailingWorkspaceDisk(unsyncedDisk, failAt(number, errno));
        const outcomes = await scene.restore(BEFORE, AFTER, { workspaceDisk });
        expectHonest(scene, outcomes);
        const tops = outcomes.flatMap(({ path, outcome }) => (outcome === "restored" ? [] : [topOf(path)]));
        const failed = workspaceDisk.operations[number - 1];
        // If the names at the top level are not durable, every path at that level is affected.
        const isTopSync = failed?.name === "sync" && failed.path === scene.root;
        expect(new Set(tops).size, `${failed?.name} ${failed?.path}`).toBeLessThanOrEqual(isTopSync ? 4 : 1);
      });
    }
  });

  it("leaves closed folders closed", async () => {
    const [before, after] = [only("closed", BEFORE), only("closed", AFTER)];
    const counting = new FailingWorkspaceDisk(unsyncedDisk, asOwner);
    await inScene(async (scene) => {
      await scene.restore(before, after, { workspaceDisk: counting });
      expect(scene.tree()).toEqual(sorted(after));
    });
    for (const { number } of counting.operations) {
      await inScene(async (scene) => {
        const workspaceDisk = new FailingWorkspaceDisk(unsyncedDisk, orAsOwner(failAt(number, "EIO")));
        const outcomes = await scene.restore(before, after, { workspaceDisk });
        const isTold = outcomes.every(({ why = "" }) =>
          why.includes("the mode of its folder could not be restored"),
        );
        const { name, path } = workspaceDisk.operations[number - 1] ?? {};
        if (!isTold) expect(scene.tree()["closed"], `${name} ${path}`).toEqual(BEFORE["closed"]);
      });
    }
  });
});

describe("every operation of one kind that fails", () => {
  for (const name of [
    "writeNew",
    "makeLink",
    "makeFolder",
    "rename",
    "unlink",
    "removeFolder",
    "chmod",
    "sync",
    "readFile",
  ] as const) {
    it(`leaves no path between two states: ${name}`, () =>
      inScene(async (scene) => {
        const faults: WorkspaceFaults = (operation) => (operation.name === name ? "ENOSPC" : undefined);
        const workspaceDisk = new FailingWorkspaceDisk(unsyncedDisk, faults);
        const outcomes = await scene.restore(BEFORE, AFTER, { workspaceDisk });
        expect(outcomes.some(({ outcome }) => outcome === "failed")).toBe(true);
        expectHonest(scene, outcomes);
      }));
  }
});
