import type { TurnEnd } from "../../ports/agent-events.ts";
import { inEnglish, isWorldlineError } from "../../record/error.ts";
import type { AgentContext } from "../agent-context.ts";
import { type Failure, madeFrom } from "../error-entry.ts";
import { tellChangedFiles } from "./files/changed-files.ts";
import type { Tally } from "./tally.ts";

/** How a turn ended, whichever agent made it. */
export type Outcome = Pick<TurnEnd, "outcome" | "error">;

/**
 * One turn, whichever agent makes it: `work` writes what it begins with and makes its steps. Whatever the model or a tool
 * does, the turn ends with an outcome.
 */
export async function runTurn(
  context: AgentContext,
  tally: Tally,
  work: () => Promise<Outcome>,
): Promise<TurnEnd> {
  const { clock, queue, spending, tell } = context;
  const started = clock.now();
  const outcome = await outcomeOf(context, work).catch((error: unknown) => {
    // The caller still has it; the next turn must not say it a second time.
    queue.takeUnheard();
    throw error;
  });
  await tellChangedFiles(context);
  for (const { usage, cost } of spending.take()) tally.add(usage, cost);
  const { answer, cost, usage, steps, backtracks } = tally;
  // What the user said and no step came to hear goes back to them.
  const unheard = queue.takeUnheard();
  const end: TurnEnd = {
    type: "turn-end",
    ...outcome,
    answer,
    steps,
    backtracks,
    usage,
    cost,
    milliseconds: clock.now() - started,
    unheard: unheard.length === 0 ? undefined : unheard,
  };
  tell({ type: "doing", doing: { what: "nothing" } });
  tell(end);
  return end;
}

/** What our own store refuses ends the turn too: nothing may run that is not written down. */
async function outcomeOf(context: AgentContext, work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    const outcome = await work();
    await context.session.endTurn();
    return outcome;
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    await giveUp(context);
    return failed(error);
  }
}

/** What was filed must not happen in the next turn, and what tools changed is the timeline's, whatever the store says. */
async function giveUp({ session, captures }: AgentContext): Promise<void> {
  try {
    await session.endTurn();
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
  }
  captures.afterInterrupt();
}

export async function interrupted({ session, captures }: AgentContext): Promise<Outcome> {
  await session.interrupt("person");
  captures.afterInterrupt();
  return {
    outcome: "interrupted",
    error: turnError(inEnglish("turn-interrupted", {})),
  };
}

export async function atLimit({ session, captures, settings }: AgentContext): Promise<Outcome> {
  const { maxSteps } = settings;
  await session.interrupt("limit");
  captures.afterInterrupt();
  return {
    outcome: "step-limit",
    error: turnError(inEnglish("step-limit", { steps: maxSteps })),
  };
}

export function failed(failure: Failure): Outcome {
  return { outcome: "failed", error: turnError(failure) };
}

function turnError(failure: Failure): NonNullable<TurnEnd["error"]> {
  const { code, message, hint } = failure;
  return { code, message, ...(hint === undefined ? {} : { hint }), ...madeFrom(failure) };
}
