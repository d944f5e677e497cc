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
   * The program that is working on the session. If there is one, the last turn is still running and was not
   * interrupted.
   */
  readonly worker?: Worker;
}

/** The session that `--session` names, otherwise the most recently used agent session of the workspace. */
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

/** Returns the possible ways. Files can only be rewound to the state before a step if that step ran on this machine. */
export function waysToResume({ open: { turn }, elsewhere = [] }: Recap): readonly ResumeWay[] {
  if (turn.state === "idle") return ["prompt"];
  const isHere = !elsewhere.some(({ checkpoints }) => checkpoints.includes(turn.step));
  return ["continue", "retry", ...(turn.step > 0 && isHere ? ["rewindFiles" as const] : []), "prompt"];
}

/** Errors that may pass without the user doing anything. */
const MAY_PASS: ReadonlySet<ErrorCode> = new Set(["MODEL_BUSY", "MODEL_FAILED", "MODEL_UNREACHABLE"]);
const FIRST_PAUSE_MS = 5_000;

export interface RetryOptions {
  readonly retries: number;
  /** Ends the pause and all further attempts. */
  readonly signal: AbortSignal;
  readonly clock?: Pick<Clock, "wait">;
}

/**
 * Repeats the last step until it succeeds, as long as the provider fails with an error that may pass. The turn itself
 * has already retried its calls within seconds; the pauses here are longer, and double each time.
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

/** Adds up both turns, because failed attempts have also used tokens and time. */
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
 * The interrupted step's checkpoint, for rewinding the files to it. Ends the processes that the killed run left running,
 * because they could still change files. Throws if there is no such step or if its files were not captured.
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

/** Whether the log has the files of a checkpoint or step, although they may be on another machine. */
async function hasFilesOf(view: SessionView, checkpoint: number): Promise<boolean> {
  return isWithFiles(await filesAt(view, undefined, checkpoint));
}

/** Whether these are the files of a checkpoint, at least in part, and not the reason why it has none. */
export function isWithFiles({ state }: FilesAt): boolean {
  return state === "complete" || state === "partial";
}

/**
 * A step may begin before the capture of its files is complete. The error then suggests an earlier checkpoint, which is
 * never used without asking.
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
