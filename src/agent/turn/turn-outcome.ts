import type { TurnEnd } from "../../ports/agent-events.ts";
import { type ErrorCode, isWorldlineError } from "../../record/error.ts";
import type { Tally } from "./tally.ts";
import type { Workbench } from "./workbench.ts";

/** How a turn ended, whichever agent made it. */
export type Outcome = Pick<TurnEnd, "outcome" | "error">;

type EndingBench = Pick<Workbench, "session" | "captures">;

/** What was filed must not happen in the next turn, and what tools changed is the timeline's, whatever the store says. */
export async function giveUp({ session, captures }: EndingBench): Promise<void> {
  try {
    await session.endTurn();
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
  }
  captures.afterInterrupt();
}

export async function interrupted({ session, captures }: EndingBench): Promise<Outcome> {
  await session.interrupt("person");
  captures.afterInterrupt();
  return {
    outcome: "interrupted",
    error: { code: "CANCELLED", message: "The turn was interrupted." },
  };
}

export async function atLimit({ session, captures }: EndingBench, maxSteps: number): Promise<Outcome> {
  await session.interrupt("limit");
  captures.afterInterrupt();
  return {
    outcome: "step-limit",
    error: {
      code: "STEP_LIMIT",
      message: `The turn was stopped after ${maxSteps} ${maxSteps === 1 ? "step" : "steps"}.`,
      hint: "Go on with: worldline resume --continue, or allow more: --max-steps",
    },
  };
}

export function failed(error: {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
}): Outcome {
  const { code, message, hint } = error;
  return { outcome: "failed", error: { code, message, ...(hint === undefined ? {} : { hint }) } };
}

/** Tells the end, with what the turn did and used. What the person said and nobody came to hear goes back to them. */
export function tellEnd(
  { clock, queue, tell }: Pick<Workbench, "clock" | "queue" | "tell">,
  outcome: Outcome,
  { tally, answer, started }: { readonly tally: Tally; readonly answer: string; readonly started: number },
): TurnEnd {
  const { cost, usage, steps, backtracks } = tally;
  const unheard = queue.takeUnheard();
  const end: TurnEnd = {
    type: "turn-end",
    ...outcome,
    answer,
    steps,
    backtracks,
    usage,
    ...(cost === undefined ? {} : { cost }),
    milliseconds: clock.now() - started,
    ...(unheard.length === 0 ? {} : { unheard }),
  };
  tell({ type: "doing", doing: { what: "nothing" } });
  tell(end);
  return end;
}
