import { AsyncLocalStorage } from "node:async_hooks";
import { WorldlineError } from "../../record/error.ts";
import type { StepLedger } from "./step-ledger.ts";

interface RunningStep {
  readonly ledger: StepLedger;
  readonly index: number;
  readonly name: string;
  /** What this one was begun in, of another execution. */
  readonly around: RunningStep | undefined;
  isRunning: boolean;
}

const running = new AsyncLocalStorage<RunningStep>();

/** Runs the work of a step such that what is called from there can tell. */
export async function runWithin<Output>(
  step: Pick<RunningStep, "ledger" | "index" | "name">,
  work: () => Promise<Output>,
): Promise<Output> {
  const { ledger, index, name } = step;
  const inside: RunningStep = { ledger, index, name, around: running.getStore(), isRunning: true };
  try {
    return await running.run(inside, work);
  } finally {
    // What the work has left behind, such as a server, may begin steps later.
    inside.isRunning = false;
  }
}

/**
 * A step has its place by the order of the calls, and one that is given back does not call anything: those within it would
 * be missing from the order of the next run.
 */
export function requireNotWithin(ledger: StepLedger, name: string): void {
  for (let step = running.getStore(); step !== undefined; step = step.around) {
    if (step.isRunning && step.ledger === ledger) {
      const around = { index: step.index, name: step.name };
      throw new WorldlineError("step-within-step", { around, called: name });
    }
  }
}
