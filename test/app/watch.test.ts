import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openFiles, requireFiles } from "../../src/app/files/files.ts";
import { ownSession } from "../../src/app/sessions/own-session.ts";
import { provideSessionDeps } from "../../src/app/sessions/store.ts";
import { closeFiles, FilesHolder, Keeper, leftOutFolders, watchFiles } from "../../src/app/watch.ts";
import { viewSession } from "../../src/machine/open.ts";
import type { WorkspaceFiles } from "../../src/ports/workspace-files.ts";
import { remark, remarkOf, WorldlineError } from "../../src/record/error.ts";
import type { Dirty } from "../../src/snapshots/watch-workspace.ts";
import { workshop } from "../cli/support/workshop.ts";
import { MemoryWorkspace } from "../machine/memory-workspace.ts";
import { contextAt } from "./support/context-at.ts";

const MINUTE = 60_000;

interface Given {
  readonly folder: string;
  readonly atFirst: "look" | "wait";
  readonly forMs: number;
  /** How many of the first checks fail. */
  readonly failing?: number;
}

/** Watches a folder on a clock that the test moves, and returns when everything was checked. */
async function watched({ folder, atFirst, forMs, failing = 0 }: Given) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const stop = new AbortController();
  const checks: (readonly [at: number, dirty: Dirty])[] = [];
  const began = performance.now();
  const watching = new Promise<{ readonly by: string; readonly ended: Promise<void> }>((resolve) => {
    const ended = watchFiles({
      folder,
      ignored: [],
      pace: { quietMs: 100, maxMs: 1_000 },
      atFirst,
      onRest: async (dirty) => {
        checks.push([performance.now() - began, dirty]);
        return checks.length <= failing ? "again" : "done";
      },
      onWatching: (by) => resolve({ by, ended }),
      signal: stop.signal,
    });
  });
  const { by, ended } = await watching;
  await vi.advanceTimersByTimeAsync(forMs);
  stop.abort();
  await ended;
  return { by, checks, timersLeft: vi.getTimerCount() };
}

describe("watching a folder whose changes are not reported", () => {
  const folder = "/no-such-folder";

  it("checks everything at regular intervals", async () => {
    expect(await watched({ folder, atFirst: "wait", forMs: 3_050 })).toEqual({
      by: "polling",
      checks: [
        [1_100, "all"],
        [2_100, "all"],
      ],
      timersLeft: 0,
    });
  });

  it("checks everything at once on request", async () => {
    const { checks } = await watched({ folder, atFirst: "look", forMs: 2_050 });
    expect(checks).toEqual([
      [100, "all"],
      [1_100, "all"],
    ]);
  });
});

describe("watching a folder whose changes are reported", () => {
  it("checks everything every five minutes, because reports can be lost", async () => {
    const { workspace: folder } = workshop();
    expect(await watched({ folder, atFirst: "wait", forMs: 12 * MINUTE })).toEqual({
      by: "events",
      checks: [
        [5 * MINUTE, "all"],
        [10 * MINUTE, "all"],
      ],
      timersLeft: 0,
    });
    const { checks } = await watched({ folder, atFirst: "look", forMs: 6 * MINUTE });
    expect(checks).toEqual([
      [100, "all"],
      [5 * MINUTE + 100, "all"],
    ]);
  });

  it("checks everything again after a check that failed", async () => {
    const { workspace: folder } = workshop();
    const { checks } = await watched({ folder, atFirst: "look", failing: 2, forMs: MINUTE });
    expect(checks).toEqual([
      [100, "all"],
      [1_200, "all"],
      [2_300, "all"],
    ]);
  });

  it("checks only the folders in which something changed, unless their changes are ignored", async () => {
    const { workspace: folder, put } = workshop();
    put("big/a", "1");
    put("src/a", "1");
    const stop = new AbortController();
    const checks: Dirty[] = [];
    await watchFiles({
      folder,
      ignored: [join(folder, "big")],
      pace: { quietMs: 20, maxMs: 10_000 },
      atFirst: "wait",
      onWatching: () => {
        put("big/a", "2");
        put("src/a", "2");
      },
      onRest: async (dirty) => {
        checks.push(dirty);
        stop.abort();
        return "done";
      },
      signal: stop.signal,
    });
    expect(checks).toEqual([new Set(["src"])]);
  });

  it("checks nothing once it was asked to end", async () => {
    const { workspace: folder } = workshop();
    await watchFiles({
      folder,
      ignored: [],
      pace: { quietMs: 0, maxMs: 0 },
      atFirst: "look",
      onRest: async () => expect.unreachable(),
      signal: AbortSignal.abort(),
    });
    expect.assertions(0);
  });
});

/** A workspace whose files are open, and a keeper that makes checkpoints in the workspace's own session. */
async function keeping(place = workshop()) {
  const { context, notices } = contextAt(place);
  const deps = await provideSessionDeps(context);
  const { id: session, seen } = await ownSession(context, deps, "test");
  const holder = new FilesHolder(async () => requireFiles(await openFiles(context, place.workspace)));
  onTestFinished(async () => void (await holder.close()));
  const options = { context, deps, files: holder, session, seen, author: "outside", name: "test" } as const;
  const keeper = new Keeper(options);
  const checkpoints = async () => (await (await viewSession(deps.store, session)).checkpoints()).length;
  return { ...place, context, notices, deps, session, holder, keeper, options, checkpoints };
}

/** The same with files in memory. */
async function keepingInMemory() {
  const { options, workspace } = await keeping();
  const files = Object.assign(new MemoryWorkspace(), { folder: workspace });
  return { files, keeper: new Keeper({ ...options, files: { get: async () => files } }) };
}

const captured = (number: number) => ({ number, state: "complete", snapshot: expect.any(String) });

describe("keeping checkpoints of changed files", () => {
  it("makes one for each state that the timeline does not have yet, with the changes", async () => {
    const { keeper, put, checkpoints, holder } = await keeping();
    put("a.txt", "one\n");
    const first = await keeper.keep("all");
    expect(first).toEqual(captured(1));
    expect(await keeper.keep("all")).toBeUndefined();
    put("a.txt", "two\n");
    put("b.txt", "b\n");
    const second = await keeper.keep(new Set([""]));
    const [before, after] = await Promise.all(
      [first, second].map(async (kept) => (await holder.get()).list(kept?.snapshot ?? expect.unreachable())),
    );
    const stateIn = (list: typeof after, wanted: string) => list?.find(({ path }) => path === wanted)?.state;
    expect(second).toEqual({
      ...captured(2),
      changes: [
        { path: "a.txt", before: stateIn(before, "a.txt"), after: stateIn(after, "a.txt") },
        { path: "b.txt", before: undefined, after: stateIn(after, "b.txt") },
      ],
    });
    expect(await checkpoints()).toBe(2);
  });

  it("looks only where something may have changed", async () => {
    const { keeper, put } = await keeping();
    put("in/a.txt", "one\n");
    put("out/a.txt", "one\n");
    await keeper.keep("all");
    put("in/a.txt", "changed\n");
    put("out/a.txt", "changed\n");
    expect((await keeper.keep(new Set(["in"])))?.changes?.map(({ path }) => path)).toEqual(["in/a.txt"]);
    expect((await keeper.keep("all"))?.changes?.map(({ path }) => path)).toEqual(["out/a.txt"]);
  });

  it("makes none of a state that another program has recorded in the meantime", async () => {
    const { keeper, put, checkpoints, worldline } = await keeping();
    put("a.txt", "one\n");
    await keeper.keep("all");
    put("a.txt", "two\n");
    await keeper.keep("all");
    // Restores the first state, which is older than what the keeper saw last.
    expect((await worldline("rewind 1 --scope files --yes")).code).toBe(0);
    const before = await checkpoints();
    expect(await keeper.keep("all")).toBeUndefined();
    expect(await keeper.keep("all")).toBeUndefined();
    expect(await checkpoints()).toBe(before);
  });

  it("captures the files again if the session was written to, because they may have been restored", async () => {
    const { options, put, files, worldline, holder } = await keeping();
    put("a.txt", "one\n");
    await worldline("checkpoint");
    put("a.txt", "two\n");
    const opened = await holder.get();
    // The files are restored after they were captured, and before the session is held.
    const capture: WorkspaceFiles["capture"] = async (request) => {
      const captured = await opened.capture(request);
      if (files()["a.txt"] === "two\n") await worldline("rewind 1 --scope files --take --yes");
      return captured;
    };
    const racing = new Proxy(opened, {
      get: (target, name) => (name === "capture" ? capture : Reflect.get(target, name, target)),
    });
    const keeper = new Keeper({ ...options, files: { get: async () => racing } });
    expect(await keeper.keep("all")).toBeUndefined();
    expect(files()["a.txt"]).toBe("one\n");
  });

  it("says why a checkpoint has no files, and makes another one as soon as possible", async () => {
    const { keeper, files } = await keepingInMemory();
    files.write("a.txt", "one\n");
    const problem = new WorldlineError("stated", { code: "STORE_FULL", message: "The disk is full." });
    const onProgress = () => void Object.assign(files, { failing: problem });
    expect(await keeper.keep("all", { onProgress })).toEqual({
      number: 1,
      state: "none",
      ...remarkOf(problem),
    });
    expect(await keeper.keep("all")).toEqual(captured(2));
  });

  it("says why a checkpoint does not have all files", async () => {
    const { keeper, files } = await keepingInMemory();
    files.put("b.txt", { kind: "left-out", why: "unreadable" });
    expect(await keeper.keep("all")).toEqual({
      ...captured(1),
      state: "partial",
      ...remark("capture-gaps", { count: 1, paths: [{ path: "b.txt", why: "unreadable" }] }),
    });
    expect(await keeper.keep("all")).toBeUndefined();
  });

  it("leaves out the changes if the state before is no longer stored", async () => {
    const { keeper, files } = await keepingInMemory();
    await keeper.keep("all");
    files.snapshots.clear();
    files.write("a.txt", "one\n");
    expect(await keeper.keep("all")).toEqual(captured(2));
  });
});

describe("the folders that are not watched", () => {
  it("are those that no snapshot contains", async () => {
    const { holder, put, workspace } = await keeping();
    put("node_modules/a/index.js", "1");
    put("packages/b/node_modules/c.js", "1");
    put(".git/HEAD", "ref: refs/heads/main\n");
    put("src/a.txt", "1");
    const files = await holder.get();
    const { snapshot } = await files.capture({ look: "everything" });
    expect(await leftOutFolders(files, snapshot)).toEqual([
      join(workspace, ".git"),
      join(workspace, "node_modules"),
      join(workspace, "packages/b/node_modules"),
      "**/node_modules/**",
      "**/.git/**",
    ]);
  });

  it("do not include files that are left out for other reasons, because these may be captured later", async () => {
    const place = workshop();
    place.write("user", JSON.stringify({ snapshots: { maxFileBytes: 4096 } }));
    const { holder, put } = await keeping(place);
    put("large.bin", "x".repeat(5_000));
    const files = await holder.get();
    const { snapshot } = await files.capture({ look: "everything" });
    expect(await leftOutFolders(files, snapshot)).toEqual(["**/node_modules/**", "**/.git/**"]);
  });
});

/** Files that only count how often they were closed. */
const closing = (close: () => Promise<void>) => ({ close }) as WorkspaceFiles;

describe("files that are held open", () => {
  it("are opened when they are first needed, and again after they were closed", async () => {
    const opened: WorkspaceFiles[] = [];
    let closed = 0;
    const holder = new FilesHolder(async () => {
      opened.push(closing(async () => void closed++));
      return opened.at(-1) ?? expect.unreachable();
    });
    expect(await holder.close()).toBeUndefined();
    expect(await holder.get()).toBe(await holder.get());
    expect([opened.length, closed]).toEqual([1, 0]);
    expect(await holder.close()).toBeUndefined();
    expect(await holder.close()).toBeUndefined();
    expect([opened.length, closed]).toEqual([1, 1]);
    expect(await holder.get()).toBe(opened[1]);
  });

  it("report what could not be written when they are closed", async () => {
    const problem = new WorldlineError("stated", { code: "STORE_FULL", message: "The disk is full." });
    const unwritten = new FilesHolder(async () => closing(() => Promise.reject(problem)));
    const { context, notices } = contextAt(workshop());
    await unwritten.get();
    await closeFiles(context, unwritten);
    expect(notices).toEqual([{ code: "files-unwritten", problem }]);
    const broken = new FilesHolder(async () => closing(() => Promise.reject(new Error("broken"))));
    await broken.get();
    await expect(closeFiles(context, broken)).rejects.toThrow("broken");
  });
});
