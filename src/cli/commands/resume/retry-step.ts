import { systemClock } from "../../../disk/system-clock.ts";
import type { Agent } from "../../../ports/agent.ts";
import type { TurnEnd } from "../../../ports/agent-events.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { ErrorCode } from "../../../record/error.ts";
import type { Usage } from "../../../record/parts.ts";
import type { Frame } from "../../command/frame.ts";

/** What may be otherwise in a while, without anybody doing something about it. */
const MAY_PASS: ReadonlySet<ErrorCode> = new Set(["MODEL_BUSY", "MODEL_FAILED", "MODEL_UNREACHABLE"]);
const FIRST_PAUSE_MS = 5_000;

export interface Retrying {
  readonly retries: number;
  /** Ends the pause, and with it the trying. */
  readonly signal: AbortSignal;
  readonly clock?: Pick<Clock, "wait">;
}

/**
 * Does the last step again, and again where the provider fails in a way that may pass. Within the turn its calls were
 * tried several times already, within seconds; here the pauses are longer, and double each time.
 */
export async function retryStep(
  { output, strings }: Frame,
  agent: Pick<Agent, "resume">,
  { retries, signal, clock = systemClock }: Retrying,
): Promise<TurnEnd> {
  let end = await agent.resume("retry");
  for (let attempt = 1; attempt <= retries; attempt += 1) {
    const { error } = end;
    if (end.outcome !== "failed" || error === undefined || !MAY_PASS.has(error.code)) return end;
    const waitMs = FIRST_PAUSE_MS * 2 ** (attempt - 1);
    output.warn(strings.resume.retrying({ attempt, of: retries, waitMs, message: error.message }));
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
