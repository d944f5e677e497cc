import { describe, expect, it } from "vitest";
import { FailingWorkspaceDisk } from "../../../src/testing/disk/failing-workspace-disk.ts";
import { asOwner } from "./owner-disk.ts";
import { file, folder, inScene, restoredAll, sorted, type Tree, unsyncedDisk } from "./scene.ts";

/** Changes in folders that their owner may not write. */
const CASES: readonly (readonly [string, Tree, Tree])[] = [
  ["a file changes", { a: folder(0o555), "a/f": file("1") }, { a: folder(0o555), "a/f": file("2") }],
  ["a file goes", { a: folder(0o555), "a/f": file("1") }, { a: folder(0o555) }],
  ["the folder goes with all in it", { a: folder(0o555), "a/b": folder(0o500), "a/b/f": file("1") }, {}],
  ["it is made and filled", {}, { a: folder(0o555), "a/b": folder(0o500), "a/b/f": file("1") }],
  ["it is opened for good", { a: folder(0o555) }, { a: folder(0o755), "a/f": file("1") }],
  ["it is closed for good", { a: folder(0o755), "a/f": file("1") }, { a: folder(0o500), "a/g": file("2") }],
  [
    "it is deep",
    { a: folder(0o500), "a/b": folder(0o500) },
    { a: folder(0o500), "a/b": folder(0o500), "a/b/c": folder(0o700) },
  ],
  ["it becomes a file", { a: folder(0o500), "a/b": folder(0o500) }, { a: folder(0o500), "a/b": file("b") }],
  [
    "a file in it becomes a folder",
    { a: folder(0o500), "a/b": file("b") },
    { a: folder(0o500), "a/b": folder(0o500), "a/b/c": file("c") },
  ],
];

describe("in a closed folder, a restore", () => {
  for (const [what, before, after] of CASES) {
    it(`leaves the folder's mode as it should be when ${what}`, () =>
      inScene(async (scene) => {
        const workspaceDisk = new FailingWorkspaceDisk(unsyncedDisk, asOwner);
        const outcomes = await scene.restore(before, after, { workspaceDisk });
        expect(outcomes).toEqual(restoredAll(scene.steps(before, after)));
        expect(scene.tree()).toEqual(sorted(after));
      }));
  }

  it("closes what is in a folder that nobody may enter before it closes that", () =>
    inScene(async (scene) => {
      const workspaceDisk = new FailingWorkspaceDisk(unsyncedDisk, asOwner);
      const after = { a: folder(0o600), "a/b": folder(0o500), "a/b/c": file("c", 0o400) };
      expect(await scene.restore({}, after, { workspaceDisk })).toEqual(restoredAll(scene.steps({}, after)));
    }));

  it("fails where the folder is not ours to open", () =>
    inScene(async (scene) => {
      const workspaceDisk = new FailingWorkspaceDisk(unsyncedDisk, (call) =>
        call.name === "chmod" ? "EPERM" : asOwner(call),
      );
      const before = { a: folder(0o555), "a/f": file("1"), b: file("b") };
      const after = { a: folder(0o555), "a/f": file("2"), b: file("c") };
      expect(await scene.restore(before, after, { workspaceDisk })).toEqual([
        { path: "a/f", outcome: "failed", why: "not permitted (EPERM)" },
        { path: "b", outcome: "restored" },
      ]);
      expect(scene.tree()).toEqual({ ...before, b: file("c") });
    }));
});
