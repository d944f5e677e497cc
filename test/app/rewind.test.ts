import { type ChildProcess, spawn } from "node:child_process";
import { describe, expect, it, onTestFinished } from "vitest";
import { touchedIn, withFiles } from "../../src/app/files/files.ts";
import type { FilesWork } from "../../src/app/journeys/files-preview.ts";
import { rewindTarget } from "../../src/app/journeys/scope.ts";
import type { Notice } from "../../src/app/notices.ts";
import { makeRedo, previewJourneyRedo, redoSession } from "../../src/app/redo.ts";
import {
  makeRewind,
  previewCheckpointRewind,
  type Rewind,
  rewindSession,
  settleRewind,
} from "../../src/app/rewind.ts";
import type { SessionHold } from "../../src/app/sessions/hold-session.ts";
import { openSessionDeps } from "../../src/app/sessions/store.ts";
import { viewSession } from "../../src/machine/open.ts";
import { openSession } from "../../src/open-session.ts";
import { requireCheckpoint } from "../../src/travel/rewind.ts";
import { frameOf } from "../cli/support/frame-of.ts";
import { workshop } from "../cli/support/workshop.ts";
import { isLiving } from "../living.ts";

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
        return { chosen: described?.chosen, scope, steps: described?.steps.length, seen: files()["a.txt"] };
      },
    });
    expect(made).toMatchObject({
      scope: "files",
      steps: 1,
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
        return { chosen: described?.chosen, scope: redo.scope };
      },
    });
    expect(redone).toMatchObject({ scope: "files", result: { files: { restored: 1 } } });
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
    left.kill("SIGKILL");
    await makeRewind(context, { ...request, name: "test", decide: async () => ({ chosen: undefined }) });
    const leftAgain = ofSdk(session.id);
    notices.length = 0;
    const redo = { journey: undefined, scope: undefined };
    expect(await previewJourneyRedo(context, redo)).toMatchObject({ redo: { scope: "files" } });
    expect(notices).toContain("commands-running");
    expect(isRunning(leftAgain)).toBe(true);
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
