import type { TurnEnd } from "../../ports/agent-events.ts";
import { isWorldlineError } from "../../record/error.ts";
import { tellChangedFiles } from "./files/tell-changed-files.ts";
import { runStep } from "./step.ts";
import { Tally } from "./tally.ts";
import { atLimit, failed, giveUp, interrupted, type Outcome, tellEnd } from "./turn-outcome.ts";
import type { Workbench } from "./workbench.ts";

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
  const outcome = await outcomeOf(bench, { tally, begin, signal }).catch((error: unknown) => {
    // The caller still has it; the next turn must not say it a second time.
    bench.queue.takeUnheard();
    throw error;
  });
  await tellChangedFiles(bench);
  for (const { usage, cost } of bench.spending.take()) tally.add(usage, cost);
  return tellEnd(bench, outcome, { tally, answer: tally.answer, started });
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
