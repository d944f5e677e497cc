import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { importKimi, type KimiImport } from "../../../../src/machine/exchange/kimi/import-kimi.ts";
import { viewSession } from "../../../../src/machine/open.ts";
import type { SessionView } from "../../../../src/machine/view.ts";
import type { Entry } from "../../../../src/record/entry.ts";
import { textOf } from "../../../../src/record/parts.ts";
import { type TempFolder, tempFolder } from "../../../../src/testing/temp-folder.ts";
import { genuineFrames } from "../../../../src/timeline/context/notices.ts";
import { branchOf } from "../../../../src/timeline/outline.ts";
import { codeOf, type Place, stores } from "../support.ts";

const FIXTURES = join(import.meta.dirname, "../../../fixtures/kimi");

/** A short form of an entry. */
function words(entry: Entry): string {
  switch (entry.kind) {
    case "checkpoint":
    case "step":
      return `${entry.kind} ${entry.number} (${entry.original})`;
    case "prompt":
    case "reply":
      return `${entry.kind} ${textOf(entry.parts)}`;
    case "tool-end":
      return `result ${entry.outcome}`;
    case "notice":
      return `notice ${entry.text.slice(0, 30)}`;
    case "rewind":
      return `rewind ${entry.to}`;
    case "backtrack":
      return `backtrack ${entry.to} ${entry.note}`;
    default:
      return entry.kind;
  }
}

describe.each(stores)("importing a session of kimi-cli into a store of $name", ({ open }) => {
  let place: Place;
  let folder: TempFolder;
  beforeEach(() => {
    place = open();
    folder = tempFolder();
  });
  afterEach(async () => {
    await place.close();
    folder.remove();
  });

  async function importing(path: string): Promise<{ result: KimiImport; view: SessionView; all: Entry[] }> {
    const result = await importKimi(place.deps, path, { workspace: "/work" });
    const view = await viewSession(place.deps.store, result.session);
    const all: Entry[] = [];
    for await (const entry of view.all()) all.push(entry);
    expect(await place.deps.store.verify(result.session)).toEqual([]);
    return { result, view, all };
  }

  it("maps prompts, steps, thinking, calls, results, usage, title and todos", async () => {
    const { result, view, all } = await importing(join(FIXTURES, "plain"));
    expect(all.slice(1).map(words)).toEqual([
      "checkpoint 1 (0)",
      "prompt Why does the pool leak connections?\nLook at src/pool.ts first.",
      "step 2 (1)",
      "reply I will read the file.",
      "result ok",
      "result error",
      "step 3 (2)",
      "reply `acquire` throws before `release` is reached: 连接没有归还。",
      "checkpoint 4 (3)",
      "prompt What does this picture show?",
      "step 5 (4)",
      "reply ",
      "result ok",
      "step 6 (5)",
      "reply The graph of open connections. All tests pass.",
      "todos",
      "title",
    ]);
    expect(all[4]).toMatchObject({
      parts: [
        { type: "thinking", text: "The file is named in the question.", signature: "c2lnbmF0dXJl" },
        { type: "text", text: "I will read the file." },
        { type: "tool-call", call: "call_1", name: "ReadFile", input: { path: "src/pool.ts" } },
        { type: "tool-call", call: "call_2", name: "Grep", input: { pattern: "release(", path: "src" } },
      ],
      usage: { input: 1180, output: 63, cacheRead: 0, cacheWrite: 0 },
    });
    expect(all[10]).toMatchObject({
      parts: [{}, { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" }],
    });
    expect(view.header).toMatchObject({
      workspace: "/work",
      system: `You are a coding agent. Work in the folder you were started in.\n\n${genuineFrames(view.header.tag)}`,
      imported: { from: "kimi-cli", name: "plain" },
    });
    expect(await view.title()).toBe("The pool that leaks");
    expect(view.tokenCount).toBeGreaterThanOrEqual(1615);
    expect(result).toMatchObject({
      original: "plain",
      counts: { entries: 18, prompts: 2, replies: 4, results: 3, notices: 0, branchesLeft: 0 },
      damaged: [],
      warnings: [],
    });
  });

  it("keeps what a note to the past left as a branch, and the note as a backtrack", async () => {
    const { result, view, all } = await importing(join(FIXTURES, "reverted"));
    expect(all.slice(1).map(words)).toEqual([
      "checkpoint 1 (0)",
      "prompt Find the memory leak.",
      "step 2 (1)",
      "reply I suspect the parser.",
      "result ok",
      "step 3 (2)",
      "reply The parser frees its buffers.",
      "result ok",
      "backtrack 2 Not the parser: its buffers are freed. Look at src/pool.ts.",
      "step 4 (2)",
      "reply The pool never releases after a timeout.",
      "result ok",
      "step 5 (3)",
      "reply Fixed in src/pool.ts.",
    ]);
    expect(branchOf(view.outline).map((row) => row.seq)).toEqual([1, 2, 3, 4, 10, 11, 12, 13, 14, 15]);
    expect(result.numbers.filter(({ meaning }) => meaning === "again")).toEqual([
      { original: 2, number: 4, file: "context.jsonl", line: 8, meaning: "again" },
    ]);
    expect(result.counts.branchesLeft).toBe(1);
    expect(JSON.stringify(await view.context())).not.toContain("CHECKPOINT");
  });

  it("goes back to the beginning for a compaction, and tells the summary as a notice", async () => {
    const { view, all } = await importing(join(FIXTURES, "compacted"));
    expect(all.slice(12).map(words)).toEqual([
      "rewind 1",
      "notice kimi-cli told the agent:\n> <sy",
      "prompt Now the tests themselves.",
      "reply All 14 files are ported.",
      "checkpoint 6 (1)",
      "prompt Remove jest from package.json.",
      "step 7 (2)",
      "reply Removed.",
    ]);
    expect((await view.context()).messages).toHaveLength(5);
  });

  it("takes files that are called context.jsonl.<n>, and a note without its call as a rewind", async () => {
    const { result, all } = await importing(join(FIXTURES, "older", "context.jsonl"));
    expect(all.slice(9).map(words)).toEqual([
      "rewind 2",
      "notice kimi-cli told the agent:\n> <sy",
      "step 5 (2)",
      "reply Renamed; the docs need no change.",
    ]);
    expect(result.files.map((file) => file.slice(FIXTURES.length))).toEqual([
      "/older/context.jsonl.1",
      "/older/context.jsonl",
    ]);
  });

  it("names damaged lines, splits glued ones, and imports all the rest", async () => {
    const { result, all } = await importing(join(FIXTURES, "damaged"));
    expect(result.damaged.map(({ line, imported }) => [line, imported])).toEqual([
      [8, "nothing"],
      [10, "nothing"],
      [11, "nothing"],
      [12, "in-part"],
      [15, "in-part"],
      [16, "nothing"],
    ]);
    expect(all.map(words)).toContain("reply Port 8080.");
    expect(all.map(words)).toContain("step 4 (3)");
    expect(result.damaged.every(({ file }) => file === "context.jsonl")).toBe(true);
  });

  it("leaves the source as it was", async () => {
    const source = join(folder.path, "session");
    cpSync(join(FIXTURES, "reverted"), source, { recursive: true });
    const before = stateOf(source);
    await importing(source);
    expect(stateOf(source)).toEqual(before);
  });

  it("takes the newest numbered file if there is no other", async () => {
    cpSync(join(FIXTURES, "reverted", "context_1.jsonl"), join(folder.path, "context_1.jsonl"));
    const { result } = await importing(folder.path);
    const why = "context.jsonl does not exist; the newest of the numbered files was used instead.";
    expect(result.warnings).toEqual([why]);
    expect(result.remarks).toEqual([
      { why, reason: "kimi-live-file-missing", params: { path: "context.jsonl" } },
    ]);
  });

  it("finds the workspace in kimi-cli's own list, and asks for it otherwise", async () => {
    const hash = createHash("md5").update("/home/me/project").digest("hex");
    const session = join(folder.path, "sessions", hash, "0f0e");
    mkdirSync(session, { recursive: true });
    cpSync(join(FIXTURES, "plain", "context.jsonl"), join(session, "context.jsonl"));
    expect(await codeOf(importKimi(place.deps, session))).toBe("IMPORT_INVALID");
    writeFileSync(
      join(folder.path, "kimi.json"),
      JSON.stringify({ work_dirs: [{ path: "/home/me/project", kaos: "local" }] }),
    );
    expect((await importKimi(place.deps, session)).workspace).toBe("/home/me/project");
  });

  it.each<[string, (path: string) => void]>([
    ["a folder without a session", (path) => mkdirSync(path)],
    ["a path that is not there", () => undefined],
    ["an empty file", (path) => writeFileSync(path, "")],
    ["a file of something else", (path) => writeFileSync(path, '{"a": 1}\nhello\n')],
    ["a file with checkpoints only", (path) => writeFileSync(path, '{"role": "_checkpoint", "id": 0}\n')],
  ])("refuses %s and makes nothing", async (_what, prepare) => {
    const path = join(folder.path, "context.jsonl");
    prepare(path);
    expect(await codeOf(importKimi(place.deps, path, { workspace: "/work" }))).toBe("IMPORT_INVALID");
    expect(await place.deps.store.list()).toEqual([]);
  });

  it("keeps what the model wrote when a call was not JSON, or nested without end", async () => {
    const deep = `${"[".repeat(3_000)}${"]".repeat(3_000)}`;
    const calls = ['{"path": "a', deep, null].map((text, at) => ({
      type: "function",
      id: `c${at}`,
      function: { name: "Write", arguments: text },
    }));
    const lines = [
      { role: "user", content: null },
      { role: "assistant", content: [], tool_calls: calls },
    ];
    const path = join(folder.path, "context.jsonl");
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const { all } = await importing(path);
    expect(all.at(-1)).toMatchObject({
      parts: [{ input: {}, malformed: '{"path": "a' }, { input: {}, malformed: deep }, { input: {} }],
    });
  });
});

function stateOf(folder: string): unknown {
  return readdirSync(folder).map((name) => {
    const path = join(folder, name);
    return [name, createHash("sha256").update(readFileSync(path)).digest("hex"), statSync(path).mtimeMs];
  });
}
