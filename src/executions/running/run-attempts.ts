import { AsyncLocalStorage } from "node:async_hooks";
import type { DraftOf, SavedBody } from "../../record/entry.ts";
import { inEnglish, WorldlineError } from "../../record/error.ts";
import type { StepCall } from "../execution.ts";
import { closedUnder, notWritten, resultLost } from "../execution-error.ts";
import { keepError, keepResult, keepValue, restoreValue, type StoredResult } from "../values/values.ts";
import { type StepLedger, warn } from "./step-ledger.ts";

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 30_000;

export interface Attempts<Output> {
  readonly index: number;
  readonly name: string;
  readonly work: (call: StepCall) => Output | Promise<Output>;
  readonly given: KeptGiven;
  /** The maximum number of attempts. The pauses between attempts become longer and longer. */
  readonly most: number;
  /** The entry that ends the previous attempt. It is written together with the beginning of this attempt. */
  readonly decided?: Pick<SavedBody, "attempt" | "status" | "decided">;
}

type SavedDraft = DraftOf<"saved">;
type Ended<Output> =
  | { readonly how: "returned"; readonly output: Output; readonly stored: StoredResult }
  | { readonly how: "threw"; readonly thrown: unknown };

/**
 * Runs a step until it returns or no attempts are left, in which case the last error is thrown. Work that has returned
 * is never run again, even if its result cannot be stored.
 */
export async function runAttempts<Output>(ledger: StepLedger, attempts: Attempts<Output>): Promise<Output> {
  for (let tried = 1; ; tried += 1) {
    const ended = await runOnce(ledger, attempts, tried === 1 ? "first" : "again");
    if (ended.how === "returned") return ended.output;
    if (tried >= attempts.most) throw ended.thrown;
    await ledger.clock.wait(Math.min(FIRST_PAUSE_MS * 2 ** (tried - 1), MAX_PAUSE_MS));
  }
}

async function runOnce<Output>(
  ledger: StepLedger,
  { index, name, work, given, decided }: Attempts<Output>,
  time: "first" | "again",
): Promise<Ended<Output>> {
  const last = ledger.records.lastSuccess(index);
  const previous = last === undefined ? undefined : await ledger.read(last);
  const attempt = ledger.records.nextAttempt(index);
  const step = { kind: "saved", name, index, attempt } as const;
  const before = decided === undefined || time === "again" ? undefined : { ...step, ...decided };
  await begin(ledger, { ...step, status: "pending", ...given }, before);
  const ended = await tried(async () =>
    runWithin({ ledger, index, name }, async () => returnedBy(() => work({ attempt, previous }))),
  );
  try {
    if (ended.how === "threw") await ledger.end({ ...step, status: "failed", ...keepFailure(ended.thrown) });
    else await writeResult(ledger, step, ended.stored);
  } catch (failure) {
    if (ended.how === "returned" && ended.stored.extent !== "nothing")
      ledger.places.resultPending(index, name);
    const say = ledger.isClosed ? closedUnder : notWritten;
    throw say(step, ended.how === "returned" ? "ran" : "failed", failure);
  }
  return ended.how === "threw" ? ended : deliver(step, ended);
}

/**
 * Wraps the returned value in an object, so that even a value whose `then` property cannot be read counts as a returned
 * value.
 */
async function returnedBy<Output>(
  work: () => Output | Promise<Output>,
): Promise<{ readonly output: Output }> {
  const returned = work();
  return { output: isReadable(returned) ? await returned : (returned as Output) };
}

function isReadable(returned: unknown): boolean {
  try {
    void (returned as { readonly then?: unknown } | null | undefined)?.then;
    return true;
  } catch {
    return false;
  }
}

async function tried<Output>(work: () => Promise<{ readonly output: Output }>): Promise<Ended<Output>> {
  try {
    const { output } = await work();
    return { how: "returned", output, stored: storeOutput(output) };
  } catch (thrown) {
    return { how: "threw", thrown };
  }
}

type Step = Pick<SavedDraft, "kind" | "name" | "index" | "attempt">;

/**
 * If no part of the result can be stored, the attempt stays unfinished and the log records the reason. The caller then
 * decides what to do.
 */
async function writeResult(ledger: StepLedger, step: Step, stored: StoredResult): Promise<void> {
  const { kept, extent, unstored } = stored;
  const missing = unstored.length === 0 ? {} : { unstored };
  if (extent === "nothing") await ledger.begin({ ...step, status: "pending", ...missing });
  else
    await ledger.end({
      ...step,
      status: "success",
      ...(kept === undefined ? {} : { output: kept }),
      ...missing,
    });
}

/**
 * Returns the value that later runs will also get. If the result itself could not be stored, this value is the stored
 * copy.
 */
function deliver<Output>(
  step: Step,
  ended: Extract<Ended<Output>, { readonly how: "returned" }>,
): Ended<Output> {
  const { kept, extent, unstored } = ended.stored;
  if (extent === "whole") return ended;
  if (extent === "nothing") throw resultLost(step, unstored);
  const { index, name } = step;
  warn("WORLDLINE_RESULT_COPIED", inEnglish("step-result-copied", { index, name, unstored }).message);
  return { ...ended, output: restoreValue(kept) as Output };
}

/**
 * If the entry for the step's beginning cannot be written, the step does not run. The entry waits in memory and may be
 * written later, so a second entry records that the step was never run.
 */
async function begin(ledger: StepLedger, draft: SavedDraft, before: SavedDraft | undefined): Promise<void> {
  try {
    await ledger.begin(draft, before);
  } catch (failure) {
    const never = new WorldlineError("step-not-begun", {});
    await ledger.end({ ...draft, status: "failed", ...keepFailure(never) }).catch(() => undefined);
    throw failure;
  }
}

const FIELDS = ["state", "context", "variables", "metadata"] as const;

type Given = Partial<Record<(typeof FIELDS)[number], unknown>>;
type KeptGiven = Pick<SavedBody, (typeof FIELDS)[number]>;

/**
 * Converts the values that the caller passed for a step to the form used in the log. If a value cannot be stored,
 * throws INPUT_INVALID with the field's name before anything is written.
 */
export function keepGiven(given: Given): KeptGiven {
  const kept = FIELDS.map((field) => [field, keepValue(given[field], field)] as const);
  return Object.fromEntries(kept.filter(([, value]) => value !== undefined));
}

export function keepOutput(output: unknown): Pick<SavedBody, "output"> {
  const kept = keepValue(output, "output");
  return kept === undefined ? {} : { output: kept };
}

/**
 * Converts a step's result to the form used in the log, without anything that cannot be stored. Never throws, because
 * the work is already done.
 */
function storeOutput(output: unknown): StoredResult {
  return keepResult(output, "output");
}

export function keepFailure(error: unknown): Pick<SavedBody, "error"> {
  return { error: keepError(error) };
}

interface RunningStep {
  readonly ledger: StepLedger;
  readonly index: number;
  readonly name: string;
  /** The step whose work started this step; undefined if there is none. */
  readonly around: RunningStep | undefined;
  isRunning: boolean;
}

const running = new AsyncLocalStorage<RunningStep>();

/** Runs a step's work in a context that identifies calls made inside it. */
async function runWithin<Output>(
  step: Pick<RunningStep, "ledger" | "index" | "name">,
  work: () => Promise<Output>,
): Promise<Output> {
  const { ledger, index, name } = step;
  const inside: RunningStep = { ledger, index, name, around: running.getStore(), isRunning: true };
  try {
    return await running.run(inside, work);
  } finally {
    // Work that the step left running in the background, such as a server, may start other steps later.
    inside.isRunning = false;
  }
}

/**
 * Rejects a step inside a step of the same execution. Steps get their indices from the order of the calls. A step with
 * a recorded result is not run again, so any steps inside it would be missing from that order in the next run.
 */
export function requireNotWithin(ledger: StepLedger, name: string): void {
  for (let step = running.getStore(); step !== undefined; step = step.around) {
    if (step.isRunning && step.ledger === ledger) {
      const around = { index: step.index, name: step.name };
      throw new WorldlineError("step-within-step", { around, called: name });
    }
  }
}
