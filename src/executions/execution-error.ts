import type { Life } from "../ports/lease.ts";
import type { Unstored } from "../record/entry.ts";
import { WorldlineError } from "../record/error.ts";
import type { StepCheckpoint } from "./execution.ts";
import type { StepRecord } from "./step-records.ts";

const MOST_LISTED = 12;

function stepName({ index, name }: Pick<StepRecord, "index" | "name">): string {
  return `${index} "${name}"`;
}

export function checkpointNotFound(id: string, known: readonly string[]): WorldlineError {
  const listed = known.slice(-MOST_LISTED).join(", ");
  const more = known.length > MOST_LISTED ? "…, " : "";
  const hint =
    known.length === 0
      ? "This execution has no steps yet: begin one with step or save."
      : `There are: ${more}${listed}`;
  return new WorldlineError("CHECKPOINT_UNKNOWN", `Checkpoint ${id} not found`, { hint });
}

export function noSuccessBefore(index: number, first: StepCheckpoint["id"] | undefined): WorldlineError {
  return new WorldlineError("CHECKPOINT_UNKNOWN", `No successful checkpoint found before step ${index}`, {
    hint:
      first === undefined
        ? "Nothing has succeeded yet: run the steps from the first one on."
        : `The last success is ${first}: choose a step behind it, or run the steps from the first one on.`,
  });
}

export function stillOpen(id: string): WorldlineError {
  return new WorldlineError("REWIND_REFUSED", `Checkpoint ${id} is of a step that is still open.`, {
    hint: "Go to the last success instead: lastSuccessful() has its id.",
  });
}

export function stepRunning(index: number, what: string): WorldlineError {
  return new WorldlineError("INPUT_INVALID", `Step ${index} is running: ${what}`, {
    hint: "Wait for its promise first.",
  });
}

export function stepChanged(record: StepRecord, called: string): WorldlineError {
  const { index, name } = record;
  return new WorldlineError(
    "STEP_CHANGED",
    `Step ${index} is called "${called}" now, but "${name}" is recorded there.`,
    {
      hint:
        "The program has changed since. Go back before it with rollbackTo, begin another execution, " +
        `or say which place "${called}" has, other than ${index}: step(name, work, { index }).`,
    },
  );
}

export function stepUnfinished(step: StepCheckpoint): WorldlineError {
  const { index, name, attempt, time, unstored } = step;
  if (unstored !== undefined) return resultLost({ index, name }, unstored);
  return new WorldlineError(
    "STEP_UNFINISHED",
    `Step ${stepName({ index, name })} began at ${time.toISOString()} (attempt ${attempt}) and did not finish: it may have done its work, or half of it.`,
    { hint: `Check whether it did, and decide: ${decisionsFor(index)}` },
  );
}

function decisionsFor(index: number): string {
  return (
    `step(name, work, { index: ${index}, unfinished: "retry" }) runs it again, ` +
    `{ index: ${index}, unfinished: { skip: output } } goes on without it, ` +
    `{ index: ${index}, unfinished: "fail" } counts it as failed.`
  );
}

/** The work is done, and nothing of what it returned could be stored. */
export function resultLost(
  record: Pick<StepRecord, "index" | "name">,
  unstored: readonly Unstored[],
): WorldlineError {
  return new WorldlineError(
    "STEP_UNFINISHED",
    `Step ${stepName(record)} ran, but its result cannot be stored: ${unstoredText(unstored)}.`,
    {
      hint: `It is not run again by itself. Return data from its work, such as await response.json(), and decide: ${decisionsFor(record.index)}`,
    },
  );
}

const MAX_NAMED_PARTS = 3;

/** `output is an instance of Result, output.parse is a function`. */
export function unstoredText(unstored: readonly Unstored[]): string {
  const named = unstored.slice(0, MAX_NAMED_PARTS).map(({ path, why, of }) => `${path} ${whyText(why, of)}`);
  const more = unstored.length - named.length;
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}

function whyText(why: Unstored["why"], of: string | undefined): string {
  switch (why) {
    case "class":
      return of === undefined ? "is not a plain object" : `is an instance of ${of}`;
    case "live":
      return `is a live object${of === undefined ? "" : ` (${of})`}`;
    case "fields":
      return "is an extra field of a built-in object";
    case "unreadable":
      return "threw when it was read";
    case "nested":
      return "is nested too deeply";
    case "size":
      return "is too large";
    default:
      return `is a ${why}`;
  }
}

/** The checkpoint is gone, and with it what the step returned. */
export function stepDeleted({ index, name }: Pick<StepRecord, "index" | "name">): WorldlineError {
  return new WorldlineError(
    "STEP_UNFINISHED",
    `The checkpoint of step ${stepName({ index, name })} was deleted, with its result.`,
    { hint: `The step is not run again by itself. Decide: ${decisionsFor(index)}` },
  );
}

/** The result was written after all, but the call that it belongs to had been rejected by then. */
export function notGivenBack({ index, name }: Pick<StepRecord, "index" | "name">): WorldlineError {
  return new WorldlineError(
    "STEP_UNFINISHED",
    `Step ${stepName({ index, name })} ran, and its result was not given back: the store had failed.`,
    { hint: `The result is stored now. Get it first: step(name, work, { index: ${index} })` },
  );
}

/** A failure that was recorded without an error. */
export function failedBefore({ index, name }: Pick<StepRecord, "index" | "name">): WorldlineError {
  return new WorldlineError(
    "STEP_FAILED",
    `Step ${stepName({ index, name })} failed in an earlier run, and no error was recorded.`,
    { hint: `Run its next attempt: step(name, work, { index: ${index}, onFailed: "retry" })` },
  );
}

export function givenUp({
  index,
  name,
  attempt,
}: Pick<StepRecord, "index" | "name" | "attempt">): WorldlineError {
  return new WorldlineError(
    "STEP_UNFINISHED",
    `Step ${stepName({ index, name })} did not finish in attempt ${attempt}, and counts as failed.`,
    { hint: `Run its next attempt: step(name, work, { index: ${index}, onFailed: "retry" })` },
  );
}

/** The store failed at the worst moment: the work is done, and the log does not know. */
export function notWritten(
  record: Pick<StepRecord, "index" | "name">,
  outcome: "ran" | "failed",
  failure: unknown,
): WorldlineError {
  const { cause, ...store } = asStoreFailure(failure);
  return new WorldlineError(
    store.code,
    `Step ${stepName(record)} ${outcome}, and its result could not be written: ${store.message}`,
    {
      hint: `${store.hint}${whatBecomesOf(record, store.code)}`,
      cause,
    },
  );
}

/** The program itself has closed the execution under the step. */
export function closedUnder(
  record: Pick<StepRecord, "index" | "name">,
  outcome: "ran" | "failed",
  cause: unknown,
): WorldlineError {
  return new WorldlineError(
    "SESSION_CLOSED",
    `Step ${stepName(record)} ${outcome}, and its result could not be written: the execution was closed while the step ran.`,
    {
      hint: "Call close() when all steps have ended, and never within one. The step is unfinished in the next run, which is to decide.",
      cause,
    },
  );
}

/** What is closed, or another's now, takes nothing any more. */
function whatBecomesOf({ index }: Pick<StepRecord, "index">, code: WorldlineError["code"]): string {
  if (!code.startsWith("STORE_")) return "The step is unfinished in the next run, which is to decide.";
  return (
    "The result is kept in memory and written as soon as the store takes it: " +
    `step(name, work, { index: ${index} }) then goes by it, and runs nothing that succeeded. ` +
    "Should the program end before, the step is unfinished in the next run."
  );
}

function asStoreFailure(failure: unknown): Pick<WorldlineError, "code" | "message"> & {
  readonly hint: string;
  readonly cause: unknown;
} {
  if (!(failure instanceof WorldlineError)) {
    return { code: "STORE_UNWRITABLE", message: String(failure), hint: "", cause: failure };
  }
  const { code, message, hint } = failure;
  return { code, message, hint: hint === undefined ? "" : `${hint.replace(/\.?$/u, ".")} `, cause: failure };
}

export function retriesSpent(
  record: Pick<StepRecord, "index" | "name">,
  tried: number,
  cause?: unknown,
): WorldlineError {
  return new WorldlineError(
    "RETRIES_SPENT",
    `Step ${stepName(record)} was tried ${tried === 1 ? "once" : `${tried} times`} without success.`,
    {
      hint: "Look at what it failed with, and allow more: retryFrom(index, { maxRetries })",
      ...(cause === undefined ? {} : { cause }),
    },
  );
}

export function notRestored(id: string, cause: unknown): WorldlineError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new WorldlineError("REWIND_REFUSED", `Checkpoint ${id} was not restored: ${why}`, {
    hint: "The execution stands where it stood.",
    cause,
  });
}

export function badIndex(index: unknown): WorldlineError {
  return new WorldlineError("INPUT_INVALID", `A step cannot have the place ${String(index)}`, {
    hint: "Places are whole numbers from 0 on.",
  });
}

/** A step would be missing from the next run's order where the one around it is given back. */
export function stepWithinStep(around: Pick<StepRecord, "index" | "name">, called: string): WorldlineError {
  return new WorldlineError(
    "INPUT_INVALID",
    `Step "${called}" was begun within step ${stepName(around)}: steps do not nest.`,
    {
      hint: `Call it before or behind "${around.name}", or make it part of its work. Several at once: Promise.all outside of a step.`,
    },
  );
}

export function nameless(index: number): WorldlineError {
  return new WorldlineError("INPUT_INVALID", `Step ${index} was never begun, so it has no name yet.`, {
    hint: "Say what it is called, as the program calls it: retryFrom(index, { name, run })",
  });
}

export function executionClosed(id: string, how: "closed" | "deleted"): WorldlineError {
  return new WorldlineError("SESSION_CLOSED", `Execution ${shownId(id)} was ${how}.`, {
    hint: "Open it again: openExecution(id)",
  });
}

/** SESSION_HELD, with what a program can do about it: only an owner that cannot be asked from here can be taken over. */
export function heldByAnother(id: string, error: WorldlineError, life: Life): WorldlineError {
  const takingOver =
    life === "elsewhere" ? ' If its machine is gone for good: openExecution(id, { takeOver: "yes" })' : "";
  return new WorldlineError(
    "SESSION_HELD",
    `Execution ${shownId(id)} is run by another program: ${error.message}`,
    {
      hint: `Wait for it, openExecution(id, { waitMs }), or run another execution meanwhile.${takingOver}`,
      cause: error,
    },
  );
}

function shownId(id: string): string {
  return id.length > 80 ? `${id.slice(0, 80)}…` : id;
}
