import { BackgroundCommands } from "../agent/tools/bash/bash.ts";
import { systemClock } from "../disk/system-clock.ts";
import { sdkProcesses } from "../hosts/claude-agent-sdk/sdk/process.ts";
import { filesAt } from "../machine/files/look.ts";
import type { SessionView } from "../machine/view.ts";
import type { Agent } from "../ports/agent.ts";
import type { TurnEnd } from "../ports/agent-events.ts";
import type { Clock } from "../ports/clock.ts";
import { type ErrorCode, WorldlineError } from "../record/error.ts";
import type { Usage } from "../record/parts.ts";
import { branchOf } from "../timeline/outline.ts";
import type { TurnState } from "../timeline/turn-state.ts";
import { requireCheckpoint } from "../travel/rewind.ts";
import type { FoundCheckpoint } from "./checkpoints/find-checkpoint.ts";
import type { AppContext } from "./context.ts";
import { withHeld } from "./sessions/hold-session.ts";
import { openSessionDeps } from "./sessions/store.ts";

/** Errors that may pass without anyone doing something about them. */
const MAY_PASS: ReadonlySet<ErrorCode> = new Set(["MODEL_BUSY", "MODEL_FAILED", "MODEL_UNREACHABLE"]);
const FIRST_PAUSE_MS = 5_000;

/** Another attempt at a step, which the user should know about. */
export interface RetryNotice {
  readonly attempt: number;
  readonly of: number;
  readonly waitMs: number;
  readonly message: string;
}

export interface RetryOptions {
  readonly retries: number;
  /** Ends the pause, and all further attempts. */
  readonly signal: AbortSignal;
  readonly onRetry: (notice: RetryNotice) => void;
  readonly clock?: Pick<Clock, "wait">;
}

/**
 * Does the last step again, and again where the provider fails in a way that may pass. Within the turn its calls were
 * tried several times already, within seconds; here the pauses are longer, and double each time.
 */
export async function retryStep(
  agent: Pick<Agent, "resume">,
  { retries, signal, onRetry, clock = systemClock }: RetryOptions,
): Promise<TurnEnd> {
  let end = await agent.resume("retry");
  for (let attempt = 1; attempt <= retries; attempt += 1) {
    const { error } = end;
    if (end.outcome !== "failed" || error === undefined || !MAY_PASS.has(error.code)) return end;
    const waitMs = FIRST_PAUSE_MS * 2 ** (attempt - 1);
    onRetry({ attempt, of: retries, waitMs, message: error.message });
    await clock.wait(waitMs, signal);
    if (signal.aborted) return interrupted(end);
    end = together(end, await agent.resume("retry"));
  }
  return end;
}

function interrupted({ error: _, ...end }: TurnEnd): TurnEnd {
  return { ...end, outcome: "interrupted" };
}

/** What was used is used, whether or not it led to something. */
function together(before: TurnEnd, after: TurnEnd): TurnEnd {
  const cost =
    before.cost === undefined || after.cost === undefined ? {} : { cost: before.cost + after.cost };
  const { cost: _, ...rest } = after;
  return {
    ...rest,
    ...cost,
    steps: before.steps + after.steps,
    backtracks: before.backtracks + after.backtracks,
    usage: sum(before.usage, after.usage),
    milliseconds: before.milliseconds + after.milliseconds,
  };
}

function sum(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}

/** Where the files go back to before the step that was cut. Refused where there was none, or where its files are not captured. */
export async function beforeCutStep(view: SessionView, turn: TurnState): Promise<FoundCheckpoint> {
  if (turn.state === "idle" || turn.step === 0) throw new WorldlineError("no-step-was-cut", {});
  if (!(await isCaptured(view, turn.step))) throw await notCaptured(view, turn.step);
  return { view, row: requireCheckpoint(view.outline, turn.step) };
}

async function isCaptured(view: SessionView, checkpoint: number): Promise<boolean> {
  const { state } = await filesAt(view, undefined, checkpoint);
  return state === "complete" || state === "partial";
}

/** A step may begin before the capture of its files is done. An older state is offered, never taken in its place. */
async function notCaptured(view: SessionView, step: number): Promise<WorldlineError> {
  const earlier = branchOf(view.outline).filter(
    ({ kind, number }) => (kind === "checkpoint" || kind === "step") && number < step,
  );
  let older: number | undefined;
  for (const { number } of earlier.toReversed()) {
    older ??= (await isCaptured(view, number)) ? number : undefined;
  }
  return new WorldlineError("files-before-step-not-captured", {
    session: view.id,
    step,
    ...(older === undefined ? {} : { older }),
  });
}

/**
 * Ends what the killed run left running, which would go on changing files that are taken back. The session is held meanwhile,
 * so that nothing of a run that is under way is ended. Returns the commands.
 */
export async function endLeftovers(context: AppContext, { id }: SessionView): Promise<readonly string[]> {
  const all = [new BackgroundCommands(id), sdkProcesses(id)];
  if (all.every((each) => each.leftovers().length === 0)) return [];
  const deps = await openSessionDeps(context);
  const hold = { context, deps, session: id, name: "worldline resume" };
  const ended = await withHeld(hold, async () => Promise.all(all.map(async (each) => each.endLeftovers())));
  return ended.flat();
}
