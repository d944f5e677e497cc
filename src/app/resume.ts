import { systemClock } from "../disk/system-clock.ts";
import { filesAt } from "../machine/files/look.ts";
import type { FilesAt } from "../machine/files/requests.ts";
import { recapOf } from "../machine/queries/recap.ts";
import type { SessionView } from "../machine/view.ts";
import type { Agent } from "../ports/agent.ts";
import type { TurnEnd } from "../ports/agent-events.ts";
import type { Clock } from "../ports/clock.ts";
import type { LogStore } from "../ports/log-store.ts";
import { type ErrorCode, problemIn, WorldlineError } from "../record/error.ts";
import { sumOfUsage } from "../record/parts.ts";
import { branchOf } from "../timeline/outline.ts";
import type { Recap } from "../timeline/recap.ts";
import { requireCheckpoint } from "../travel/rewind.ts";
import type { FoundCheckpoint } from "./checkpoints/find-checkpoint.ts";
import type { AppContext } from "./context.ts";
import { endLeftRunning } from "./journeys/left-running.ts";
import { openToAct, refuseExecution, sessionsHere } from "./sessions/find-session.ts";
import { holderIn, type Worker, workerIn } from "./sessions/store.ts";

/** A session to continue, and the state of its last turn. */
export interface ResumableSession {
  readonly view: SessionView;
  readonly recap: Recap;
  /**
   * The program that is working on the session. If such a program exists, the last turn is still running and was not
   * interrupted.
   */
  readonly worker?: Worker;
}

/** Finds the session that `--session` names, otherwise the most recently used agent session in the workspace. */
export async function findResumable(context: AppContext, store: LogStore): Promise<ResumableSession> {
  const view = await sessionMeant(context, store);
  const recap = await recapOf(view, await holderIn(store, view.id));
  const worker = await workerIn(store, view.id);
  return { view, recap, ...(worker === undefined ? {} : { worker }) };
}

async function sessionMeant(context: AppContext, store: LogStore): Promise<SessionView> {
  const { session } = context.common;
  if (session !== undefined) {
    const view = await openToAct(context, store, session);
    refuseExecution(view.header);
    return view;
  }
  const latest = (await sessionsHere(context, store)).find(({ header }) => header.mode === "agent");
  if (latest !== undefined) return latest;
  throw new WorldlineError("no-session-of-an-agent", { workspace: await context.workspace() });
}

/** The ways to continue a session. */
export type ResumeWay = "continue" | "retry" | "rewindFiles" | "prompt";

/**
 * Returns the possible ways to continue the session. Files can be rewound to the state before a step only if that step
 * ran on this machine.
 */
export function waysToResume({ open: { turn }, elsewhere = [] }: Recap): readonly ResumeWay[] {
  if (turn.state === "idle") return ["prompt"];
  const isHere = !elsewhere.some(({ checkpoints }) => checkpoints.includes(turn.step));
  return ["continue", "retry", ...(turn.step > 0 && isHere ? ["rewindFiles" as const] : []), "prompt"];
}

/** Errors that may go away without any action by the user. */
const MAY_PASS: ReadonlySet<ErrorCode> = new Set(["MODEL_BUSY", "MODEL_FAILED", "MODEL_UNREACHABLE"]);
const FIRST_PAUSE_MS = 5_000;

export interface RetryOptions {
  readonly retries: number;
  /** Ends the current pause and prevents further attempts. */
  readonly signal: AbortSignal;
  readonly clock?: Pick<Clock, "wait">;
}

/**
 * Repeats the last step until it succeeds, as long as the provider fails with a temporary error. The turn itself has
 * already retried its calls within seconds. The pauses here are longer, and double each time.
 */
export async function retryStep(
  { listener }: Pick<AppContext, "listener">,
  agent: Pick<Agent, "resume">,
  { retries, signal, clock = systemClock }: RetryOptions,
): Promise<TurnEnd> {
  let end = await agent.resume("retry");
  for (let attempt = 1; attempt <= retries; attempt += 1) {
    const { error } = end;
    if (end.outcome !== "failed" || error === undefined || !MAY_PASS.has(error.code)) return end;
    const waitMs = FIRST_PAUSE_MS * 2 ** (attempt - 1);
    const problem = problemIn({ ...error, why: error.message });
    listener.report({ code: "step-retried", attempt, of: retries, waitMs, problem });
    await clock.wait(waitMs, signal);
    if (signal.aborted) return interrupted(end);
    end = together(end, await agent.resume("retry"));
  }
  return end;
}

function interrupted({ error: _, ...end }: TurnEnd): TurnEnd {
  return { ...end, outcome: "interrupted" };
}

/** Adds up the usage of both turns, because failed attempts used tokens and time too. */
function together(before: TurnEnd, after: TurnEnd): TurnEnd {
  const cost =
    before.cost === undefined || after.cost === undefined ? {} : { cost: before.cost + after.cost };
  const { cost: _, ...rest } = after;
  return {
    ...rest,
    ...cost,
    steps: before.steps + after.steps,
    backtracks: before.backtracks + after.backtracks,
    usage: sumOfUsage(before.usage, after.usage),
    milliseconds: before.milliseconds + after.milliseconds,
  };
}

/**
 * Returns the checkpoint of the interrupted step, so that the files can be rewound to it. Terminates the processes that
 * the killed process left running, because they could still change files. Throws if there is no interrupted step or if
 * its files were not captured.
 */
export async function checkpointOfCut(
  context: AppContext,
  { view, recap }: Pick<ResumableSession, "view" | "recap">,
): Promise<FoundCheckpoint> {
  const { turn } = recap.open;
  if (turn.state === "idle" || turn.step === 0) throw new WorldlineError("no-step-was-cut", {});
  if (!(await hasFilesOf(view, turn.step))) throw await notCaptured(view, turn.step);
  await endLeftRunning(context, view);
  return { view, row: requireCheckpoint(view.outline, turn.step) };
}

/** Checks whether the log records files for a checkpoint or step. The files themselves may be on another machine. */
async function hasFilesOf(view: SessionView, checkpoint: number): Promise<boolean> {
  return isWithFiles(await filesAt(view, undefined, checkpoint));
}

/**
 * Checks whether a checkpoint has files, at least in part. If the checkpoint has no files, `FilesAt` contains the
 * reason.
 */
export function isWithFiles({ state }: FilesAt): boolean {
  return state === "complete" || state === "partial";
}

/**
 * Returns the error for a step whose files were not captured, because a step may begin before their capture is
 * complete. The error suggests an earlier checkpoint, which is never used without asking the user.
 */
async function notCaptured(view: SessionView, step: number): Promise<WorldlineError> {
  const earlier = branchOf(view.outline).filter(
    ({ kind, number }) => (kind === "checkpoint" || kind === "step") && number < step,
  );
  let older: number | undefined;
  for (const { number } of earlier.toReversed()) {
    older ??= (await hasFilesOf(view, number)) ? number : undefined;
  }
  return new WorldlineError("files-before-step-not-captured", {
    session: view.id,
    step,
    ...(older === undefined ? {} : { older }),
  });
}
