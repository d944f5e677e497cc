import { describe, expect, it } from "vitest";
import { joinFindings } from "../../../src/snapshots/finding/findings.ts";
import { joinManifests, manifestHeader } from "../../../src/snapshots/finding/manifest.ts";
import { Walker, type WalkerOptions } from "../../../src/snapshots/finding/walker.ts";
import { inTempFolder } from "../../../src/testing/temp-folder.ts";
import { partsFor, Tree, told, walked } from "./workspace-tree.ts";

const all = { folders: "all" } as const;

function load(bytes: Buffer | undefined, parts: WalkerOptions, share = { part: 0, of: 1 }): Walker {
  const loaded = bytes === undefined ? undefined : Walker.load(bytes, parts, share);
  if (loaded === undefined) throw new Error("refused");
  return loaded.walker;
}

function plant(root: string): Tree {
  const tree = new Tree(root).file("a/b/c").file("a/\xff\n").file("d/e/f").folder("empty").file("g");
  return tree.link("link", "g").file(".git/x").file("d/node_modules/y");
}

describe("a manifest", () => {
  it("holds everything that a walker remembers", () =>
    inTempFolder((root) => {
      const tree = plant(root);
      const parts = partsFor(root);
      const before = walked(parts);
      const bytes = before.save("mine ü");
      expect(manifestHeader(bytes)).toBe("mine ü");
      const loaded = Walker.load(bytes, parts);
      expect(loaded?.header).toBe("mine ü");
      expect(loaded?.walker.statistics).toEqual(before.statistics);
      expect(loaded?.walker.save("mine ü")).toEqual(bytes);
      tree.file("a/b/c", "changed").remove("d/e");
      expect(loaded && told(loaded.walker.scan(all))).toEqual(["file a/b/c", "gone d/e"]);
    }));

  it("doubts after loading what was doubted before", () =>
    inTempFolder((root) => {
      plant(root);
      const parts = partsFor(root);
      const walker = walked(parts);
      walker.learn("g", undefined);
      expect(told(load(walker.save(""), parts).scan(all))).toEqual(["file g"]);
    }));

  it("is refused when a single bit is wrong, when it is cut, and when the limits are others", () =>
    inTempFolder((root) => {
      plant(root);
      const parts = partsFor(root);
      const bytes = walked(parts).save("header");
      for (let at = 0; at < bytes.length; at += 37) {
        const damaged = Buffer.from(bytes);
        damaged[at] = (damaged[at] ?? 0) ^ 4;
        expect(Walker.load(damaged, parts)).toBeUndefined();
        expect(Walker.load(bytes.subarray(0, at), parts)).toBeUndefined();
      }
      expect(manifestHeader(Buffer.from("no manifest"))).toBeUndefined();
      expect(Walker.load(bytes, partsFor(root, { limits: { maxFileBytes: 5 } }))).toBeUndefined();
      expect(joinManifests([bytes, bytes.subarray(1)], "")).toBeUndefined();
    }));

  it("can begin anywhere in memory", () =>
    inTempFolder((root) => {
      plant(root);
      const parts = partsFor(root);
      const moved = Buffer.concat([Buffer.from("odd"), walked(parts).save("")]).subarray(3);
      expect(told(load(moved, parts).scan(all))).toEqual([]);
    }));
});

describe("walkers that share a workspace", () => {
  for (const of of [2, 3, 7]) {
    it(`find, ${of} of them, what one would find, and forget nothing when joined`, () =>
      inTempFolder((root) => {
        const tree = plant(root);
        const parts = partsFor(root);
        const bytes = walked(parts).save("");
        const shares = Array.from({ length: of }, (_, part) => load(bytes, parts, { part, of }));
        const folders = shares.reduce((sum, walker) => sum + walker.statistics.folders, 0);
        expect(folders).toBe(walked(parts).statistics.folders);
        tree.file("a/b/c", "changed").remove("d/e").file("d/e", "now a file").file("d/new/x").remove("empty");
        const found = joinFindings(shares.map((walker) => walker.scan(all)));
        expect(told(found)).toEqual(["file a/b/c", "file d/e", "file d/new/x", "folder d/new", "gone empty"]);
        expect(found.unsettled).toEqual([]);
        const saved = shares.map((walker) => walker.save(""));
        const joined = load(joinManifests(saved, "joined"), parts);
        expect(told(joined.scan(all))).toEqual([]);
        expect(joined.statistics).toEqual(walked(parts).statistics);
      }));
  }

  it("divide a first walk between them", () =>
    inTempFolder((root) => {
      const tree = plant(root).file("h/i/j").files("ignored/few", 3).file(".gitignore", "ignored");
      const parts = partsFor(root);
      const top = new Walker(parts);
      const { findings, waiting } = top.walkTop(3);
      const other = new Walker(parts);
      const found = joinFindings([
        findings,
        top.walkNew(waiting.slice(1)),
        other.walkNew(waiting.slice(0, 1)),
      ]);
      expect(waiting).toHaveLength(4);
      expect(told(found)).toEqual(told(new Walker(parts).scan(all)));
      expect(told(joinFindings([top.scan(all), other.scan(all)]))).toEqual([]);
      tree.remove("a").link("a", "d").file("h/i/j", "changed");
      expect(told(joinFindings([top.scan(all), other.scan(all)]))).toEqual(["file h/i/j", "link a"]);
      const joined = load(joinManifests([top.save(""), other.save("")], ""), parts);
      expect(told(joined.scan(all))).toEqual([]);
    }));

  it("say when rules have changed above what another one owns", () =>
    inTempFolder((root) => {
      const tree = new Tree(root).files("a/x", 5).files("b/x", 5);
      const parts = partsFor(root, { limits: { maxIgnoredFiles: 3 } });
      const bytes = walked(parts).save("");
      const shares = [0, 1].map((part) => load(bytes, parts, { part, of: 2 }));
      tree.file(".gitignore", "x\n");
      const found = joinFindings(shares.map((walker) => walker.scan(all)));
      expect(found.unsettled).toEqual([""]);
      const saved = shares.map((walker) => walker.save(""));
      const joined = load(joinManifests(saved, ""), parts);
      const rest = joined.scan({ folders: [], decideAnew: found.unsettled });
      expect([...told(found), ...told(rest)].sort()).toEqual([
        "file .gitignore",
        "left-out (ignored) a/x",
        "left-out (ignored) b/x",
      ]);
    }));

  it("find a folder again that one of them has missed for a moment", () =>
    inTempFolder((root) => {
      const tree = new Tree(root).files("a/x", 5).files("b/x", 5);
      const parts = partsFor(root);
      const bytes = walked(parts).save("");
      const [first, second] = [0, 1].map((part) => load(bytes, parts, { part, of: 2 }));
      tree.rename("b", "c");
      // Only one of the two walkers scans while the folder is away.
      expect(second && told(second.scan(all))).toEqual([]);
      tree.rename("c", "b").file("b/x/file-0", "changed");
      const again = joinFindings([first, second].flatMap((walker) => (walker ? [walker.scan(all)] : [])));
      expect(told(again)).toContain("file b/x/file-0");
    }));
});
