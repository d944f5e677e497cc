import { describe, expect, it } from "vitest";
import type { ObjectsFault, SnapshotObject } from "../../../src/ports/snapshot-objects.ts";
import { pathOfText } from "../../../src/record/files.ts";
import type { SnapshotId } from "../../../src/record/ids.ts";
import {
  CheckingObjects,
  type CheckLimits,
  TreeSizes,
} from "../../../src/snapshots/exchange/check-objects.ts";
import { excessOf } from "../../../src/snapshots/objects/object.ts";
import { objectsFault } from "../../../src/strings/en/errors/exchange.ts";
import {
  diamond,
  nested,
  type RawEntry,
  rawContent,
  rawFolder,
  rawSnapshot,
} from "../../support/raw-objects.ts";

const content = rawContent("x");
const file = (name: string, mode = 0o644): RawEntry => ({ kind: "file", name, mode, hash: content.hash });

/** The fault of a snapshot made of these objects; undefined if it is accepted. */
function faultOf(
  { root, objects }: { readonly root: string; readonly objects: readonly SnapshotObject[] },
  limits: Partial<CheckLimits> = {},
): string | undefined {
  const check = new CheckingObjects(limits);
  const snapshot = rawSnapshot(root);
  for (const object of [...objects, snapshot]) {
    const fault = check.object(object);
    if (fault !== undefined) return objectsFault(fault);
  }
  return textOf(check.finish([snapshot.hash as string as SnapshotId]));
}

function textOf(fault: ObjectsFault | undefined): string | undefined {
  return fault && objectsFault(fault);
}

function faultOfFolder(entries: readonly RawEntry[], count?: number): string | undefined {
  const folder = rawFolder(entries, count);
  return faultOf({ root: folder.hash, objects: [content, folder] });
}

describe("checking foreign objects", () => {
  it("takes a folder with a file in it, a sticky folder and one that hands on its group", () => {
    expect(faultOfFolder([file("a")])).toBeUndefined();
    const inner = rawFolder([file("a")]);
    const outer = rawFolder([
      { kind: "folder", name: "group", mode: 0o2775, hash: inner.hash },
      { kind: "folder", name: "sticky", mode: 0o1777, hash: inner.hash },
    ]);
    expect(faultOf({ root: outer.hash, objects: [content, inner, outer] })).toBeUndefined();
  });

  it("takes folders as deep as a capture can find them, and none that lie deeper", () => {
    expect(faultOf(nested(2_000))).toBeUndefined();
    expect(faultOf(nested(2_048))).toContain("a path longer than 4,095 bytes");
    expect(faultOf(nested(20, "d".repeat(250)))).toContain("a path longer than 4,095 bytes");
    expect(faultOf(nested(20_000))).toContain("a path longer than 4,095 bytes");
  });

  it("counts the paths of a snapshot without walking them", () => {
    expect(faultOf(diamond(20))).toBeUndefined();
    expect(faultOf(diamond(60))).toContain("more than 5,000,000 paths");
    expect(faultOf(diamond(1_500))).toContain("more than 5,000,000 paths");
  });

  it("does so whether folders come before or after their contents", () => {
    const { root, objects } = diamond(60);
    expect(faultOf({ root, objects: objects.toReversed() })).toContain("more than 5,000,000 paths");
    const deep = nested(3_000);
    expect(faultOf({ ...deep, objects: deep.objects.toReversed() })).toContain("4,095 bytes");
  });

  it("refuses folders that hold each other", () => {
    const sizes = new TreeSizes();
    for (const [folder, below] of [
      [1, 2],
      [2, 3],
      [3, 1],
    ] as const) {
      sizes.begin(folder);
      sizes.addFolder(1, below);
    }
    expect([...sizes.ofAll()].map((size) => excessOf(size))).toEqual([{ of: "path-bytes", most: 4_095 }]);
  });

  it("refuses a folder of too many entries before it reads them, also where it only says so", () => {
    expect(faultOfFolder([file("a")], 5_000_000)).toContain("more than 1,000,000 entries");
    const many = rawFolder(Array.from({ length: 12 }, (_, at) => file(String.fromCharCode(97 + at))));
    expect(faultOf({ root: many.hash, objects: [content, many] }, { folderEntries: 11 })).toContain(
      "more than 11 entries",
    );
  });

  it("refuses a folder or a snapshot of too many bytes before it is even hashed", () => {
    const check = new CheckingObjects();
    const bytes = Buffer.alloc(64 * 1024 * 1024 + 1);
    expect(textOf(check.object({ ...rawFolder([]), bytes }))).toBe(
      "a folder takes up 67,108,865 bytes; the limit is 67,108,864",
    );
    const snapshot = rawSnapshot(rawFolder([]).hash, "w".repeat(70_000));
    expect(textOf(check.object(snapshot))).toContain("the limit is 65,536");
  });

  it("refuses more objects, and more folders in folders, than it has room for", () => {
    expect(faultOf(nested(30), { objects: 20 })).toBe("it names more than 20 objects");
    expect(faultOf(diamond(30), { foldersNamed: 20 })).toBe("its folders name more than 20 folders");
    const check = new CheckingObjects({ objects: 2 });
    const faults = ["a", "b", "c"].map((text) => textOf(check.absent(rawContent(text).hash)));
    expect(faults).toEqual([undefined, undefined, "it names more than 2 objects"]);
  });

  it.each([
    ".GIT",
    ".Git",
    ".git ",
    ".git.",
    ".git . .",
    "GIT~1",
    "git~1 ",
    ".git::$INDEX_ALLOCATION",
    ".git\\hooks",
    ".g\u200cit",
    "\ufeff.git",
    ".gi\u202et",
    ".gi\u00adt",
    ".\u{e0100}git",
    "．git",
  ])("refuses %j, which is .git somewhere", (name) => {
    expect(faultOfFolder([file(pathOfText(name))])).toContain("some file systems treat as .git");
    const inner = rawFolder([file("a")]);
    const outer = rawFolder([{ kind: "folder", name: pathOfText(name), hash: inner.hash }]);
    expect(faultOf({ root: outer.hash, objects: [content, inner, outer] })).toContain(
      "some file systems treat as .git",
    );
    expect(faultOfFolder([{ kind: "link", name: pathOfText(name), target: "x" }])).toContain("treat as .git");
  });

  it.each([".gitignore", ".github", "git", "git~2", ".gitt", "a.git", ".git-credentials", "\xe9\xff.git"])(
    "takes %j",
    (name) => {
      expect(faultOfFolder([file(name)])).toBeUndefined();
    },
  );

  it.each([
    ["a program with the rights of its owner", [file("a", 0o4755)], "setuid or setgid"],
    ["a program with the rights of its group", [file("a", 0o2755)], "setuid or setgid"],
    ["a mode beyond twelve bits", [file("a", 0o10644)], "a mode is invalid"],
    [".git itself", [file(".git")], "it contains an entry named .git"],
    ["a name with a slash", [file("a/b")], "a file name is invalid"],
    ["a name with a zero byte", [file("a\0b")], "a file name is invalid"],
    ["an empty name", [file("")], "a file name is invalid"],
    ["a name of one dot", [file(".")], "a file name is invalid"],
    ["a name of two dots", [file("..")], "a file name is invalid"],
    ["a name twice", [file("a"), file("a")], "not in order"],
    ["names in no order", [file("b"), file("a")], "not in order"],
    ["a name beyond any", [file("n".repeat(1_025))], "a name is longer than 1,024 bytes"],
    ["a target beyond any", [{ kind: "link", name: "l", target: "t".repeat(4_096) }], "a link's target"],
    ["an entry of no known kind", [{ kind: "raw", bytes: Buffer.of(9, 1, 97) }], "an unknown kind"],
    ["half an entry", [{ kind: "raw", bytes: Buffer.of(1, 1) }], "truncated"],
    ["a name longer than the folder", [{ kind: "raw", bytes: Buffer.of(1, 0xff, 0xff, 0x7f) }], "truncated"],
    ["bytes behind its entries", [file("a"), { kind: "raw", bytes: Buffer.of(0) }], "BEHIND"],
  ] as [string, RawEntry[], string][])("refuses a folder with %s", (_what, entries, words) => {
    const [at, expected] = words === "BEHIND" ? [1, "data after its end"] : [entries.length, words];
    expect(faultOfFolder(entries, at)).toContain(expected);
  });

  it("refuses a folder that is a setuid one, a root that is a file, and a workspace with such a mode", () => {
    const inner = rawFolder([file("a")]);
    const outer = rawFolder([{ kind: "folder", name: "d", mode: 0o4755, hash: inner.hash }]);
    expect(faultOf({ root: outer.hash, objects: [content, inner, outer] })).toContain("setuid");
    expect(faultOf({ root: content.hash, objects: [content] })).toBe("a folder in a snapshot is missing");
    const check = new CheckingObjects();
    expect(textOf(check.object(rawSnapshot(inner.hash, "/w", 0o4755)))).toContain("setuid");
  });
});
