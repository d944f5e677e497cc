import { lstatSync, utimesSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { signatureOf } from "../../../src/snapshots/finding/findings.ts";
import { Walker } from "../../../src/snapshots/finding/walker.ts";
import { realWorkspaceDisk } from "../../../src/snapshots/workspace/real-workspace-disk.ts";
import { inTempFolder } from "../../../src/testing/temp-folder.ts";
import { partsFor, Tree, told, walked } from "./workspace-tree.ts";

const all = { folders: "all" } as const;

describe("walking a workspace", () => {
  it("finds every kind, with names of any bytes", () =>
    inTempFolder((root) => {
      const tree = new Tree(root)
        .file("new\nline")
        .file("a/\xff\xfe")
        .folder("empty")
        .link("link", "/nowhere");
      tree.file(".git/HEAD").file("nested/.git").file("nested/x").file("a/.worldline-restore-1");
      tree.pipe("pipe");
      const walker = new Walker(partsFor(root));
      expect(told(walker.scan(all))).toEqual([
        "file a/\xff\xfe",
        "file nested/x",
        "file new\nline",
        "folder ",
        "folder a",
        "folder empty",
        "folder nested",
        "left-out (git) .git",
        "left-out (git) nested/.git",
        "left-out (special) pipe",
        "link link",
      ]);
      expect(told(walker.scan(all))).toEqual([]);
      expect(walker.statistics).toEqual({ folders: 5, files: 3, bytes: 21 });
    }));

  it("says what a file looked like", () =>
    inTempFolder((root) => {
      new Tree(root).file("a", "12345").chmod("a", 0o4750);
      const stat = realWorkspaceDisk.stat(`${root}/a`);
      const signature = stat && signatureOf(stat);
      const { found } = new Walker(partsFor(root)).scan(all);
      expect(found[1]).toEqual({ path: "a", kind: "file", mode: 0o4750, size: 5, signature });
    }));

  it("finds a change of the mode alone, of files and folders", () =>
    inTempFolder((root) => {
      const tree = new Tree(root).file("f/a").file("f/b");
      const walker = walked(partsFor(root));
      tree.chmod("f/a", 0o600).chmod("f", 0o700);
      expect(told(walker.scan(all))).toEqual(["file f/a", "folder f"]);
      tree.chmod("", 0o711);
      expect(told(walker.scan(all))).toEqual(["folder "]);
    }));

  it("finds an edit of the same size whose mtime was set back", () =>
    inTempFolder(async (root) => {
      const tree = new Tree(root).file("a", "before");
      const walker = walked(partsFor(root));
      const { atime, mtime } = lstatSync(`${root}/a`);
      await setTimeout(20);
      tree.file("a", "after!");
      utimesSync(`${root}/a`, atime, mtime);
      expect(told(walker.scan(all))).toEqual(["file a"]);
    }));

  it("finds a file that was replaced by a rename", () =>
    inTempFolder((root) => {
      const tree = new Tree(root).file("a", "before");
      const walker = walked(partsFor(root));
      tree.file("b", "after!").rename("b", "a");
      expect(told(walker.scan(all))).toEqual(["file a"]);
    }));

  it("reports what is gone once, with everything below it", () =>
    inTempFolder((root) => {
      const tree = new Tree(root).file("a/b/c").file("a/d").file("e");
      const walker = walked(partsFor(root));
      tree.remove("a").remove("e");
      expect(told(walker.scan(all))).toEqual(["gone a", "gone e"]);
      tree.file("a/b/c");
      expect(told(walker.scan(all))).toEqual(["file a/b/c", "folder a", "folder a/b"]);
    }));

  const kinds = {
    file: (tree: Tree) => tree.file("x"),
    link: (tree: Tree) => tree.link("x", "elsewhere"),
    folder: (tree: Tree) => tree.file("x/in/it"),
    "left-out (special)": (tree: Tree) => tree.pipe("x"),
  };
  for (const [before, make] of Object.entries(kinds)) {
    for (const [after, makeOther] of Object.entries(kinds)) {
      if (before === after) continue;
      it(`finds a ${before} that has become a ${after}`, () =>
        inTempFolder((root) => {
          const tree = make(new Tree(root));
          const walker = walked(partsFor(root));
          makeOther(tree.remove("x"));
          const inside = after === "folder" ? ["file x/in/it", "folder x/in"] : [];
          expect(told(walker.scan(all))).toEqual([...inside, `${after} x`].sort());
          expect(told(walker.scan(all))).toEqual([]);
        }));
    }
  }

  it("does not look through a link that took the place of a folder", () =>
    inTempFolder((root) => {
      const tree = new Tree(root).file("w/src/in/a").file("other/in/a").file("other/in/b");
      const walker = walked(partsFor(`${root}/w`));
      tree.remove("w/src").link("w/src", "../other");
      expect(told(walker.scan({ folders: ["src/in"] }))).toEqual(["link src"]);
      expect(told(walker.scan(all))).toEqual([]);
    }));

  it("reports again what is too young to be trusted", () =>
    inTempFolder((root) => {
      const tree = new Tree(root).file("a");
      let now = lstatSync(`${root}/a`).ctimeMs + 10;
      const walker = walked(partsFor(root, { now: () => now }));
      expect(told(walker.scan(all))).toEqual(["file a"]);
      tree.file("b");
      now += 1000;
      expect(told(walker.scan(all))).toEqual(["file a", "file b"]);
      expect(told(walker.scan(all))).toEqual([]);
    }));

  it("believes the capture about what was read", () =>
    inTempFolder((root) => {
      const tree = new Tree(root).file("f/a").file("f/b");
      const walker = walked(partsFor(root));
      tree.file("f/a", "longer than before");
      const stat = realWorkspaceDisk.stat(`${root}/f/a`);
      walker.learn("f/a", stat && signatureOf(stat));
      expect(told(walker.scan(all))).toEqual([]);
      walker.learn("f/b", undefined);
      walker.learn("f/unknown", undefined);
      expect(told(walker.scan(all))).toEqual(["file f/b"]);
      walker.learn("f/b", stat && signatureOf(stat), (stat?.changedAt ?? 0) + 1);
      expect(told(walker.scan(all))).toEqual(["file f/b"]);
    }));

  it("goes as deep as paths can", () =>
    inTempFolder((root) => {
      const deep = Array.from({ length: 300 }, () => "d").join("/");
      new Tree(root).file(`${deep}/file`);
      const walker = new Walker(partsFor(root));
      expect(walker.scan(all).found).toHaveLength(302);
      expect(walker.scan(all).found).toEqual([]);
    }));

  it("refuses a workspace that is gone", () =>
    inTempFolder((root) => {
      new Tree(root).folder("w");
      const walker = walked(partsFor(`${root}/w`));
      new Tree(root).remove("w");
      expect(() => walker.scan(all)).toThrow(expect.objectContaining({ code: "WORKSPACE_UNUSABLE" }));
      expect(() => walked(partsFor(`${root}/w`))).toThrow(
        expect.objectContaining({ code: "WORKSPACE_UNUSABLE" }),
      );
    }));
});

describe("walking where the caller says", () => {
  it("looks at these folders, new ones with all they hold, and not below", () =>
    inTempFolder((root) => {
      const tree = new Tree(root).file("a/x").file("a/b/y").file("c/z");
      const walker = walked(partsFor(root));
      tree.file("a/x", "changed").file("a/b/y", "changed").file("c/z", "changed").file("a/new/deep/file");
      tree.chmod("a/b", 0o700).remove("a/b/y");
      const scanned = told(walker.scan({ folders: ["a"] }));
      expect(scanned).toEqual([
        "file a/new/deep/file",
        "file a/x",
        "folder a/b",
        "folder a/new",
        "folder a/new/deep",
        "gone a/b/y",
      ]);
      expect(told(walker.scan(all))).toEqual(["file c/z"]);
    }));

  it("looks at single files, known or new or gone, alone", () =>
    inTempFolder((root) => {
      const tree = new Tree(root).file("a/b").file("a/c").file("a/d");
      const walker = walked(partsFor(root));
      tree.file("a/b", "changed").file("a/d", "changed").file("a/aa").file("new/folder/file").remove("a/c");
      const folders = ["a/b", "a/c", "a/aa", "a/nothing", "new/folder/file"];
      expect(told(walker.scan({ folders }))).toEqual([
        "file a/aa",
        "file a/b",
        "file new/folder/file",
        "folder new",
        "folder new/folder",
        "gone a/c",
      ]);
      expect(told(walker.scan(all))).toEqual(["file a/d"]);
    }));
});
