import type { Life } from "../ports/lease.ts";
import type { Unstored } from "../record/entry.ts";
import { isWorldlineError, problemOf, WorldlineError } from "../record/error.ts";
import type { StepCheckpoint } from "./execution.ts";
import type { StepRecord } from "./step-records.ts";

const MAX_LISTED = 12;

type Step = Pick<StepRecord, "index" | "name">;

export function checkpointNotFound(id: string, known: readonly string[]): WorldlineError {
  return new WorldlineError("checkpoint-not-found", {
    checkpoint: id,
    known: known.slice(-MAX_LISTED),
    more: known.length > MAX_LISTED ? "yes" : "no",
  });
}

export function stepChanged({ index, name }: Step, called: string): WorldlineError {
  return new WorldlineError("step-changed", { index, name, called });
}

export function stepUnfinished(step: StepCheckpoint): WorldlineError {
  const { index, name, attempt, time, unstored } = step;
  if (unstored !== undefined) return resultLost({ index, name }, unstored);
  return new WorldlineError("step-unfinished", { index, name, attempt, time: time.toISOString() });
}

/** The error for a step that completed, but whose result could not be stored at all. */
export function resultLost({ index, name }: Step, unstored: readonly Unstored[]): WorldlineError {
  return new WorldlineError("step-result-lost", { index, name, unstored });
}

export function givenUp({
  index,
  name,
  attempt,
}: Pick<StepRecord, "index" | "name" | "attempt">): WorldlineError {
  return new WorldlineError("step-given-up", { index, name, attempt });
}

/** The error for a step whose work is done, but whose end could not be written to the log because the store failed. */
export function notWritten(
  { index, name }: Step,
  outcome: "ran" | "failed",
  failure: unknown,
): WorldlineError {
  const code = isWorldlineError(failure) ? failure.code : "STORE_UNWRITABLE";
  // If the store merely refused the line, the line is written later. A log that is closed, or that another program now
  // holds, does not accept more writes.
  const result = code.startsWith("STORE_") ? "waits" : "lost";
  const problem = problemOf(failure);
  return new WorldlineError(
    "step-not-written",
    { code, index, name, outcome, problem, result },
    { cause: failure },
  );
}

/** The error for a step that was still running when the program closed the execution. */
export function closedUnder(
  { index, name }: Step,
  outcome: "ran" | "failed",
  cause: unknown,
): WorldlineError {
  return new WorldlineError("step-closed-under", { index, name, outcome }, { cause });
}

export function retriesSpent({ index, name }: Step, tried: number, cause?: unknown): WorldlineError {
  return new WorldlineError("retries-spent", { index, name, tried }, { cause });
}

export function executionClosed(id: string, how: "closed" | "deleted"): WorldlineError {
  return new WorldlineError("execution-closed", { execution: shownId(id), how });
}

/**
 * The SESSION_HELD error, with a hint about what the program can do. The program can take over from another holder only
 * if that holder's process cannot be checked from this machine.
 */
export function heldByAnother(id: string, error: WorldlineError, life: Life): WorldlineError {
  return new WorldlineError(
    "execution-held",
    {
      execution: shownId(id),
      problem: problemOf(error),
      holder: life === "elsewhere" ? "elsewhere" : "here",
    },
    { cause: error },
  );
}

function shownId(id: string): string {
  return id.length > 80 ? `${id.slice(0, 80)}…` : id;
}
