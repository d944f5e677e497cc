import { describe, expect, it } from "vitest";
import {
  type ChangeSummary,
  changedCounts,
  countChangedFiles,
  countLines,
  diffOf,
  linesTextOf,
  type PathDiff,
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
const link = (target = "x"): FileState => ({ kind: "link", target });
const leftOut: FileState = { kind: "left-out", why: "too-large" };
const folder = (mode = 0o755): FileState => ({ kind: "folder", mode, hash: "f" as ObjectHash });
/** In this test, a file's hash is its content. */
const files = { content: async (hash: ObjectHash) => bytes(hash) };

describe("counting lines", () => {
  const examples = [
    ["a\nb\n", "a\nc\nd\n", { added: 2, removed: 1 }],
    ["", "a\n", { added: 1, removed: 0 }],
    ["a", "a\n", { added: 1, removed: 1 }],
    ["a\n", "a\n", { added: 0, removed: 0 }],
    ["a\u0000", "b", undefined],
    ["b", "a\u0000", undefined],
    ["a\n", "\ufeffa\n", { added: 1, removed: 1 }],
  ] as const;

  it("finds the lines that were added and removed, unless one text is binary", () => {
    const counted = examples.map(([before, after]) => [
      before,
      after,
      countLines(bytes(before), bytes(after)),
    ]);
    expect(counted).toEqual(examples);
  });

  it("gives up on what is not UTF-8 or huge", () => {
    expect(countLines(Buffer.of(0xff), bytes("a"))).toBeUndefined();
    expect(countLines(Buffer.alloc(3_000_000, "a\n"), bytes("a"))).toBeUndefined();
  });

  it("gives up on texts with too many differences", () => {
    const lines = (from: number) =>
      bytes(Array.from({ length: 2_100 }, (_, each) => `${from + each}\n`).join(""));
    expect(countLines(lines(0), lines(1_000_000))).toBeUndefined();
  });
});

describe("the text of a file", () => {
  it.each<[string, Uint8Array, string | undefined]>([
    ["with a byte order mark includes it", bytes("\ufeffa"), "\ufeffa"],
    ["that is not UTF-8 cannot be shown", Buffer.of(0x61, 0xff), undefined],
    ["with a NUL at its beginning cannot be shown", Buffer.alloc(8_000, "a").fill(0, 7_999), undefined],
  ])("%s", (_, content, text) => {
    expect(linesTextOf(content)).toBe(text);
  });

  it("with a NUL after the part that Git checks can be shown, up to two mebibytes", () => {
    const late = Buffer.alloc(8_001, "a").fill(0, 8_000);
    expect(linesTextOf(late)).toBe(`${"a".repeat(8_000)}\0`);
    const largest = Buffer.alloc(2 * 1024 * 1024, "a");
    expect(linesTextOf(largest)?.length).toBe(largest.length);
    expect(linesTextOf(Buffer.alloc(largest.length + 1, "a"))).toBeUndefined();
  });
});

type Ends = [before: FileState | undefined, after: FileState | undefined];

describe("a summary of changes", () => {
  const summarise = async (before: FileState | undefined, after: FileState | undefined) =>
    (await summariseChanges([{ path: "p", before, after }], files))[0];

  const examples: readonly [string, Ends, Omit<ChangeSummary, "path">][] = [
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
    ["a link", [undefined, link()], { what: "created", kind: "link" }],
    ["a link's target", [link("x"), link("y")], { what: "changed", kind: "link" }],
    ["a removed folder", [folder(), undefined], { what: "deleted", kind: "folder" }],
    [
      "a removed file",
      [file("a\n"), undefined],
      { what: "deleted", kind: "file", sizes: { before: 2 }, lines: { added: 0, removed: 1 } },
    ],
    [
      "a file's content and mode",
      [file("a\n"), file("a\nbc\n", 0o600)],
      {
        what: "changed",
        kind: "file",
        sizes: { before: 2, after: 5 },
        modes: { before: 0o644, after: 0o600 },
        lines: { added: 1, removed: 0 },
      },
    ],
    [
      "a file's mode",
      [file("a\n"), file("a\n", 0o755)],
      { what: "mode", kind: "file", modes: { before: 0o644, after: 0o755 } },
    ],
    [
      "a link for a file",
      [file("a\n"), link()],
      { what: "kind", kind: "link", sizes: { before: 2 }, lines: { added: 0, removed: 1 } },
    ],
    [
      "a file that cannot be compared",
      [file("a\0"), file("b\0")],
      {
        what: "changed",
        kind: "file",
        sizes: { before: 2, after: 2 },
      },
    ],
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
    ["what is not covered", [file("a\n"), leftOut], { what: "uncovered", kind: "file", why: "too-large" }],
    ["what was not covered", [leftOut, file("a\n")], { what: "uncovered", kind: "file", why: "too-large" }],
    [
      "what was not covered and is gone",
      [leftOut, undefined],
      {
        what: "uncovered",
        kind: "file",
        why: "too-large",
      },
    ],
  ];

  it("says what each change is", async () => {
    const summaries = await Promise.all(
      examples.map(async ([title, [before, after]]) => [title, await summarise(before, after)]),
    );
    expect(summaries).toStrictEqual(examples.map(([title, , summary]) => [title, { path: "p", ...summary }]));
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

  it("hides no error that is not about the contents", async () => {
    const bug = new TypeError("broken");
    const broken = {
      content: async () => {
        throw bug;
      },
    };
    const change = { path: "p", before: undefined, after: file("a\n") };
    await expect(summariseChanges([change], broken)).rejects.toBe(bug);
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

describe("the difference in a path", () => {
  const examples: readonly [string, Ends, Omit<PathDiff, "path" | "before" | "after">][] = [
    [
      "a new file",
      [undefined, file("a\nb\n")],
      { contents: "lines", lines: ["@@ -0,0 +1,2 @@", "+a", "+b"] },
    ],
    ["a new empty file", [undefined, file("")], { contents: "lines", lines: [] }],
    [
      "a removed file",
      [file("a"), undefined],
      {
        contents: "lines",
        lines: ["@@ -1,1 +0,0 @@", "-a", "\\ No newline at end of file"],
      },
    ],
    ["a file for a link", [link(), file("a\n")], { contents: "lines", lines: ["@@ -0,0 +1,1 @@", "+a"] }],
    [
      "a line among others",
      [file("1\n2\n3\n4\n5\n6\n7\n8\n9\n"), file("1\n2\n3\n4\nfive\n6\n7\n8\n9\n")],
      {
        contents: "lines",
        lines: ["@@ -2,7 +2,7 @@", " 2", " 3", " 4", "-5", "+five", " 6", " 7", " 8"],
      },
    ],
    ["a mode", [file("a\n"), file("a\n", 0o755)], { contents: "same" }],
    ["a folder", [undefined, folder()], { contents: "same" }],
    ["a removed folder", [folder(), undefined], { contents: "same" }],
    ["a link", [link("x"), link("y")], { contents: "same" }],
    ["a binary file that became text", [file("\0"), file("a\n")], { contents: "no-lines" }],
    ["a text that became binary", [file("a\n"), file("\0")], { contents: "no-lines" }],
    [
      "texts that have nothing in common",
      [file(numbered(0)), file(numbered(10_000))],
      { contents: "no-lines" },
    ],
  ];

  it("has lines if both states are text", async () => {
    const diffs = await Promise.all(
      examples.map(async ([title, [before, after]]) => [
        title,
        await diffOf({ path: "p", before, after }, files),
      ]),
    );
    expect(diffs).toEqual(
      examples.map(([title, [before, after], diff]) => [title, { path: "p", before, after, ...diff }]),
    );
  });
});

function numbered(from: number): string {
  return Array.from({ length: 2_500 }, (_, each) => `${from + each}\n`).join("");
}

describe("counting changes", () => {
  it("counts files and links by what happened to them, and folders together", () => {
    const changes = (
      [
        [undefined, file("a")],
        [undefined, link()],
        [link(), undefined],
        [file("a"), file("b")],
        [file("a"), leftOut],
        [folder(), file("b")],
        [folder(), undefined],
        [undefined, folder()],
        [folder(), folder(0o700)],
      ] as const
    ).map(([before, after], each): PathChange => ({ path: `${each}`, before, after }));
    expect(changedCounts(changes)).toEqual({ created: 2, deleted: 1, changed: 3, folders: 3 });
    expect(changedCounts([])).toEqual({ created: 0, deleted: 0, changed: 0, folders: 0 });
  });
});

describe("counting changed files", () => {
  const left: FileState = { kind: "left-out", why: "unreadable" };
  const examples: readonly [string, PathChange, number][] = [
    ["a file that was created", { path: "a", before: undefined, after: file("a") }, 1],
    ["a mode of a file", { path: "a", before: file("a"), after: file("a", 0o755) }, 1],
    ["a link that was removed", { path: "a", before: { kind: "link", target: "b" }, after: undefined }, 1],
    ["a folder in place of a file", { path: "a", before: file("a"), after: folder() }, 1],
    ["a folder that was created", { path: "a", before: undefined, after: folder() }, 0],
    ["a mode of a folder", { path: "a", before: folder(), after: folder(0o700) }, 0],
    ["a folder that cannot be read now", { path: "a", before: folder(), after: left }, 0],
  ];

  it("counts files and links, whatever happened to them, and no folders", async () => {
    const counted = await Promise.all(
      examples.map(async ([title, change]) => {
        const compared = { compare: async () => [change] };
        return [title, change, await countChangedFiles(compared, "s1" as SnapshotId, "s2" as SnapshotId)];
      }),
    );
    expect(counted).toEqual(examples);
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
