import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { AppContext } from "../../../src/app/context.ts";
import { TimelineStates } from "../../../src/app/queries/timeline-state.ts";
import type { AgentSession } from "../../../src/app/sessions/agent-session.ts";
import { forkSession } from "../../../src/machine/journeys/fork.ts";
import { holdSession, type NewSession, type SessionContext, viewSession } from "../../../src/machine/open.ts";
import type { Session } from "../../../src/machine/session.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import type { EntryId } from "../../../src/record/ids.ts";
import { textPart } from "../../../src/record/parts.ts";
import { begin, holding, openSessionDeps } from "../../machine/deps.ts";
import { reportingContext } from "../support/reporting-context.ts";
import { backtrack, longSession } from "./long-session.ts";

const usage = { input: 1_000, output: 100, cacheRead: 0, cacheWrite: 0 };
const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const;
/** The cost of a reply of the model `p/m` with this usage. */
const COST = 0.02;
const models = { "p/m": { input: 10, output: 100, cacheRead: 1, cacheWrite: 20 } };
const off = new WorldlineError("checkpointing-off", {});
const noFiles = { state: "off", error: off };

/** A session in memory whose workspace exists, and the state that the status line shows about it. */
async function shown(wanted: Partial<NewSession> = {}, open = begin, files: object = noFiles) {
  const { context, workspace, write } = reportingContext({ settings: { models } });
  const deps = openSessionDeps();
  const session = await open(deps, { workspace, ...wanted });
  const at = { session, deps, files, context };
  /** The state without anything that is known from an earlier call. */
  const fresh = () => stateOf(at)();
  return { session, deps, workspace, write, state: stateOf(at), fresh };
}

function stateOf({
  session,
  deps,
  files = noFiles,
  context = reportingContext({ settings: { models } }).context,
}: {
  readonly session: Session;
  readonly deps: SessionContext;
  readonly files?: object;
  readonly context?: AppContext;
}) {
  const states = new TimelineStates();
  const opened = { session, deps, workspaceFiles: files } as unknown as AgentSession;
  return () => states.now({ context, opened });
}

async function reply(session: Session, tool?: string, model = "p/m"): Promise<void> {
  const call = { type: "tool-call", call: "c", name: tool ?? "", input: {} } as const;
  await session.reply({ model, parts: [textPart("Yes."), ...(tool === undefined ? [] : [call])], usage });
}

/** The state of the session that `longSession` tells. */
const afterLongSession = {
  title: "find the leak",
  checkpoint: 11,
  contextTokens: 277,
  branchesLeft: 2,
  leftByBacktracks: 1,
  savedTokens: 24,
  snapshots: noFiles,
  redoable: 0,
};

describe("the cost in the status line", () => {
  it("includes sub-agents as soon as their calls have ended", async () => {
    for (const tool of ["Task", "Agent"]) await expectCostOf(tool);
  });

  async function expectCostOf(tool: string): Promise<void> {
    const { session, deps, workspace, state } = await shown();
    const cost = async () => (await state()).cost;
    await session.prompt("one");
    await reply(session, tool);
    expect(await cost()).toBeCloseTo(COST, 6);
    const task = { session: session.id, call: "c" } as const;
    const worker = await begin(deps, { workspace, task });
    await reply(worker);
    await reply(worker);
    expect(await cost()).toBeCloseTo(COST, 6);
    await session.toolEnd("c", "ok", "done");
    expect(await cost()).toBeCloseTo(COST, 6);
    await reply(session, "Read");
    expect(await cost()).toBeCloseTo(4 * COST, 6);
    await reply(worker);
    await reply(session);
    expect(await cost()).toBeCloseTo(5 * COST, 6);
  }

  it("is that of every model call with a known price, and absent if it is unknown", async () => {
    {
      // No price is known, also not for the sub-agent at first.
      const { session, deps, workspace, state } = await shown();
      await reply(session, "Task", "p/unknown");
      const worker = await begin(deps, { workspace, task: { session: session.id, call: "c" } });
      await reply(worker, undefined, "p/unknown");
      await reply(session, undefined, "p/unknown");
      expect(await state()).not.toHaveProperty("cost");
      await session.reply({ model: "p/m", parts: [textPart("Yes.")] });
      expect(await state()).not.toHaveProperty("cost");
      await reply(worker);
      await reply(session, "Task", "p/unknown");
      await reply(session, undefined, "p/unknown");
      expect((await state()).cost).toBeCloseTo(COST, 6);
    }
    {
      // Summaries cost something, too.
      const { session, state } = await shown();
      await session.prompt("one");
      await reply(session);
      await reply(session);
      await session.compact({ summary: "All of it.", keep: 1, by: { model: "p/m", usage } });
      await reply(session);
      expect((await state()).cost).toBeCloseTo(4 * COST, 6);
    }
    {
      // The log can no longer be read.
      const { session, deps, state } = await shown();
      await reply(session);
      expect((await state()).cost).toBeCloseTo(COST, 6);
      Object.assign(deps.store, { read: async () => Promise.reject(new Error("The disk is gone.")) });
      await reply(session);
      expect(await state()).not.toHaveProperty("cost");
    }
    {
      // The settings cannot be read.
      const { session, write, state } = await shown();
      write("user", "{");
      await reply(session);
      expect(await state()).not.toHaveProperty("cost");
    }
  });

  it("is only that of a fork's own calls", async () => {
    const { session, deps, state } = await shown({}, longSession);
    await reply(session);
    expect(await state()).toStrictEqual({
      ...afterLongSession,
      contextTokens: session.tokenCount,
      cost: COST,
    });
    await session.close();
    await deps.clock.wait(1_000);
    const fork = await holdSession(
      deps,
      await forkSession(deps, await viewSession(deps.store, session.id)),
      holding,
    );
    const now = stateOf({ session: fork, deps });
    expect(await now()).toMatchObject({ branchesLeft: 0, savedTokens: 0 });
    expect(await now()).not.toHaveProperty("cost");
    await reply(fork);
    await fork.prompt("look");
    await backtrack(fork);
    const { cost, savedTokens } = await now();
    expect(cost).toBeCloseTo(COST, 6);
    expect(savedTokens).toBe(24);
  });

  it("of a long session appears a moment later", async () => {
    const { session, state } = await shown();
    for (let count = 0; count < 501; count += 1) await reply(session);
    expect(await state()).not.toHaveProperty("cost");
    await vi.waitFor(async () => expect((await state()).cost).toBeCloseTo(501 * COST, 6));
  });
});

describe("the state of a session in the status line", () => {
  it("has the title, branches, saved tokens, what can be redone, and git's branch or commit", async () => {
    {
      // A long session, also in a git repository.
      const { state } = await shown({}, longSession);
      expect(await state()).toStrictEqual(afterLongSession);
      for (const [head, gitBranch] of [
        ["ref: refs/heads/topic/one", "topic/one"],
        ["0123456789abcdef0123456789abcdef01234567", "0123456789"],
      ] as const) {
        const at = await shown({}, longSession);
        mkdirSync(join(at.workspace, ".git"));
        writeFileSync(join(at.workspace, ".git", "HEAD"), `${head}\n`);
        expect(await at.state()).toStrictEqual({ ...afterLongSession, gitBranch });
      }
    }
    {
      // The first prompt becomes the title.
      const { session, state } = await shown();
      expect(await state()).not.toHaveProperty("title");
      await session.prompt("one");
      await session.prompt("two");
      expect((await state()).title).toBe("one");
    }
    {
      // A prompt without text does not; a title replaces it.
      const { session, state } = await shown();
      const title = async () => (await state()).title;
      await session.prompt([image]);
      expect(await title()).toBeUndefined();
      await session.prompt("two");
      expect(await title()).toBeUndefined();
      await session.retitle("Leaks");
      expect(await title()).toBe("Leaks");
      await session.retitle("More leaks");
      expect(await title()).toBe("More leaks");
    }
    {
      // The workspace is gone.
      const { state } = await shown({ workspace: "/nowhere/at/all" });
      expect((await state()).snapshots).toEqual({ state: "folder-gone", folder: "/nowhere/at/all" });
    }
  });

  it("is the same after each journey, whether the journeys before it are known or not", async () => {
    const { session, state, fresh } = await shown({}, longSession);
    const counts: unknown[] = [];
    const follow = async () => {
      const now = await state();
      expect(now).toStrictEqual(await fresh());
      counts.push([now.checkpoint, now.branchesLeft, now.leftByBacktracks, now.savedTokens, now.redoable]);
    };
    await follow();
    await session.rewind({ to: 8, scope: "conversation" });
    await follow();
    await session.rewind({ to: 1, scope: "conversation" });
    await follow();
    await session.redo({});
    await session.redo({});
    await follow();
    await backtrack(session);
    await follow();
    await session.redo({});
    await follow();
    // The redo leaves a branch that ends at a checkpoint, and the rewind returns to that checkpoint.
    await session.rewind({ to: 1, scope: "conversation" });
    const [latest] = (await session.journeys()).map(({ entry }) => entry.id).toReversed();
    const checkpoint = await session.checkpoint();
    await session.redo(latest as EntryId);
    await session.rewind({ to: checkpoint, scope: "conversation" });
    await follow();
    expect(counts).toEqual([
      [11, 2, 1, 24, 0],
      [8, 3, 1, 24, 1],
      [1, 4, 1, 24, 2],
      [11, 4, 1, 24, 0],
      [12, 5, 2, 48, 1],
      [12, 5, 1, 24, 0],
      [13, 6, 1, 48, 1],
    ]);
  });

  it.each([
    ["branch", "ref: refs/heads/topic/one", "topic/one"],
    ["commit if no branch is checked out", "0123456789abcdef0123456789abcdef01234567", "0123456789"],
  ])("names git's current %s", async (_what, head, gitBranch) => {
    const { workspace, state } = await shown();
    mkdirSync(join(workspace, ".git"));
    writeFileSync(join(workspace, ".git", "HEAD"), `${head}\n`);
    expect(await state()).toMatchObject({ gitBranch });
  });
});

describe("the state of the files in the status line", () => {
  const withFiles = () => shown({}, begin, { state: "on" });
  const snapshot = { kind: "snapshot", checkpoint: 1, author: "outside" } as const;

  it("is that of the last capture, with the reason why it is incomplete", async () => {
    const { session, state } = await withFiles();
    const snapshots = async () => (await state()).snapshots;
    await session.prompt("one");
    // The program that made this checkpoint has ended.
    expect(await snapshots()).toEqual({ state: "on" });
    await session.append({ ...snapshot, checkpoint: 1 as never, state: "none" });
    expect(await snapshots()).toEqual({
      state: "failed",
      ...{ why: expect.any(String), reason: "capture-never-made" },
    });
    const why = { why: "Some were too large.", reason: "some-reason", params: { count: 2 } };
    const id = "f".repeat(64) as never;
    await session.append({ ...snapshot, checkpoint: 1 as never, state: "partial", snapshot: id, ...why });
    expect(await snapshots()).toEqual({ state: "partial", ...why });
    await session.append({ ...snapshot, checkpoint: 1 as never, state: "complete", snapshot: id });
    expect(await snapshots()).toEqual({ state: "on" });
  });
});
