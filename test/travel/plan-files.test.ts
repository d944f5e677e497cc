import { describe, expect, it } from "vitest";
import type { FileState, LeftOut, PathBytes, PathChange } from "../../src/record/files.ts";
import type { ObjectHash } from "../../src/record/ids.ts";
import type { ChangedDuring } from "../../src/travel/logged-files.ts";
import {
  type FilesPlan,
  type FilesRequest,
  type KeptWhy,
  keptOutcome,
  planFiles,
} from "../../src/travel/plan-files.ts";

const file = (content: string): FileState => ({
  kind: "file",
  mode: 0o644,
  size: content.length,
  hash: content as ObjectHash,
});
const folder: FileState = { kind: "folder", mode: 0o755, hash: "f" as ObjectHash };
const leftOutAs = (why: LeftOut): FileState => ({ kind: "left-out", why });
const leftOut = leftOutAs("too-large");
const change = (path: string, before?: FileState, after?: FileState): PathChange => ({ path, before, after });

function plan(changes: readonly PathChange[], request: Partial<FilesRequest> = {}): FilesPlan {
  return planFiles({ changes, outside: new Map(), guarded: new Set(), choice: "keep", ...request });
}

/** The steps of a plan, and what it keeps and why. */
function inShort({ steps, kept }: FilesPlan): readonly [done: readonly string[], kept: readonly string[]] {
  return [steps.map(({ path }) => path), kept.map(({ path, why }) => `${path}: ${why}`)];
}

const edited = (...paths: readonly string[]): Pick<FilesRequest, "outside"> => ({
  outside: new Map(paths.map((path) => [path, [{ before: file("old"), after: file("theirs") }]])),
});

describe("planning what happens to files", () => {
  const both = [change("a", file("now"), file("then")), change("b", file("now"), file("then"))];

  it("restores every path", () => {
    expect(plan(both)).toEqual({
      changes: both,
      steps: both,
      kept: [],
      during: [],
      conflicts: [],
      merges: [],
      merged: [],
    });
  });

  it("keeps outside changes, unless the choice is to take", () => {
    expect(inShort(plan(both, edited("a")))).toEqual([["b"], ["a: outside"]]);
    expect(inShort(plan(both, { ...edited("a"), choice: "take" }))).toEqual([["a", "b"], []]);
  });

  it("does not report a path as kept if it is gone and was never captured", () => {
    const gone = change("node_modules", undefined, { kind: "left-out", why: "ignored" });
    const there = change("node_modules", { kind: "left-out", why: "ignored" }, undefined);
    expect(inShort(plan([gone]))).toEqual([[], ["node_modules: never-captured"]]);
    expect(inShort(plan([there]))).toEqual([[], ["node_modules: not-captured"]]);
  });

  it("knows whether each conflict merges, and merges only if that is the choice", () => {
    const merged = new Map([
      ["a", file("both")],
      ["b", undefined],
    ]);
    const made = plan(both, { ...edited("a", "b"), choice: "take", merged });
    expect(made.conflicts.map(({ path, merge }) => [path, merge])).toEqual([
      ["a", "clean"],
      ["b", "unclean"],
    ]);
    expect([made.steps, made.merged]).toEqual([both, []]);
    expect(plan(both, { ...edited("a", "b"), choice: "merge", merged }).merged).toEqual(["a"]);
  });

  it("prefers the choice for one path to the choice for all", () => {
    const choices = new Map([["a", "take" as const]]);
    const made = plan(both, { ...edited("a", "b"), choices });
    expect(inShort(made)).toEqual([["a"], ["b: outside"]]);
    expect(made.conflicts.map(({ path, choice }) => [path, choice])).toEqual([
      ["a", "take"],
      ["b", "keep"],
    ]);
  });

  it("asks for merges, and applies their results", () => {
    const request = { ...edited("a", "b"), choice: "merge" } as const;
    const asked = plan(both, request);
    expect(asked.merges.map(({ path, target }) => [path, target])).toEqual([
      ["a", file("then")],
      ["b", file("then")],
    ]);
    expect(inShort(asked)).toEqual([[], ["a: unmerged", "b: unmerged"]]);
    const merged = new Map([
      ["a", file("merged")],
      ["b", undefined],
    ]);
    const made = plan(both, { ...request, merged });
    expect(made.steps).toEqual([change("a", file("now"), file("merged"))]);
    expect(inShort(made)[1]).toEqual(["b: unmerged"]);
    expect(made.merges).toEqual([]);
  });

  it("asks for merges only where there is an old content, and where they are wanted", () => {
    const changes = [...both, change("c", file("now"))];
    const choices = new Map([["b", "keep" as const]]);
    const asked = plan(changes, { ...edited("a", "b", "c"), choice: "merge", choices });
    expect(asked.merges.map(({ path }) => path)).toEqual(["a"]);
    expect(inShort(asked)[1]).toEqual(["a: unmerged", "b: outside", "c: unmerged"]);
  });

  it.each([
    ["untried for two files, until it is tried", file("now"), file("then"), "untried"],
    ["impossible for a file that does not exist now", undefined, file("then"), "unclean"],
    ["impossible for a file that did not exist", file("now"), undefined, "unclean"],
    ["impossible for a folder", folder, file("then"), "unclean"],
    ["impossible for a link", file("now"), { kind: "link", target: "x" } as const, "unclean"],
  ])("knows that a merge is %s", (_, before, after, merge) => {
    const merged = merge === "unclean" ? { merged: new Map([["a", file("both")]]) } : {};
    const { conflicts } = plan([change("a", before, after)], { ...edited("a"), ...merged });
    expect(conflicts.map((conflict) => conflict.merge)).toEqual([merge]);
  });

  it("restores what changed while a command ran, unless the user keeps it, and says so", () => {
    const calls = [{ call: "a", about: "npm test" }];
    const during = new Map<PathBytes, ChangedDuring>([
      ["a", { calls, sign: { sign: "read-only" } }],
      ["elsewhere", { calls }],
    ]);
    const made = plan(both, { during });
    expect(inShort(made)).toEqual([["a", "b"], []]);
    expect(made.during).toEqual([{ path: "a", calls, sign: { sign: "read-only" } }]);
    const choices = new Map([
      ["a", "keep" as const],
      ["b", "keep" as const],
    ]);
    expect(inShort(plan(both, { during, choices }))).toEqual([["b"], ["a: chosen"]]);
    expect(inShort(plan(both, { choices }))).toEqual([["a", "b"], []]);
    const taken = new Map([["a", "take" as const]]);
    expect(inShort(plan(both, { during, choices: taken }))).toEqual([["a", "b"], []]);
  });

  it("has nothing to do if the merge equals the present content", () => {
    const merged = new Map([["a", file("now")]]);
    const made = plan(both.slice(0, 1), { ...edited("a"), choice: "merge", merged });
    expect(inShort(made)).toEqual([[], []]);
  });

  it("does not touch what was not captured, nor anything below it", () => {
    const changes = [
      change("big", leftOut, file("then")),
      change("modules", folder, leftOut),
      change("modules/x", file("now")),
      change("other", leftOut, folder),
      change("other/y", undefined, file("then")),
    ];
    expect(inShort(plan(changes, { choice: "take" }))).toEqual([
      [],
      changes.map(({ path }) => `${path}: not-captured`),
    ]);
  });

  it.each([
    [
      "unreadable, where it is there and could be read before",
      leftOutAs("unreadable"),
      file("then"),
      "unreadable",
    ],
    ["unreadable, where a folder is", leftOutAs("unreadable"), folder, "unreadable"],
    ["not captured, where it did not exist before", leftOutAs("unreadable"), undefined, "not-captured"],
    ["not captured, where it never was", leftOutAs("unreadable"), leftOutAs("ignored"), "not-captured"],
    ["not captured, where a rule leaves it out", leftOutAs("ignored"), file("then"), "not-captured"],
    ["not captured, where it was not before", file("now"), leftOutAs("unreadable"), "not-captured"],
  ])("calls a path %s", (_, before, after, why) => {
    expect(inShort(plan([change("a", before, after)]))).toEqual([[], [`a: ${why}`]]);
  });

  it.each([
    ["now", leftOutAs("own-store"), undefined],
    ["then", file("now"), leftOutAs("own-store")],
  ])("keeps what SQLite has beside our own database, which is there %s", (_, before, after) => {
    const beside = ["db-journal", "db-shm", "db-wal"].map((path) => change(path, file("now")));
    const other = change("db-wal.txt", file("now"));
    expect(inShort(plan([change("db", before, after), ...beside, other]))).toEqual([
      ["db-wal.txt"],
      ["db: not-captured", ...beside.map(({ path }) => `${path}: not-captured`)],
    ]);
  });

  it("restores what is beside another file that was left out", () => {
    expect(inShort(plan([change("big", leftOut), change("big-wal", file("now"))]))).toEqual([
      ["big-wal"],
      ["big: not-captured"],
    ]);
  });

  it("restores what is guarded if that does not delete it", () => {
    expect(inShort(plan(both, { guarded: new Set(["a"]) }))).toEqual([["a", "b"], []]);
  });

  it("never deletes what is guarded, even if the choice is to take", () => {
    const changes = [change(".env", file("secret")), change("out", folder), change("out/log", file("x"))];
    const guarded = new Set([".env", "out/log"]);
    expect(inShort(plan(changes, { ...edited(".env", "out/log"), guarded, choice: "take" }))).toEqual([
      [],
      [".env: ignored", "out: holds-kept", "out/log: ignored"],
    ]);
  });

  it("keeps a folder that holds something kept, and takes the rest of it", () => {
    const changes = [
      change("d", folder),
      change("d/mine", file("now")),
      change("d/sub", folder, file("then")),
      change("d/sub/theirs", file("now")),
    ];
    expect(inShort(plan(changes, edited("d/sub/theirs")))).toEqual([
      ["d/mine"],
      ["d: holds-kept", "d/sub: holds-kept", "d/sub/theirs: outside"],
    ]);
  });

  it("changes the mode of a folder that holds something kept", () => {
    const changes = [change("d", folder, { ...folder, mode: 0o700 }), change("d/theirs", file("now"))];
    expect(inShort(plan(changes, edited("d/theirs")))).toEqual([["d"], ["d/theirs: outside"]]);
  });

  it("removes a file where a folder was, also if what was in the folder is not restored", () => {
    const changes = [change("d", file("now")), change("d/theirs", undefined, file("then"))];
    expect(inShort(plan(changes, edited("d/theirs")))).toEqual([["d"], ["d/theirs: outside"]]);
  });

  it("creates nothing below a path that stays something other than a folder", () => {
    const changes = [
      change("d", file("theirs"), folder),
      change("d/a", undefined, folder),
      change("d/a/b", undefined, file("then")),
    ];
    expect(inShort(plan(changes, edited("d")))).toEqual([
      [],
      ["d: outside", "d/a: needs-kept", "d/a/b: needs-kept"],
    ]);
  });

  it("is limited to the requested paths, and the new folders that they need", () => {
    const changes = [
      change("a", file("now"), file("then")),
      change("d", undefined, folder),
      change("d/x", undefined, file("then")),
      change("d/y", undefined, file("then")),
      change("e", file("now"), folder),
      change("e/x", undefined, file("then")),
    ];
    expect(inShort(plan(changes, { only: ["d/x"] }))).toEqual([["d", "d/x"], []]);
    expect(inShort(plan(changes, { only: ["e/x"] }))).toEqual([[], ["e/x: not-asked"]]);
    const removed = [change("f", folder), change("f/x", file("now")), change("f/y", file("now"))];
    expect(inShort(plan(removed, { only: ["f/x"] }))).toEqual([["f/x"], []]);
    expect(inShort(plan(changes, { only: ["d", "e"] }))).toEqual([["d", "d/x", "d/y", "e", "e/x"], []]);
  });

  it("does nothing for a path that is unchanged", () => {
    expect(plan([change("a", file("same"), file("same"))], edited("a"))).toEqual(plan([]));
  });
});

describe("the outcome of a kept path", () => {
  it.each<KeptWhy>(["outside", "ignored", "not-captured", "chosen"])("is kept if the reason is %s", (why) => {
    expect(keptOutcome(why)).toStrictEqual({ outcome: "kept" });
  });

  it("is not restorable if it is gone and was never captured", () => {
    expect(keptOutcome("never-captured")).toStrictEqual({ outcome: "kept", detail: "not-restorable" });
  });
});
