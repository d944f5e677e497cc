import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/record/entry.ts";
import {
  type FileState,
  folderOf,
  isFailure,
  isSameState,
  isWithin,
  type LeftOut,
  outsideOf,
  pathIn,
  pathOfText,
  shownPath,
  textOfPath,
} from "../../src/record/files.ts";
import type { ObjectHash } from "../../src/record/ids.ts";
import { blobsOf } from "../../src/record/shape.ts";
import { Story } from "../../src/testing/testing.ts";

describe("a path in bytes", () => {
  it.each<[string, string | undefined, string]>([
    ["src/pool.ts", "src/pool.ts", "src/pool.ts"],
    ["", "", ""],
    ["\xc3\xa9", "é", "é"],
    ["a\xc3\xa9", "aé", "aé"],
    ["\xef\xbb\xbfa", "\ufeffa", "\ufeffa"],
    ["\xf0\x9f\x91\x8d", "👍", "👍"],
    ["a\xff\xc3b\x80", undefined, String.raw`a\xff\xc3b\x80`],
  ])("%j is the text %j, and is shown as %j", (path, text, shown) => {
    expect([textOfPath(path), shownPath(path)]).toEqual([text, shown]);
  });

  it("law: is the text that it was made of", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(textOfPath(pathOfText(text))).toBe(text);
      }),
    );
  });

  it("law: has the bytes of its text in UTF-8", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(Buffer.from(pathOfText(text), "latin1").equals(Buffer.from(text))).toBe(true);
      }),
    );
  });

  it.each([
    ["", "a", "a"],
    ["a", "b", "a/b"],
    ["a/b", "c", "a/b/c"],
  ])("in the folder %j with the name %j is %j", (folder, name, path) => {
    expect(pathIn(folder, name)).toBe(path);
    expect(folderOf(path)).toBe(folder);
  });

  it.each([
    ["a", "", true],
    ["", "", true],
    ["a", "a", true],
    ["a/b/c", "a", true],
    ["a/b/c", "a/b", true],
    ["ab", "a", false],
    ["a", "a/b", false],
    ["b/a/", "a", false],
    ["", "a", false],
  ])("%j lies within %j: %j", (path, above, within) => {
    expect(isWithin(path, above)).toBe(within);
  });
});

describe("what is left out of a snapshot", () => {
  const reasons: Readonly<Record<LeftOut, boolean>> = {
    ignored: false,
    "too-large": false,
    git: false,
    "own-store": false,
    special: false,
    unreadable: true,
    changing: true,
    "path-too-long": true,
  };

  it.each(Object.entries(reasons))("because it is %s makes the snapshot partial: %j", (why, failure) => {
    expect(isFailure(why as LeftOut)).toBe(failure);
  });
});

const hash = (digit: string) => digit.repeat(64) as ObjectHash;

describe("the state of a path", () => {
  /** Every two of these states differ, even where they have fields in common. */
  const states: readonly (FileState | undefined)[] = [
    undefined,
    { kind: "file", mode: 0o644, size: 1, hash: hash("1") },
    { kind: "file", mode: 0o755, size: 1, hash: hash("1") },
    { kind: "file", mode: 0o644, size: 1, hash: hash("2") },
    { kind: "folder", mode: 0o644, hash: hash("1") },
    { kind: "folder", mode: 0o755, hash: hash("1") },
    { kind: "link", target: "a" },
    { kind: "link", target: "b" },
    { kind: "left-out", why: "git" },
    { kind: "left-out", why: "special" },
  ];

  it.each(states.map((state) => [state]))("%j is the same only as itself", (state) => {
    const copies = states.map((each) => (each === undefined ? each : { ...each }));
    expect(states.filter((_each, at) => isSameState(state, copies[at]))).toEqual([state]);
  });

  it("is the same for folders with different contents", () => {
    expect(
      isSameState(
        { kind: "folder", mode: 0o755, hash: hash("1") },
        { kind: "folder", mode: 0o755, hash: hash("2") },
      ),
    ).toBe(true);
  });
});

describe("the changes of files that no snapshot covers", () => {
  const outside = [{ path: "/a" }];
  const entry = (fields: object) => ({ ...new Story().begin(), ...fields }) as unknown as Entry;

  it.each(["tool-end", "backtrack", "rewind", "redo"])(
    "are those that an entry of kind %s records",
    (kind) => {
      expect(outsideOf(entry({ kind, outside }))).toBe(outside);
      expect(outsideOf(entry({ kind }))).toEqual([]);
    },
  );

  it.each([5, "", [null], outside])("are none in a field of the same name in another kind: %j", (value) => {
    expect(blobsOf(entry({ kind: "title", title: "Pool", outside: value }))).toEqual([]);
    expect(outsideOf(entry({ kind: "title", title: "Pool", outside: value }))).toEqual([]);
  });
});
