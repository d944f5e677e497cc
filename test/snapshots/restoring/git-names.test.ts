import { describe, expect, it } from "vitest";
import type { PathBytes } from "../../../src/record/files.ts";
import { performRestore } from "../../../src/snapshots/restoring/restore.ts";
import type { WorkspaceDisk } from "../../../src/snapshots/workspace/workspace-disk.ts";
import { file, folder, inScene, type Tree, unsyncedDisk } from "./scene.ts";

/**
 * Simulates a case-insensitive folder, as on macOS, Windows and in some Linux folders, by folding `.git`
 * names on the real disk.
 */
const forgiving: WorkspaceDisk = (() => {
  const fold = (path: PathBytes): PathBytes => path.replace(/\/\.git(?=\/|$)/giu, "/.git");
  const { stat, makeFolder, removeFolder, writeNew, rename, names } = unsyncedDisk;
  return {
    ...unsyncedDisk,
    isPlainFolder: () => false,
    stat: (path) => stat(fold(path)),
    names: (path) => names(fold(path)),
    makeFolder: (path, mode) => makeFolder(fold(path), mode),
    removeFolder: (path) => removeFolder(fold(path)),
    writeNew: (path, bytes, mode) => writeNew(fold(path), bytes, mode),
    rename: (from, to) => rename(fold(from), fold(to)),
  };
})();

describe("a name that may be .git", () => {
  const before: Tree = { a: folder() };
  const after: Tree = {
    a: folder(),
    "a/.GIT": folder(),
    "a/.GIT/config": file("[core]"),
    ".Git": file("gitdir: elsewhere"),
    ".git ": file("mine"),
    "git~1": file("mine too"),
  };

  it("is the user's own where the file system says so, and is restored and removed like any other", () =>
    inScene(async (scene) => {
      scene.plant(before);
      const steps = scene.steps(before, after);
      expect(
        (await performRestore(scene.deps(), scene.request(steps))).map(({ outcome }) => outcome),
      ).toEqual(steps.map(() => "restored"));
      expect(scene.tree()).toEqual(after);
      const back = scene.steps(after, before);
      await performRestore(scene.deps(), scene.request(back));
      expect(scene.tree()).toEqual(before);
    }));

  it("is not touched where the file system takes it for .git, whether there is one or not", () =>
    inScene(async (scene) => {
      const own: Tree = { ...before, ".git": folder(), ".git/config": file("the user's") };
      scene.plant(own);
      const evil: Tree = { ...after, ".GIT": folder(), ".GIT/config": file("[core] fsmonitor=evil") };
      const { ".Git": _file, ...steps } = evil;
      const outcomes = await performRestore(
        scene.deps({ workspaceDisk: forgiving }),
        scene.request(scene.steps(before, steps)),
      );
      const whys = new Map(
        outcomes.map(({ path, outcome, why }) => [path, `${outcome} ${why ?? ""}`.trim()]),
      );
      const refused = "failed this file system treats its name as .git";
      expect(whys.get(".GIT")).toBe(refused);
      expect(whys.get(".GIT/config")).toBe(refused);
      expect(whys.get("a/.GIT")).toBe(refused);
      expect(whys.get("a/.GIT/config")).toContain("failed");
      expect([whys.get(".git "), whys.get("git~1")]).toEqual(["restored", "restored"]);
      expect(scene.tree()).toEqual({ ...own, ".git ": file("mine"), "git~1": file("mine too") });
    }));
});
