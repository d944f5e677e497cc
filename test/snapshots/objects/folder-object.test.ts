import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isWorldlineError } from "../../../src/record/error.ts";
import { type FileState, isFailure, type PathBytes } from "../../../src/record/files.ts";
import type { ObjectHash } from "../../../src/record/ids.ts";
import type { Folder } from "../../../src/snapshots/objects/tree-objects.ts";
import {
  decodeFolder,
  encodeFolder,
  entryNamed,
  type FolderEntry,
  folderWith,
} from "../../../src/snapshots/objects/tree-objects.ts";
import {
  anyFile,
  anyFolderState,
  anyLeftOut,
  anyLink,
  anyName,
  fileOf,
  hashOf,
} from "../arbitrary-states.ts";

const anyEntry: fc.Arbitrary<FolderEntry> = fc
  .tuple(anyName, fc.oneof(anyFile, anyFolderState, anyLink, anyLeftOut), fc.nat(1_000_000))
  .map(([name, state, failures]) => ({ name, state, failures: failuresIn(state, failures) }));

const anyFolder: fc.Arbitrary<Folder> = fc
  .uniqueArray(anyEntry, { selector: (entry) => entry.name, maxLength: 20 })
  .map((entries) => folderWith(entries.sort((a, b) => (a.name < b.name ? -1 : 1))));

function failuresIn(state: FileState, below: number): number {
  if (state.kind === "folder") return below;
  return state.kind === "left-out" && isFailure(state.why) ? 1 : 0;
}

function folder(...entries: [name: PathBytes, state: FileState, failures?: number][]): Folder {
  return folderWith(
    entries.map(([name, state, failures = 0]) => ({ name, state, failures: failuresIn(state, failures) })),
  );
}

const refused = expect.objectContaining({ code: "SNAPSHOT_DAMAGED" });

/** A hand-made folder with one entry: version, failures, count, kind, name, and the rest. */
function handMade(kind: number, name: string, rest: readonly number[]): Buffer {
  return Buffer.from([1, 0, 1, kind, name.length, ...Buffer.from(name, "latin1"), ...rest]);
}
const fileRest = [0xa4, 3, 5, ...Buffer.alloc(32, 7)];

describe("a folder's bytes", () => {
  it("are compact: a file takes its name and forty bytes", () => {
    expect(encodeFolder(folder(["a", { ...fileOf("12345"), hash: "07".repeat(32) as ObjectHash }]))).toEqual(
      handMade(1, "a", fileRest),
    );
  });

  it("say how many failures there are before anything else", () => {
    const partial = folder(
      ["a", { kind: "folder", mode: 0o755, hash: hashOf("a") }, 300],
      ["b", { kind: "left-out", why: "unreadable" }],
      ["c", { kind: "left-out", why: "ignored" }],
    );
    expect(partial.failures).toBe(301);
    expect([...encodeFolder(partial).subarray(0, 4)]).toEqual([1, 0xad, 0x02, 3]);
  });

  it("law: are read back equal, whatever the names", () => {
    fc.assert(
      fc.property(anyFolder, (any) => {
        expect(decodeFolder(encodeFolder(any))).toEqual(any);
      }),
    );
  });

  it("law: cut short or with one byte changed, are refused or the bytes of another folder", () => {
    fc.assert(
      fc.property(anyFolder, fc.nat(), fc.nat(255), (any, at, value) => {
        const bytes = encodeFolder(any);
        expect(() => decodeFolder(bytes.subarray(0, at % bytes.length))).toThrow(refused);
        const changed = Buffer.from(bytes);
        changed[at % bytes.length] = value;
        expectRefusedOrCanonical(changed);
      }),
    );
  });

  it("law: if they are any bytes at all, are refused with our own error or the bytes of a folder", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expectRefusedOrCanonical(bytes);
        expectRefusedOrCanonical(Buffer.concat([Buffer.from([1, 0]), bytes]));
      }),
    );
  });

  it.each([
    ["nothing", Buffer.alloc(0)],
    ["no version", Buffer.from([0, 0, 0])],
    ["a number that is longer than it need be", Buffer.from([1, 0x80, 0, 0])],
    ["a number without an end", Buffer.from([1, ...Buffer.alloc(12, 0xff)])],
    ["a number over 53 bits", Buffer.from([1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1f])],
    ["bytes behind the last entry", Buffer.from([1, 0, 0, 0])],
    ["an empty name", handMade(1, "", fileRest)],
    ["a name with a slash", handMade(1, "a/b", fileRest)],
    ["a name with NUL", handMade(1, "a\0", fileRest)],
    ["the name of the folder itself", handMade(1, ".", fileRest)],
    ["the name of the folder above", handMade(1, "..", fileRest)],
    ["a .git that is a file", handMade(1, ".git", fileRest)],
    ["a .git that is a link", handMade(3, ".git", [1, 0x61])],
    ["a link whose target holds NUL", handMade(3, "a", [1, 0])],
    ["a mode of more than twelve bits", handMade(1, "a", [0x80, 0x20, 5, ...Buffer.alloc(32)])],
    ["a hash that is cut short", handMade(1, "a", fileRest.slice(0, -1))],
    ["an unknown kind", handMade(9, "a", fileRest)],
    ["an unknown reason", handMade(4, "a", [7])],
    ["a failure that the header does not count", handMade(4, "a", [5])],
  ])("are refused with %s", (_, bytes) => {
    expect(() => decodeFolder(bytes)).toThrow(refused);
  });

  it.each([
    ["names that are not in order", folder(["b", fileOf("1")], ["a", fileOf("2")])],
    ["a name twice", folder(["a", fileOf("1")], ["a", fileOf("2")])],
    ["a .git that is a folder", folder([".git", { kind: "folder", mode: 0o755, hash: hashOf("a") }])],
    ["a name that is not bytes", folder(["\u0107", fileOf("1")])],
    ["a hash that is none", folder(["a", { ...fileOf("1"), hash: "ab" as ObjectHash }])],
    ["a hash that is not hex", folder(["a", { ...fileOf("1"), hash: "z".repeat(64) as ObjectHash }])],
    ["a size that is none", folder(["a", { ...fileOf("1"), size: -1 }])],
    ["a mode that is none", folder(["a", fileOf("1", 0o10000)])],
    ["failures that do not add up", { ...folder(["a", fileOf("1")]), failures: 1 }],
  ])("are not written with %s", (_, wrong) => {
    expect(() => encodeFolder(wrong)).toThrow(refused);
  });

  it("may leave .git out", () => {
    const repository = folder([".git", { kind: "left-out", why: "git" }]);
    expect(decodeFolder(encodeFolder(repository))).toEqual(repository);
  });

  it("of a newer version are not damage", () => {
    expect(() => decodeFolder(Buffer.from([2, 0, 0]))).toThrow(
      expect.objectContaining({ code: "FORMAT_NEWER" }),
    );
  });
});

describe("an entry", () => {
  it("law: is found by its name, and nothing by any other", () => {
    fc.assert(
      fc.property(anyFolder, anyName, (any, name) => {
        for (const entry of any.entries) expect(entryNamed(any, entry.name)).toBe(entry);
        expect(entryNamed(any, name)).toBe(any.entries.find((entry) => entry.name === name));
      }),
    );
  });
});

function expectRefusedOrCanonical(bytes: Uint8Array): void {
  let read: Folder;
  try {
    read = decodeFolder(bytes);
  } catch (error) {
    expect(isWorldlineError(error)).toBe(true);
    return;
  }
  expect(encodeFolder(read)).toEqual(Buffer.from(bytes));
}
