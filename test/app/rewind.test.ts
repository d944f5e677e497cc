import { type ChildProcess, spawn } from "node:child_process";
import { describe, expect, it, onTestFinished } from "vitest";
import { touchedIn, withFiles } from "../../src/app/files/files.ts";
import { type FilesWork, filesWork } from "../../src/app/journeys/files-preview.ts";
import { rewindTarget } from "../../src/app/journeys/scope.ts";
import type { Notice } from "../../src/app/notices.ts";
import { makeRedo, previewJourneyRedo, redoSession } from "../../src/app/redo.ts";
import {
  effectOf,
  makeRewind,
  previewCheckpointRewind,
  previewRewind,
  type Rewind,
  rewindSession,
  settleRewind,
} from "../../src/app/rewind.ts";
import type { SessionHold } from "../../src/app/sessions/hold-session.ts";
import { openSessionDeps } from "../../src/app/sessions/store.ts";
import { viewSession } from "../../src/machine/open.ts";
import { openSession } from "../../src/open-session.ts";
import { WorldlineError } from "../../src/record/error.ts";
import { textPart } from "../../src/record/parts.ts";
import { requireCheckpoint } from "../../src/travel/rewind.ts";
import { frameOf } from "../cli/support/frame-of.ts";
import { workshop } from "../cli/support/workshop.ts";
import { isLiving } from "../living.ts";
import { begin, openSessionDeps as openMemoryDeps } from "../machine/deps.ts";
import { hostPrompt, TestRewinder } from "../machine/files/rewinder.ts";
import { MemoryWorkspace } from "../machine/memory-workspace.ts";
import { contextAt } from "./support/context-at.ts";

interface Settled {
  readonly rewind: Rewind;
  readonly work: FilesWork;
  /** Holds the session for the journey alone. */
  readonly alone: SessionHold;
}

/** An agent's session with a checkpoint of `a.txt`, which a tool has changed since. */
async function worked() {
  const place = workshop();
  const { home, workspace, put } = place;
  put("a.txt", "before\n");
  const session = await openSession({ home, workspace, resume: "new", files: "on" });
  const { checkpoint } = await session.prompt("change it");
  await session.capture({ checkpoint, author: "outside" });
  await session.toolStart("c1", "Bash");
  put("a.txt", "after\n");
  await session.toolEnd("c1", "ok", "done");
  await session.capture({ checkpoint: await session.step(), author: "timeline" });
  const notices: Notice["code"][] = [];
  const frame = frameOf(place);
  const listener = { ...frame.listener, report: ({ code }: Notice) => void notices.push(code) };
  const context = { ...frame, listener };
  /** The checkpoint as a front end finds it. */
  const found = async () => {
    const view = await viewSession((await openSessionDeps(context)).store, session.id);
    return { view, row: requireCheckpoint(view.outline, checkpoint) };
  };
  /** Settles the rewind of the files to the checkpoint as a front end would. */
  const settled = async <Result>(make: (settled: Settled) => Promise<Result>): Promise<Result> => {
    const deps = await openSessionDeps(context);
    return withFiles(context, workspace, async (workspaceFiles) => {
      const target = await rewindTarget(context, await found(), workspaceFiles);
      const rewind = await settleRewind(target, { scope: "files", suggest: "nothing" });
      const work: FilesWork = {
        files: workspaceFiles.files,
        mode: "agent",
        withProgress: async (each) => each({}),
      };
      return make({ rewind, work, alone: { deps: { ...deps, ...touchedIn(workspaceFiles) }, name: "test" } });
    });
  };
  return { ...place, context, session, found, settled, notices };
}

describe("a rewind to a checkpoint of any session", () => {
  it("asks for the scope, previews, and performs the rewind in one call", async () => {
    const { context, session, found, files } = await worked();
    await session.close();
    const made = await makeRewind(context, {
      checkpoint: await found(),
      scope: undefined,
      askScope: async ({ scopes }) => scopes.at(-1) ?? "stay",
      name: "test",
      decide: async (preview) => {
        const { scope, files: described } = await preview();
        const { steps, conflicts } = described ?? expect.unreachable();
        return { chosen: described?.chosen, scope, steps, conflicts, seen: files()["a.txt"] };
      },
    });
    expect(made).toMatchObject({
      scope: "files",
      steps: [{ path: "a.txt", what: "changed", lines: { added: 1, removed: 1 } }],
      conflicts: "open",
      seen: "after\n",
      result: { files: { restored: 1 } },
    });
    expect(files()["a.txt"]).toBe("before\n");
    const redone = await makeRedo(context, {
      journey: undefined,
      scope: undefined,
      name: "test",
      decide: async (preview) => {
        const { redo, files: described } = await preview();
        const { steps, conflicts } = described ?? expect.unreachable();
        return { chosen: described?.chosen, scope: redo.scope, steps, conflicts };
      },
    });
    expect(redone).toMatchObject({
      scope: "files",
      steps: [{ path: "a.txt", what: "changed", lines: { added: 1, removed: 1 } }],
      conflicts: "open",
      result: { files: { restored: 1 } },
    });
    expect(files()["a.txt"]).toBe("after\n");
  });

  it("changes nothing if the user chooses no scope", async () => {
    const { context, session, found, files } = await worked();
    await session.close();
    const before = files();
    const stayed = await makeRewind(context, {
      checkpoint: await found(),
      scope: undefined,
      askScope: async () => "stay",
      name: "test",
      decide: async () => ({ chosen: undefined }),
    });
    expect(stayed).toBe("stay");
    expect(files()).toEqual(before);
  });
});

describe("a rewind of a session", () => {
  it("previews the effect without changing anything, and then has exactly that effect", async () => {
    const { context, session, settled, files } = await worked();
    await session.close();
    const made = await settled(async ({ rewind, work, alone: held }) =>
      rewindSession(context, rewind, {
        hold: held,
        work,
        decide: async (preview) => {
          const { files: look } = await preview();
          return { chosen: look?.chosen, steps: look?.preview.steps.length, seen: files()["a.txt"] };
        },
      }),
    );
    expect(made).toMatchObject({ steps: 1, seen: "after\n", result: { files: { restored: 1 } } });
    expect(files()["a.txt"]).toBe("before\n");
  });

  it("changes nothing if the front end throws instead of deciding", async () => {
    const { context, session, settled, files } = await worked();
    await session.close();
    const before = files();
    const declined = settled(async ({ rewind, work, alone }) =>
      rewindSession(context, rewind, {
        hold: alone,
        work,
        decide: async (preview) => {
          await preview();
          throw new Error("declined");
        },
      }),
    );
    await expect(declined).rejects.toThrow("declined");
    expect(files()).toEqual(before);
    const view = await settled(async ({ rewind }) => rewind.view);
    expect(view.outline.linesOf("rewind")).toEqual([]);
  });
});

/** A session in memory: a prompt (1), a step (2), a command (3), and a manual checkpoint (4) before more work. */
async function remembered() {
  const files = new MemoryWorkspace();
  const session = await begin({ ...openMemoryDeps(), files });
  files.write("a.txt", "one\n");
  const { checkpoint } = await session.prompt("go");
  await session.capture({ checkpoint, author: "outside" });
  await session.step();
  await session.reply({ model: "m", parts: [textPart("Gone.")] });
  await session.checkpoint(undefined, { author: "outside" });
  await session.toolStart("shell-x", "Shell", { input: { command: "make" } });
  await session.toolEnd("shell-x", "ok", "");
  await session.checkpoint(undefined, { author: "outside" });
  await session.prompt("more");
  files.write("a.txt", "two\n");
  const { context } = contextAt(workshop());
  const work = filesWork(context, { files, mode: "agent" }, {});
  const rewindOf = (number: number, more: Pick<Rewind, "scope"> & Partial<Rewind>): Rewind => ({
    view: session,
    row: requireCheckpoint(session.outline, number),
    workspaceFiles: { state: "on", files },
    ...more,
  });
  return { session, files, context, work, rewindOf };
}

describe("a preview of a rewind", () => {
  it("shows the checkpoint, the prompt, and the effect on the conversation and the files", async () => {
    const { session, context, work, rewindOf } = await remembered();
    const both = rewindOf(1, { scope: "both" });
    const { outline } = session;
    const preview = await previewRewind(context, both, { work });
    expect(preview).toEqual({
      scope: "both",
      mode: "agent",
      checkpoint: expect.objectContaining({ number: 1, branch: "here", prompt: "go" }),
      step: undefined,
      effect: effectOf(outline, both.row, "both"),
      prompt: [textPart("go")],
      files: { chosen: {}, preview: expect.objectContaining({ kept: [{ path: "a.txt", why: "outside" }] }) },
    });
    expect(await previewRewind(context, both, { work, held: session })).toEqual(preview);
    const filesStay = new WorldlineError("checkpointing-off", {});
    expect(await previewRewind(context, rewindOf(1, { scope: "conversation", filesStay }), { work })).toEqual(
      {
        ...preview,
        scope: "conversation",
        filesStay,
        files: undefined,
      },
    );
    expect(await previewRewind(context, rewindOf(1, { scope: "files" }), { work })).toEqual({
      ...preview,
      scope: "files",
      effect: effectOf(outline, both.row, "files"),
      prompt: undefined,
    });
  });

  it.each([2, 3, 4])("has no prompt for a checkpoint that is not the place of one: %i", async (number) => {
    const { context, work, rewindOf } = await remembered();
    const rewind = rewindOf(number, { scope: "conversation" });
    expect((await previewRewind(context, rewind, { work })).prompt).toBeUndefined();
  });

  it("comes from the other agent that restores the files", async () => {
    const { session, files, context, work, rewindOf } = await remembered();
    const number = await hostPrompt(session, "change it", "m1");
    const rewinder = new TestRewinder(files, { m1: { "a.txt": "one\n" } });
    const rewind = rewindOf(number, { scope: "files", rewinder });
    const { files: look } = await previewRewind(context, rewind, { work });
    expect(look?.preview.through).toMatchObject({ name: "other agent" });
  });
});

describe("performing a rewind of a session that this process holds", () => {
  it("lets the other agent restore the files, but not rewind the conversation", async () => {
    const { session, files, context, work, rewindOf } = await remembered();
    const number = await hostPrompt(session, "change it", "m1");
    const rewinder = new TestRewinder(files, { m1: { "a.txt": "one\n" } });
    const perform = async (scope: "both" | "conversation") =>
      rewindSession(context, rewindOf(number, { scope, rewinder }), {
        hold: { held: session },
        work,
        decide: async () => ({ chosen: undefined, said: "yes" }),
      });
    expect(await perform("both")).toMatchObject({
      said: "yes",
      result: { files: { through: { name: "other agent" } } },
    });
    expect(rewinder.asked.map((each) => each.split(" ")[0])).toContain("rewind");
    rewinder.asked.length = 0;
    await session.prompt("more");
    expect((await perform("conversation")).result.files).not.toHaveProperty("through");
    expect(rewinder.asked).toEqual([]);
  });

  it("previews again with the choices that the user makes", async () => {
    const { session, context, work, rewindOf } = await remembered();
    const choices = new Map([["a.txt", "keep"]] as const);
    const { first, second } = await rewindSession(context, rewindOf(1, { scope: "both" }), {
      hold: { held: session },
      work,
      decide: async (preview) => {
        const [first, second] = [await preview(), await preview(choices)];
        return { chosen: first.files?.chosen, first: first.files?.chosen, second: second.files?.chosen };
      },
    });
    expect([first, second]).toEqual([{}, { choices }]);
  });
});

/** A process of the Claude Agent SDK, as a killed run of the session leaves it. */
function ofSdk(session: string): ChildProcess {
  const child = spawn("sleep", ["60"], { env: { WORLDLINE_MARK: `worldline-claude-${session}-1.` } });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

const isRunning = ({ pid }: ChildProcess) => isLiving(pid ?? 0);

describe.runIf(process.platform === "linux")("a process of the SDK", () => {
  it("that a killed run left running is ended before the files are previewed", async () => {
    const { context, session, settled, notices } = await worked();
    await session.close();
    await settled(async ({ rewind, work, alone }) => {
      const left = ofSdk(session.id);
      const decide = async () => ({ running: isRunning(left), chosen: undefined });
      const made = await rewindSession(context, rewind, { hold: alone, work, decide });
      expect(made.running).toBe(false);
      const leftAgain = ofSdk(session.id);
      const redone = await redoSession(context, rewind, {
        hold: alone,
        target: { journey: undefined },
        work,
        decide: async () => ({ running: isRunning(leftAgain), chosen: undefined }),
      });
      expect(redone).toMatchObject({ running: false, redo: { undone: { id: made.result.journey } } });
    });
    expect(notices.filter((code) => code === "commands-ended")).toHaveLength(2);
  });

  it("is reported by a preview, which does not end it", async () => {
    const { context, session, found, notices } = await worked();
    await session.close();
    const left = ofSdk(session.id);
    const request = { checkpoint: await found(), scope: "files" } as const;
    expect(await previewCheckpointRewind(context, request)).toMatchObject({ scope: "files" });
    expect(notices).toContain("commands-running");
    expect(isRunning(left)).toBe(true);
    notices.length = 0;
    await previewCheckpointRewind(context, { ...request, scope: "conversation" });
    expect(notices).toEqual([]);
    left.kill("SIGKILL");
    await makeRewind(context, { ...request, name: "test", decide: async () => ({ chosen: undefined }) });
    const leftAgain = ofSdk(session.id);
    notices.length = 0;
    const redo = { journey: undefined, scope: undefined };
    expect(await previewJourneyRedo(context, redo)).toMatchObject({ redo: { scope: "files" } });
    expect(notices).toContain("commands-running");
    expect(isRunning(leftAgain)).toBe(true);
    await makeRewind(context, {
      ...request,
      scope: "conversation",
      name: "test",
      decide: async () => ({ chosen: undefined }),
    });
    notices.length = 0;
    expect(await previewJourneyRedo(context, redo)).not.toHaveProperty("files");
    expect(notices).toEqual(["session-chosen"]);
  });

  it("of the agent that holds the session keeps running", async () => {
    const { context, session, settled, notices } = await worked();
    onTestFinished(async () => session.close());
    const running = ofSdk(session.id);
    await settled(async ({ rewind, work }) =>
      rewindSession(context, rewind, {
        hold: { held: session },
        work,
        decide: async () => ({ chosen: undefined }),
      }),
    );
    expect(isRunning(running)).toBe(true);
    expect(notices).not.toContain("commands-ended");
  });
});
