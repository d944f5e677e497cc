import type { TurnEnd } from "../../ports/agent-events.ts";
import { type ErrorCode, isWorldlineError } from "../../record/error.ts";
import { tellChangedFiles } from "./files/tell-changed-files.ts";
import { runStep } from "./step.ts";
import { Tally } from "./tally.ts";
import type { Workbench } from "./workbench.ts";

type Outcome = Pick<TurnEnd, "outcome" | "error">;

/**
 * From a prompt to the final answer. Whatever the model or a tool does, it ends with an outcome; `begin` writes the prompt,
 * or nothing when a turn that was cut goes on.
 */
export async function runTurn(
  bench: Workbench,
  begin: () => Promise<void>,
  signal: AbortSignal,
): Promise<TurnEnd> {
  const started = bench.clock.now();
  const tally = new Tally();
  const outcome = await outcomeOf(bench, { tally, begin, signal });
  await tellChangedFiles(bench);
  for (const { usage, cost } of bench.spending.take()) tally.add(usage, cost);
  const { cost, usage, steps, backtracks, answer } = tally;
  const end: TurnEnd = {
    type: "turn-end",
    ...outcome,
    answer,
    steps,
    backtracks,
    usage,
    ...(cost === undefined ? {} : { cost }),
    milliseconds: bench.clock.now() - started,
    ...unheardIn(bench),
  };
  bench.tell({ type: "doing", doing: { what: "nothing" } });
  bench.tell(end);
  return end;
}

/** What the person said in a turn that did not come to hear it goes back to them. */
function unheardIn({ queue }: Workbench): Pick<TurnEnd, "unheard"> {
  const unheard = queue.splice(0);
  return unheard.length === 0 ? {} : { unheard };
}

interface Running {
  readonly tally: Tally;
  readonly begin: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** What our own store refuses ends the turn too: nothing may run that is not written down. */
async function outcomeOf(bench: Workbench, running: Running): Promise<Outcome> {
  try {
    await running.begin();
    const outcome = await steps(bench, running);
    await bench.session.endTurn();
    return outcome;
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    await giveUp(bench);
    return failed(error);
  }
}

/** What was filed must not happen in the next turn, and what tools changed is the timeline's, whatever the store says. */
async function giveUp({ session, captures }: Workbench): Promise<void> {
  try {
    await session.endTurn();
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
  }
  captures.afterInterrupt();
}

async function steps(bench: Workbench, { tally, signal }: Running): Promise<Outcome> {
  const { maxSteps } = bench.settings;
  for (;;) {
    if (signal.aborted) return interrupted(bench);
    if (tally.steps >= maxSteps) return atLimit(bench, maxSteps);
    const step = await runStep(bench, tally, signal);
    if (step.end === "done") return { outcome: "done" };
    if (step.end === "interrupted") return interrupted(bench);
    if (step.end === "failed") return failed(step.failure);
  }
}

async function interrupted(bench: Workbench): Promise<Outcome> {
  await bench.session.interrupt("person");
  bench.captures.afterInterrupt();
  return {
    outcome: "interrupted",
    error: { code: "CANCELLED", message: "The turn was interrupted." },
  };
}

async function atLimit(bench: Workbench, maxSteps: number): Promise<Outcome> {
  await bench.session.interrupt("limit");
  bench.captures.afterInterrupt();
  return {
    outcome: "step-limit",
    error: {
      code: "STEP_LIMIT",
      message: `The turn was stopped after ${maxSteps} steps.`,
      hint: "Go on with: worldline resume --continue, or allow more: --max-steps",
    },
  };
}

function failed(error: {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
}): Outcome {
  const { code, message, hint } = error;
  return { outcome: "failed", error: { code, message, ...(hint === undefined ? {} : { hint }) } };
}
