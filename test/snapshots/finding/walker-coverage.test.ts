import { lstatSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../../src/snapshots/finding/coverage.ts";
import { Walker } from "../../../src/snapshots/finding/walker.ts";
import { realWorkspaceDisk } from "../../../src/snapshots/workspace/real-workspace-disk.ts";
import type { WorkspaceDisk } from "../../../src/snapshots/workspace/workspace-disk.ts";
import { inTempFolder } from "../../../src/testing/temp-folder.ts";
import { partsFor, Tree, told, walked } from "./workspace-tree.ts";

const all = { folders: "all" } as const;
const limits = { maxFileBytes: 100, maxIgnoredFiles: 3, maxIgnoredBytes: 1000 };

/** Root can read everything, so unreadable paths are simulated. */
function guarded(closed: Set<string>): WorkspaceDisk {
  return {
    ...realWorkspaceDisk,
    names: (folder) => {
      if (closed.has(folder)) throw Object.assign(new Error("no"), { code: "EACCES" });
      return realWorkspaceDisk.names(folder);
    },
    quickStat: (path) => {
      if (closed.has(`${path}!`)) throw Object.assign(new Error("no"), { code: "EACCES" });
      return realWorkspaceDisk.quickStat?.(path);
    },
  };
}

describe("what is left out", () => {
  it("is a file over the limit, until it is smaller", () =>
    inTempFolder((root) => {
      const tree = new Tree(root).file("big", "x".repeat(101)).file("small", "x".repeat(100));
      const walker = new Walker(partsFor(root, { limits }));
      expect(told(walker.scan(all))).toEqual(["file small", "folder ", "left-out (too-large) big"]);
      tree.file("big", "x".repeat(200));
      expect(told(walker.scan(all))).toEqual([]);
      tree.file("big", "x");
      expect(told(walker.scan(all))).toEqual(["file big"]);
    }));

  it("is our own store, under whatever name", () =>
    inTempFolder((root) => {
      const tree = new Tree(root).file("a/store/x").file("b");
      const { dev, ino } = lstatSync(`${root}/a/store`);
      const ownStore = { device: dev, inode: ino };
      const walker = new Walker(partsFor(root, { coverage: { limits: DEFAULT_LIMITS, ownStore } }));
      expect(told(walker.scan(all))).toEqual([
        "file b",
        "folder ",
        "folder a",
        "left-out (own-store) a/store",
      ]);
      tree.rename("a/store", "moved");
      expect(told(walker.scan(all))).toEqual(["gone a/store", "left-out (own-store) moved"]);
    }));

  it("is .git in every spelling that the file system takes for it, and no other name", () =>
    inTempFolder((root) => {
      new Tree(root).file(".GIT/config").file("sub/.Git", "gitdir: x").file(".git ").file("own/.GIT");
      const none = ["file .GIT/config", "file .git ", "file own/.GIT", "file sub/.Git"];
      const folders = ["folder ", "folder .GIT", "folder own", "folder sub"];
      expect(told(new Walker(partsFor(root)).scan(all))).toEqual([...none, ...folders]);
      const same = new Map([
        [`${root}/.git`, `${root}/.GIT`],
        [`${root}/sub/.git`, `${root}/sub/.Git`],
      ]);
      const disk = {
        ...realWorkspaceDisk,
        quickStat: (path: string) => realWorkspaceDisk.stat(same.get(path) ?? path),
      };
      expect(told(new Walker(partsFor(root, { disk })).scan(all))).toEqual([
        "file .git ",
        "file own/.GIT",
        "folder ",
        "folder own",
        "folder sub",
        "left-out (git) .GIT",
        "left-out (git) sub/.Git",
      ]);
    }));

  it("is an ignored folder that is large, and not a small one", () =>
    inTempFolder((root) => {
      const tree = new Tree(root).file(".gitignore", "many\nheavy/\nfew\n.env\n").file(".env");
      tree.files("many/deep", 4).file("heavy/x", "x".repeat(1001)).files("few", 3);
      const walker = new Walker(partsFor(root, { limits }));
      expect(told(walker.scan(all))).toEqual([
        "file .env",
        "file .gitignore",
        "file few/file-0",
        "file few/file-1",
        "file few/file-2",
        "folder ",
        "folder few",
        "left-out (ignored) heavy",
        "left-out (ignored) many",
      ]);
      expect(told(walker.scan(all))).toEqual([]);
    }));

  it("is node_modules always, and a generated folder where it is ignored", () =>
    inTempFolder((root) => {
      new Tree(root)
        .file("a/node_modules/x")
        .file("target/x")
        .file("b/target/x")
        .file("b/.gitignore", "target");
      expect(told(new Walker(partsFor(root)).scan(all))).toEqual([
        "file b/.gitignore",
        "file target/x",
        "folder ",
        "folder a",
        "folder b",
        "folder target",
        "left-out (ignored) a/node_modules",
        "left-out (ignored) b/target",
      ]);
    }));

  it("is an ignored folder once it has grown, and no longer when it has shrunk", () =>
    inTempFolder((root) => {
      const tree = new Tree(root).file(".gitignore", "/out").files("out/deep/er", 3);
      const walker = walked(partsFor(root, { limits }));
      tree.file("out/deep/more");
      expect(told(walker.scan(all))).toEqual(["left-out (ignored) out"]);
      tree.file("out/deep/more", "changed");
      expect(told(walker.scan(all))).toEqual([]);
      tree.remove("out/deep").file("out/small");
      expect(told(walker.scan(all))).toEqual(["file out/small", "folder out"]);
      tree.files("out/new/large", 9).file("out/small", "changed");
      expect(told(walker.scan(all))).toEqual(["left-out (ignored) out"]);
    }));

  it("is decided again when a .gitignore appears, changes or goes", () =>
    inTempFolder((root) => {
      const tree = new Tree(root).files("a/x", 5).files("a/y", 5).files("a/z", 2).files("x", 5);
      const walker = walked(partsFor(root, { limits }));
      tree.file("a/.gitignore", "x\nz\n");
      expect(told(walker.scan(all))).toEqual(["file a/.gitignore", "left-out (ignored) a/x"]);
      tree.file("a/.gitignore", "y/ # longer\ny\n");
      const five = (folder: string): string[] => [0, 1, 2, 3, 4].map((n) => `file ${folder}/file-${n}`);
      expect(told(walker.scan(all))).toEqual([
        "file a/.gitignore",
        ...five("a/x"),
        "folder a/x",
        "left-out (ignored) a/y",
      ]);
      tree.remove("a/.gitignore");
      expect(told(walker.scan(all))).toEqual([...five("a/y"), "folder a/y", "gone a/.gitignore"]);
      tree.file(".gitignore", "a\n");
      expect(told(walker.scan(all))).toEqual(["file .gitignore", "left-out (ignored) a"]);
    }));

  it("follows rules from outside, also when they are others after loading", () =>
    inTempFolder((root) => {
      new Tree(root).files("x", 5);
      const before = partsFor(root, { limits });
      const bytes = walked(before).save("");
      const after = partsFor(root, { limits, outsideRules: "x\n" });
      expect(told(new Walker(after).scan(all))).toEqual(["folder ", "left-out (ignored) x"]);
      const loaded = Walker.load(bytes, after)?.walker;
      expect(loaded && told(loaded.scan(all))).toEqual(["left-out (ignored) x"]);
    }));

  it("is a folder that cannot be read, until it can", () =>
    inTempFolder((root) => {
      const tree = new Tree(root).file("a/b").file("c");
      const closed = new Set([`${root}/a`]);
      const walker = new Walker(partsFor(root, { disk: guarded(closed) }));
      expect(told(walker.scan(all))).toEqual(["file c", "folder ", "left-out (unreadable) a"]);
      expect(told(walker.scan(all))).toEqual([]);
      closed.clear();
      expect(told(walker.scan(all))).toEqual(["file a/b", "folder a"]);
      closed.add(`${root}/a`);
      tree.file("a/new");
      expect(told(walker.scan(all))).toEqual(["left-out (unreadable) a"]);
    }));

  it("is an entry that cannot be looked at, until it can", () =>
    inTempFolder((root) => {
      new Tree(root).file("a").file("f/x");
      const closed = new Set([`${root}/a!`, `${root}/f!`]);
      const walker = new Walker(partsFor(root, { disk: guarded(closed) }));
      expect(told(walker.scan(all))).toEqual([
        "folder ",
        "left-out (unreadable) a",
        "left-out (unreadable) f",
      ]);
      expect(told(walker.scan(all))).toEqual([]);
      closed.clear();
      expect(told(walker.scan(all))).toEqual(["file a", "file f/x", "folder f"]);
      closed.add(`${root}/f!`);
      expect(told(walker.scan(all))).toEqual(["left-out (unreadable) f"]);
      closed.clear();
      expect(told(walker.scan(all))).toEqual(["file f/x", "folder f"]);
    }));

  it("is nothing of a restore that is just being written, not even in words", () =>
    inTempFolder((root) => {
      const tree = new Tree(root).file("a");
      const walker = walked(partsFor(root));
      tree.file(".worldline-restore-abc");
      expect(told(walker.scan({ folders: [".worldline-restore-abc", ""] }))).toEqual([]);
      expect(told(walker.scan(all))).toEqual([]);
    }));
});
