import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { OpenedFiles } from "../../../src/app/files/files.ts";
import {
  commandsText,
  describeFiles,
  describePreview,
  type FilesWork,
  filesMade,
  filesPreviewed,
  filesWork,
  keptReason,
  lookAtFiles,
  previewerOf,
} from "../../../src/app/journeys/files-preview.ts";
import type { FilesOutcome, FilesPreview } from "../../../src/machine/files/requests.ts";
import { remark } from "../../../src/record/error.ts";
import type { FileState, PathChange } from "../../../src/record/files.ts";
import type { ObjectHash } from "../../../src/record/ids.ts";
import type { Sign } from "../../../src/travel/logged-files.ts";
import type { DuringPath } from "../../../src/travel/plan-files.ts";
import { workshop } from "../../cli/support/workshop.ts";
import { begin, openSessionDeps } from "../../machine/deps.ts";
import { MemoryWorkspace } from "../../machine/memory-workspace.ts";
import { contextAt } from "../support/context-at.ts";

/** In this test, a file's hash is its content. */
const file = (text: string, size = text.length): FileState => ({
  kind: "file",
  mode: 0o644,
  size,
  hash: text as ObjectHash,
});
const folder: FileState = { kind: "folder", mode: 0o755, hash: "f" as ObjectHash };
const files = Object.assign(new MemoryWorkspace(), {
  content: async (hash: ObjectHash) => Buffer.from(hash),
});

const none: FilesPreview = {
  changes: [],
  steps: [],
  kept: [],
  conflicts: [],
  during: [],
  deletions: 0,
  gitHead: {},
};
const change = (path: string, before?: FileState, after?: FileState): PathChange => ({ path, before, after });
const call = (about: string) => ({ call: about, name: "Bash", about });
const ran = (path: string, about = "npm test", sign?: Sign): DuringPath => ({
  path,
  calls: [call(about)],
  ...(sign === undefined ? {} : { sign }),
});
/** A preview of changes that were all made while commands ran. */
const duringOf = (
  steps: readonly PathChange[],
  during = steps.map(({ path }) => ran(path)),
): FilesPreview => ({
  ...none,
  changes: steps,
  steps,
  during,
});

const signed = ran("a", "npm test", { sign: "read-only" });

describe("the changes that were made while commands ran", () => {
  const described = async (preview: FilesPreview) =>
    (await describePreview(preview, files, { conflicts: "open" })).during;

  it("come with what would be restored as the change since the checkpoint, deletions and folders last", async () => {
    const steps = [
      change("in", folder, undefined),
      change("new", file("1\n"), undefined),
      change("old", file("2\n"), file("1\n")),
    ];
    const diff = { contents: "lines" };
    expect(await described(duringOf(steps))).toEqual([
      {
        ...ran("old"),
        diff: { ...change("old", file("1\n"), file("2\n")), ...diff, lines: ["@@ -1,1 +1,1 @@", "-1", "+2"] },
      },
      {
        ...ran("new"),
        diff: { ...change("new", undefined, file("1\n")), ...diff, lines: ["@@ -0,0 +1,1 @@", "+1"] },
      },
      ran("in"),
    ]);
  });

  it("have no diff if files are not captured", async () => {
    const step = change("a", file("2\n"), file("1\n"));
    expect((await describePreview(duringOf([step]), undefined, { conflicts: "open" })).during).toEqual([
      ran("a"),
    ]);
  });

  it("leave out what stays because the user probably changed it, and what is not restored", async () => {
    const steps = [change("a", file("2\n"), file("1\n"))];
    expect(await described(duringOf(steps, [signed]))).toEqual([]);
    expect(await described(duringOf(steps, [ran("b")]))).toEqual([]);
  });

  it("are not listed where the user made all changes", async () => {
    const preview = duringOf([change("a", file("2\n"), file("1\n"))]);
    expect((await describePreview(preview, files, { conflicts: "expected" })).during).toEqual([]);
  });

  it("show the diffs of at most twenty new files, and those of all others", async () => {
    const made = Array.from({ length: 25 }, (_, index) => change(`new-${index}`, file("1\n"), undefined));
    const edited = Array.from({ length: 25 }, (_, index) => change(`old-${index}`, file("2\n"), file("1\n")));
    const counts = async (steps: readonly PathChange[]) =>
      (await described(duringOf(steps))).filter(({ diff }) => diff !== undefined).length;
    expect(await counts(made)).toBe(20);
    expect(await counts(edited)).toBe(25);
    expect(await counts([...made, ...edited])).toBe(25);
  });

  it("show diffs of a megabyte in total, and of a file that no longer fits none", async () => {
    const MEGABYTE = 1024 * 1024;
    const hunk = "@@ -0,0 +1,1 @@\n".length;
    const shown = async (...texts: readonly (readonly [text: string, size?: number])[]) => {
      const steps = texts.map(([text, size], index) => change(`${index}`, file(text, size), undefined));
      return (await described(duringOf(steps))).map(({ diff }) => diff !== undefined);
    };
    // Each line of the diff has a sign and a line break.
    const filling = `${"x".repeat(MEGABYTE - hunk - 2)}\n`;
    expect(await shown([filling, 1])).toEqual([true]);
    expect(await shown([`x${filling}`, 1])).toEqual([false]);
    expect(await shown([filling, 1], ["1\n"])).toEqual([true, false]);
    expect(await shown([`x${filling}`, 1], ["1\n"])).toEqual([false, true]);
    // A file that was deleted, and is too large, is not even read.
    const unread = async (size: number) => {
      let reads = 0;
      const counting = { content: async () => Buffer.from(`${reads++}\n`) };
      const known = { counted: 0, conflicts: "open" } as const;
      await describePreview(duringOf([change("a", undefined, file("a", size))]), counting, known);
      return reads;
    };
    expect([await unread(MEGABYTE), await unread(MEGABYTE + 1)]).toEqual([1, 0]);
    const edited = await described(duringOf([change("a", file("2\n", 2 * MEGABYTE), file("1\n"))]));
    expect(edited[0]?.diff).toBeDefined();
  });
});

describe("a preview of files", () => {
  const counts = { counted: undefined, conflicts: "open" } as const;

  it("counts lines, or names sizes if files are not captured", async () => {
    const preview = { ...none, steps: [change("a", file("1\n"), file("1\n2\n"))] };
    const step = { path: "a", what: "changed", kind: "file", sizes: { before: 2, after: 4 } };
    expect(await describePreview(preview, files, counts)).toEqual({
      preview,
      conflicts: "open",
      during: [],
      steps: [{ ...step, lines: { added: 1, removed: 0 } }],
    });
    expect((await describePreview(preview, undefined, counts)).steps).toEqual([step]);
    expect((await describePreview(preview, files, { ...counts, counted: 0 })).steps).toEqual([step]);
  });

  it("shows paths that no snapshot covers as changed, if another agent restores them", async () => {
    const preview = { ...none, steps: [change("a", file("1\n"), { kind: "left-out", why: "ignored" })] };
    expect((await describePreview(preview, files, counts)).steps).toMatchObject([
      { path: "a", what: "uncovered" },
    ]);
    const through = { name: "other agent", limits: [], undo: "captured" } as const;
    expect((await describePreview({ ...preview, through }, files, counts)).steps).toEqual([
      { path: "a", what: "changed", kind: "file" },
    ]);
    const plain = { ...none, through, steps: [change("a", file("1\n"), undefined)] };
    expect((await describePreview(plain, files, counts)).steps).toMatchObject([
      { path: "a", what: "deleted" },
    ]);
  });

  it.each([
    ["open", { mode: "agent" }],
    ["decided", { mode: "agent", choice: "take" }],
    ["decided", { mode: "agent", choices: new Map() }],
    ["expected", { mode: "workspace" }],
    ["expected", { mode: "execution", choice: "keep" }],
  ] as const)("has conflicts that are %s, with %j", async (conflicts, options) => {
    const { context } = contextAt(workshop());
    const { context: strict } = contextAt(workshop(), {
      common: { settings: { "rewind.confirmDeletes": "2" } },
    });
    const withProgress: FilesWork["withProgress"] = (work) => work({});
    const chosen = { choice: "keep" } as const;
    const work = { files, withProgress, ...options };
    const look = { preview: { ...none, deletions: 2 }, chosen };
    expect(await describeFiles(context, work, look)).toEqual({
      preview: look.preview,
      steps: [],
      during: [],
      conflicts,
      chosen,
      consent: "given",
    });
    const more = { ...look, preview: { ...none, deletions: 3 } };
    expect((await describeFiles(strict, work, look)).consent).toBe("given");
    expect((await describeFiles(strict, work, more)).consent).toBe("needed");
  });
});

describe("the reason why a path is kept", () => {
  const during = { during: [ran("other", "make", { sign: "editor-file" }), signed, ran("c")] };

  it("names the sign that the user changed it, and the commands that ran then", () => {
    expect(keptReason({ path: "a", why: "outside" }, during)).toEqual({
      why: "outside",
      sign: { sign: "read-only" },
      calls: signed.calls,
    });
  });

  it.each([
    ["c", "outside"],
    ["missing", "outside"],
    ["a", "chosen"],
  ] as const)("is all if there is no sign: %s, %s", (path, why) => {
    expect(keptReason({ path, why }, during)).toEqual({ why });
  });
});

describe("a list of commands", () => {
  it.each([
    [[], ""],
    [["npm test"], "`npm test`"],
    [["a", "b", "c"], "`a`, `b`, `c`"],
    [["a", "b", "c", "d"], "`a`, `b`, `c`, …"],
    [["x".repeat(40)], `\`${"x".repeat(40)}\``],
    [["😀".repeat(41)], `\`${"😀".repeat(40)}…\``],
  ])("of %j is %j", (commands, text) => {
    expect(commandsText(commands.map(call))).toBe(text);
  });
});

describe("a preview for the screen", () => {
  const previewed = async (preview: FilesPreview) =>
    filesPreviewed(contextAt(workshop()).context, preview, files);

  it("names every path once, with what happens to it", async () => {
    const steps = [
      change("a", file("1\n"), file("1\n2\n")),
      change("b", file("1\n"), undefined),
      change("in", folder),
    ];
    const conflict = {
      ...change("c", file("2\n"), file("1\n")),
      edits: [],
      choice: "take",
      merge: "clean",
    } as const;
    const through = { name: "other agent", limits: ["commands"], undo: "not-captured" } as const;
    expect(
      await previewed({
        ...none,
        changes: steps,
        steps,
        conflicts: [conflict],
        kept: [
          { path: "k", why: "outside" },
          { path: "n", why: "never-captured" },
        ],
        deletions: 60,
        gitHead: { target: "main", present: "other" },
        tracked: "touched",
        through,
      }),
    ).toEqual({
      steps: [
        { path: "a", what: "changed", kind: "file", added: 1, removed: 0 },
        { path: "b", what: "deleted", kind: "file", added: 0, removed: 1 },
        { path: "in", what: "deleted", kind: "folder" },
      ],
      conflicts: [{ path: "c", what: "changed", kind: "file", choice: "take", merge: "clean" }],
      kept: [
        { path: "k", fate: "kept", why: { why: "outside" } },
        { path: "n", fate: "not-restorable", why: { why: "never-captured" } },
      ],
      during: [],
      deletions: 1,
      consent: "needed",
      git: { was: "main", now: "other" },
      tracked: "touched",
      through,
    });
  });

  it("is short if nothing happens", async () => {
    const nothing = { steps: [], conflicts: [], kept: [], during: [], deletions: 0, consent: "given" };
    for (const gitHead of [{}, { present: "main" }, { target: "main", present: "main" }])
      expect(await previewed({ ...none, gitHead })).toEqual({ ...nothing, tracked: "everything" });
    expect(await previewed({ ...none, gitHead: { target: "main" } })).toMatchObject({ git: { was: "main" } });
  });

  it("groups what changed while commands ran by the commands, and then lists what the user probably changed", async () => {
    const steps = ["a", "b", "c"].map((path) => change(path, file("2\n"), file("1\n")));
    const during = [ran("a", "make"), ran("b", "npm test"), ran("c", "make"), { ...signed, path: "k" }];
    const told = await previewed({ ...duringOf(steps, during), kept: [{ path: "k", why: "outside" }] });
    const diff = expect.objectContaining({ contents: "lines" });
    expect(told.during).toEqual([
      { path: "a", commands: "`make`", diff },
      { path: "c", commands: "`make`", diff },
      { path: "b", commands: "`npm test`", diff },
      {
        path: "k",
        commands: "`npm test`",
        kept: { why: "outside", sign: { sign: "read-only" }, calls: signed.calls },
      },
    ]);
  });

  it("gives paths that look the same different names, always the same ones", async () => {
    const paths = ["\xff", "\\xff", "b"];
    const steps = paths.map((path) => change(path, file("1\n"), undefined));
    const names = ["\\xff (2)", "\\xff", "b"];
    const namesOf = async (preview: FilesPreview) => (await previewed(preview)).steps.map(({ path }) => path);
    expect(await namesOf({ ...none, changes: steps, steps })).toEqual(names);
    expect(await namesOf({ ...none, changes: steps.toReversed(), steps })).toEqual(names);
    const third = ["\\xff (2)", ...paths].map((path) => change(path, file("1\n"), undefined));
    expect(new Set(await namesOf({ ...none, changes: third, steps: third })).size).toBe(4);
  });
});

describe("the outcome of a journey for the screen", () => {
  it("counts the paths and names those that were not restored", () => {
    const outcome = {
      ...{ restored: 1, created: 0, removed: 0, merged: 0, kept: 2, notRestorable: 1, failed: 1 },
      differ: [],
      paths: [
        { path: "a", outcome: "restored" },
        { path: "b", outcome: "kept", ...remark("kept-outside") },
        { path: "c", outcome: "kept", detail: "not-restorable", ...remark("kept-never-captured") },
        { path: "d", outcome: "failed" },
      ],
    } as FilesOutcome;
    expect(filesMade(outcome)).toEqual({
      ...{ restored: 1, created: 0, removed: 0, merged: 0, kept: 1, notRestorable: 1, failed: 1 },
      unrestored: [
        { path: "b", outcome: "kept", ...remark("kept-outside") },
        { path: "c", outcome: "not-restorable", ...remark("kept-never-captured") },
        { path: "d", outcome: "failed", why: "" },
      ],
    });
    const through = { name: "other agent", undo: "captured" } as const;
    expect(filesMade({ ...outcome, paths: [], through })).toMatchObject({ unrestored: [], through });
  });
});

describe("looking at the effect on the files", () => {
  /** Looks with these options, and returns what was previewed. */
  async function looking(options: Partial<FilesWork>, preview: FilesPreview = none, within = "") {
    const place = workshop();
    place.put("a", "1\n");
    const { context, progress } = contextAt(place, {
      common: { workspace: place.workspace },
      surroundings: { cwd: () => join(place.workspace, within) },
    });
    const workspace = Object.assign(new MemoryWorkspace(), { folder: place.workspace });
    workspace.write("a", "1\n");
    const { snapshot } = await workspace.capture({ look: "everything" });
    const asked: unknown[] = [];
    const work = { ...filesWork(context, { files: workspace, mode: "agent" }, {}), ...options };
    const look = await lookAtFiles(context, work, async ({ onProgress, signal, ...choices }) => {
      expect([onProgress, signal]).toEqual([expect.any(Function), expect.any(AbortSignal)]);
      asked.push(choices);
      return { ...preview, target: snapshot };
    });
    expect(look.preview).toEqual({ ...preview, target: snapshot });
    return { asked, chosen: look.chosen, progress };
  }
  const during = [ran("a"), ran("b")];
  const kept = new Map([
    ["a", "keep"],
    ["b", "keep"],
  ]);

  it.each<[string, Partial<FilesWork>, FilesPreview, object]>([
    ["nothing", {}, none, {}],
    ["no names", { choicesByName: new Map() }, none, {}],
    ["a choice for all conflicts", { choice: "take" }, { ...none, during }, { choice: "take" }],
    [
      "a choice in a workspace's own session",
      { choice: "keep", mode: "workspace" },
      { ...none, during },
      { choice: "keep" },
    ],
    ["a choice if no commands ran", { choice: "keep" }, none, { choice: "keep" }],
    ["choices for paths", { choices: new Map([["a", "take"]]) }, none, { choices: new Map([["a", "take"]]) }],
    ["paths", { only: ["a"] }, none, { only: ["a"] }],
  ])("takes the user's choices as they are: %s", async (_, options, preview, chosen) => {
    const looked = await looking(options, preview);
    expect(looked).toMatchObject({ asked: [chosen], chosen });
    expect(looked.asked).toEqual([chosen]);
    expect(looked.progress).toEqual(["done"]);
  });

  it("keeps what changed while commands ran if the user keeps conflicts, except for what the user takes", async () => {
    const all = await looking({ choice: "keep" }, { ...none, during });
    expect(all.asked).toEqual([{ choice: "keep" }, { choice: "keep", choices: kept }]);
    expect(all.chosen).toEqual({ choice: "keep", choices: kept });
    const choices = new Map([["b", "take"]] as const);
    const but = await looking({ choice: "keep", choices }, { ...none, during });
    expect(but.chosen).toEqual({ choice: "keep", choices: new Map([...kept, ...choices]) });
  });

  it("finds the paths that the user means by their names in the preview", async () => {
    const conflict = {
      ...change("a", file("2\n"), file("1\n")),
      edits: [],
      choice: "keep",
      merge: "clean",
    } as const;
    const preview = { ...none, changes: [conflict], conflicts: [conflict], during: [ran("b")] };
    const choicesByName = new Map([
      ["a", "take"],
      ["b", "keep"],
    ] as const);
    const { asked } = await looking({ choicesByName }, preview);
    expect(asked).toEqual([{}, { choices: choicesByName }]);
    await expect(looking({ choicesByName: new Map([["c", "take"]]) }, preview)).rejects.toMatchObject({
      reason: "conflict-gone",
      params: { name: "c" },
    });
  });

  it("finds paths in the session's workspace although it is not captured", async () => {
    const { asked, chosen } = await looking({ only: ["a"], files: undefined }, none, "in");
    expect([asked, chosen]).toEqual([[{ only: ["in/a"] }], { only: ["in/a"] }]);
  });

  it("fails for a path that exists neither now nor at the checkpoint", async () => {
    await expect(looking({ only: ["missing"] })).rejects.toMatchObject({ reason: "path-in-neither" });
  });
});

describe("a previewer of a journey's files", () => {
  it("asks the session if this process holds it, and otherwise the files that are open", async () => {
    const opened = new MemoryWorkspace();
    const session = await begin({ ...openSessionDeps(), files: opened });
    opened.write("a", "1\n");
    const to = await session.checkpoint(undefined, { author: "outside" });
    opened.write("a", "2\n");
    const step = { path: "a", after: expect.objectContaining({ size: 2 }) };
    const workspaceFiles: OpenedFiles = { state: "on", files: opened };
    const free = await previewerOf({ view: session, workspaceFiles }, undefined)({ to });
    expect(free.changes).toMatchObject([step]);
    const other: OpenedFiles = { state: "on", files: new MemoryWorkspace() };
    const held = await previewerOf({ view: session, workspaceFiles: other }, session)({ to });
    expect(held.changes).toMatchObject([step]);
  });
});
