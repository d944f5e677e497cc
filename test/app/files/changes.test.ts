import { describe, expect, it } from "vitest";
import {
  type ChangeSummary,
  countChangedFiles,
  countLines,
  summariseChanges,
} from "../../../src/app/files/changes.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import type { FileState, PathChange } from "../../../src/record/files.ts";
import type { ObjectHash, SnapshotId } from "../../../src/record/ids.ts";
import { changeLines } from "../../../src/show/change-text.ts";
import { stringsFor } from "../../../src/strings/strings.ts";

const bytes = (text: string) => Buffer.from(text, "utf8");
const file = (text: string, mode = 0o644): FileState => ({
  kind: "file",
  mode,
  size: text.length,
  hash: text as ObjectHash,
});
const folder = (mode = 0o755): FileState => ({ kind: "folder", mode, hash: "f" as ObjectHash });
/** In this test, a file's hash is its content. */
const files = { content: async (hash: ObjectHash) => bytes(hash) };

describe("counting lines", () => {
  it.each([
    ["a\nb\n", "a\nc\nd\n", { added: 2, removed: 1 }],
    ["", "a\n", { added: 1, removed: 0 }],
    ["a", "a\n", { added: 1, removed: 1 }],
    ["a\n", "a\n", { added: 0, removed: 0 }],
    ["a\u0000", "b", undefined],
  ])("from %j to %j is %j", (before, after, count) => {
    expect(countLines(bytes(before), bytes(after))).toEqual(count);
  });

  it("gives up on what is not UTF-8, huge, or entirely different", () => {
    expect(countLines(Buffer.of(0xff), bytes("a"))).toBeUndefined();
    expect(countLines(Buffer.alloc(3_000_000, "a\n"), bytes("a"))).toBeUndefined();
    const lines = (from: number) =>
      bytes(Array.from({ length: 5_000 }, (_, each) => `${from + each}\n`).join(""));
    expect(countLines(lines(0), lines(1_000_000))).toBeUndefined();
  });
});

type Ends = [before: FileState | undefined, after: FileState | undefined];

describe("a summary of changes", () => {
  const summarise = async (before: FileState | undefined, after: FileState | undefined) =>
    (await summariseChanges([{ path: "p", before, after }], files))[0];

  it.each<[string, Ends, Omit<ChangeSummary, "path">]>([
    [
      "a new file",
      [undefined, file("a\n")],
      { what: "created", kind: "file", sizes: { after: 2 }, lines: { added: 1, removed: 0 } },
    ],
    ["a new folder", [undefined, folder()], { what: "created", kind: "folder" }],
    [
      "a folder's mode",
      [folder(), folder(0o700)],
      { what: "mode", kind: "folder", modes: { before: 0o755, after: 0o700 } },
    ],
    ["a link", [undefined, { kind: "link", target: "x" }], { what: "created", kind: "link" }],
    [
      "a file for a folder",
      [folder(), file("a\n")],
      {
        what: "kind",
        kind: "file",
        sizes: { after: 2 },
        modes: { before: 0o755, after: 0o644 },
        lines: { added: 1, removed: 0 },
      },
    ],
    [
      "what is not covered",
      [file("a\n"), { kind: "left-out", why: "too-large" }],
      { what: "uncovered", kind: "file", why: "too-large" },
    ],
  ])("says of %s what it is", async (_title, [before, after], summary) => {
    expect(await summarise(before, after)).toEqual({ path: "p", ...summary });
  });

  it("has no line counts if contents are gone, or if there are too many", async () => {
    const gone = {
      content: async () => {
        throw new WorldlineError("stated", { code: "SNAPSHOT_MISSING", message: "gone" });
      },
    };
    const change = { path: "p", before: undefined, after: file("a\n") };
    const without = { path: "p", what: "created", kind: "file", sizes: { after: 2 } };
    expect(await summariseChanges([change], gone)).toEqual([without]);
    expect(await summariseChanges([change, change], files, 1)).toEqual([
      { ...without, lines: { added: 1, removed: 0 } },
      without,
    ]);
  });

  it("is cut with a count", () => {
    const many = Array.from(
      { length: 45 },
      (_, each): ChangeSummary => ({ path: `${each}`, what: "created", kind: "file" }),
    );
    const lines = changeLines(many, stringsFor("en"));
    expect([lines.length, lines.at(-1)]).toEqual([41, "  and 5 more; --json lists all of them"]);
  });
});

describe("counting changed files", () => {
  const left: FileState = { kind: "left-out", why: "unreadable" };
  it.each<[string, PathChange, number]>([
    ["a file that was created", { path: "a", before: undefined, after: file("a") }, 1],
    ["a mode of a file", { path: "a", before: file("a"), after: file("a", 0o755) }, 1],
    ["a link that was removed", { path: "a", before: { kind: "link", target: "b" }, after: undefined }, 1],
    ["a folder in place of a file", { path: "a", before: file("a"), after: folder() }, 1],
    ["a folder that was created", { path: "a", before: undefined, after: folder() }, 0],
    ["a mode of a folder", { path: "a", before: folder(), after: folder(0o700) }, 0],
    ["a folder that cannot be read now", { path: "a", before: folder(), after: left }, 0],
  ])("takes %s as it is", async (_, change, count) => {
    const compared = { compare: async () => [change] };
    expect(await countChangedFiles(compared, "s1" as SnapshotId, "s2" as SnapshotId)).toBe(count);
  });

  it("leaves out the contents of a folder that one of the two snapshots could not read", async () => {
    const changes = [
      { path: "a", before: folder(), after: left },
      { path: "a/b", before: file("b"), after: undefined },
    ];
    const compared = { compare: async () => changes };
    expect(await countChangedFiles(compared, "s1" as SnapshotId, "s2" as SnapshotId)).toBe(0);
  });
});
