import { describe, expect, it } from "vitest";
import { remark } from "../../../src/record/error.ts";
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

  it("closes the contents of a folder that will be inaccessible before it closes that folder", () =>
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
        { path: "a/f", outcome: "failed", ...remark("restore-system-error", { errno: "EPERM" }) },
        { path: "b", outcome: "restored" },
      ]);
      expect(scene.tree()).toEqual({ ...before, b: file("c") });
    }));

  it("fails if a file of another owner may not be replaced, and leaves no temporary file", () =>
    inScene(async (scene) => {
      // Simulates a folder with the sticky bit: new names can be created, but other owners' names cannot be
      // replaced or removed.
      const workspaceDisk = new FailingWorkspaceDisk(unsyncedDisk, ({ name, path }) =>
        (name === "rename" || name === "unlink") && /\/sticky\/(?:theirs|gone)$/.test(path)
          ? "EPERM"
          : undefined,
      );
      const before = { sticky: folder(0o1777), "sticky/gone": file("1"), "sticky/theirs": file("1") };
      const after = { sticky: folder(0o1777), "sticky/own": file("2"), "sticky/theirs": file("2") };
      expect(await scene.restore(before, after, { workspaceDisk })).toEqual([
        { path: "sticky/gone", outcome: "failed", ...remark("restore-system-error", { errno: "EPERM" }) },
        { path: "sticky/own", outcome: "restored" },
        { path: "sticky/theirs", outcome: "failed", ...remark("restore-system-error", { errno: "EPERM" }) },
      ]);
      expect(scene.tree()).toEqual({ ...before, "sticky/own": file("2") });
    }));

  it("fails where the mode of another owner's file is not ours to change", () =>
    inScene(async (scene) => {
      const workspaceDisk = new FailingWorkspaceDisk(unsyncedDisk, ({ name }) =>
        name === "chmod" ? "EPERM" : undefined,
      );
      const [before, after] = [
        { a: file("a"), b: file("b") },
        { a: file("a", 0o600), b: file("c") },
      ];
      expect(await scene.restore(before, after, { workspaceDisk })).toEqual([
        { path: "a", outcome: "failed", ...remark("restore-system-error", { errno: "EPERM" }) },
        { path: "b", outcome: "restored" },
      ]);
      expect(scene.tree()).toEqual({ a: file("a"), b: file("c") });
    }));
});
