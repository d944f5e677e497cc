import { inEnglish, WorldlineError } from "../../record/error.ts";
import { decisionKind, requireSaveRequest, requireStep } from "../check-calls.ts";
import type { Decision, SaveRequest, StepCall, StepCheckpoint, StepOptions } from "../execution.ts";
import { givenUp, stepChanged, stepUnfinished } from "../execution-error.ts";
import type { StepRecord } from "../step-records.ts";
import {
  type Attempts,
  keepFailure,
  keepGiven,
  keepOutput,
  requireNotWithin,
  runAttempts,
} from "./run-attempts.ts";
import { isOpen, type StepLedger } from "./step-ledger.ts";

interface StepRequest<Output> {
  readonly name: string;
  readonly work: (call: StepCall) => Output | Promise<Output>;
  readonly options: StepOptions;
}

/** Runs a step, or returns its recorded result. The index is assigned synchronously, before any await. */
export async function runStep<Output>(ledger: StepLedger, request: StepRequest<Output>): Promise<Output> {
  const { name, work, options } = request;
  requireStep(work, options);
  const { places } = ledger;
  requireNotWithin(ledger, name);
  const index = requireIndex(options.index ?? places.placeFor(name, options.unfinished));
  const company = ledger.running.length === 0 ? "alone" : "several";
  const first =
    options.index === undefined ? places.unsettled(name).find((each) => each.index !== index) : undefined;
  ledger.claim(index);
  places.next = index + 1;
  try {
    return await runAt(ledger, request, { index, first });
  } catch (error) {
    places.refuse(index, { name, company, answer: options.unfinished === undefined ? "none" : "given" });
    throw error;
  } finally {
    ledger.release(index);
  }
}

interface TakenPlace {
  readonly index: number;
  /**
   * An earlier step that must be settled first. Set only if the caller did not pass an index. The caller may mean the
   * earlier step, so no other step can run yet.
   */
  readonly first: StepRecord | undefined;
}

async function runAt<Output>(
  ledger: StepLedger,
  { name, work, options }: StepRequest<Output>,
  { index, first }: TakenPlace,
): Promise<Output> {
  requireName(name);
  const given = keepGiven(options);
  await ledger.ready();
  const step = { index, name, work, given, most: 1 + requireRetries(options.maxRetries ?? 0) };
  const known = ledger.records.here(index);
  if (known !== undefined && known.name !== name) throw stepChanged(known, name);
  if (known !== undefined && isOpen(known)) {
    return settleUnfinished(ledger, known, { step, unfinished: options.unfinished });
  }
  if (known?.status === "success") {
    const { output } = await ledger.read(known);
    ledger.places.resultDelivered(index);
    return output as Output;
  }
  if (known !== undefined && isReplayed(ledger, known, options.onFailed))
    throw await recordedFailure(ledger, known);
  if (first !== undefined) throw await unsettled(ledger, first, name);
  return runAttempts(ledger, step);
}

/**
 * Checks whether to throw the recorded failure instead of running the step again. If the program continued after the
 * failure, it caught the failure and took another path. The program must take that path again. Otherwise, it would take
 * both paths.
 */
function isReplayed(ledger: StepLedger, failed: StepRecord, onFailed: StepOptions["onFailed"]): boolean {
  if (onFailed !== undefined) return onFailed === "rethrow";
  if (ledger.isOfThisRun(failed) || !ledger.records.wentOnAfter(failed)) return false;
  const { index, name } = failed;
  ledger.warnOnce("WORLDLINE_FAILURE_REPLAYED", inEnglish("step-failure-replayed", { index, name }).message);
  return true;
}

/** The error that the call to `step` rejected with, or as much of it as could be stored. */
async function recordedFailure(ledger: StepLedger, failed: StepRecord): Promise<unknown> {
  const { decided, error } = await ledger.read(failed);
  if (decided === "fail") return givenUp(failed);
  return (await ledger.hasError(failed))
    ? error
    : new WorldlineError("step-failed-before", { index: failed.index, name: failed.name });
}

async function unsettled(ledger: StepLedger, record: StepRecord, name: string): Promise<WorldlineError> {
  if (record.name !== name) return stepChanged(record, name);
  return isOpen(record)
    ? unfinishedError(ledger, record)
    : new WorldlineError("step-not-given-back", { index: record.index, name });
}

async function unfinishedError(ledger: StepLedger, record: StepRecord): Promise<WorldlineError> {
  return record.isDeleted
    ? new WorldlineError("step-deleted", { index: record.index, name: record.name })
    : stepUnfinished(await ledger.read(record));
}

interface Unsettled<Output> {
  readonly step: Attempts<Output>;
  readonly unfinished: StepOptions["unfinished"];
}

/**
 * Asks the caller what to do about a step that an earlier run began, because it is unknown whether the step finished.
 * The decision is recorded in the log.
 */
async function settleUnfinished<Output>(
  ledger: StepLedger,
  known: StepRecord,
  { step, unfinished }: Unsettled<Output>,
): Promise<Output> {
  const decision = await decide(ledger, known, unfinished);
  const { index, name, isDeleted } = known;
  // A deleted attempt stays deleted, so the decision is recorded as a new attempt.
  const attempt = isDeleted ? ledger.records.nextAttempt(index) : known.attempt;
  const saved = { kind: "saved", name, index, attempt } as const;
  if (decision === "retry") {
    if (isDeleted) return runAttempts(ledger, step);
    return runAttempts(ledger, { ...step, decided: { attempt, status: "failed", decided: "retry" } });
  }
  if (decision === "fail") {
    await ledger.end({ ...saved, status: "failed", decided: "fail" });
    throw givenUp({ index, name, attempt });
  }
  const output = decision === "skip" ? undefined : decision.skip;
  await ledger.end({ ...saved, status: "success", decided: "skip", ...keepOutput(output) });
  return output as Output;
}

async function decide(
  ledger: StepLedger,
  known: StepRecord,
  unfinished: StepOptions["unfinished"],
): Promise<Decision> {
  const checkpoint = await ledger.read(known);
  if (unfinished === undefined) throw await unfinishedError(ledger, known);
  const decision =
    typeof unfinished === "function" ? await unfinished({ checkpoint, attempts: known.attempt }) : unfinished;
  if (decisionKind.holds(decision)) return decision;
  throw new WorldlineError("step-undecided", { index: known.index });
}

export function requireIndex(index: unknown): number {
  if (!Number.isSafeInteger(index) || (index as number) < 0)
    throw new WorldlineError("step-index-invalid", { given: String(index) });
  // The log stores -0 as 0, so a lookup must also use 0.
  return (index as number) + 0;
}

export function requireName(name: unknown): void {
  if (typeof name === "string" && name !== "") return;
  throw new WorldlineError("step-name-missing", {});
}

export function requireRetries(wanted: unknown): number {
  if (Number.isSafeInteger(wanted) && (wanted as number) >= 0) return wanted as number;
  throw new WorldlineError("retries-invalid", { given: String(wanted) });
}

/** Records a step that the program runs on its own. All arguments are checked before anything is written. */
export async function saveStep(ledger: StepLedger, request: SaveRequest): Promise<StepCheckpoint> {
  requireSaveRequest(request);
  const index = requireIndex(request.index);
  const { name, status = "success", error } = request;
  requireName(name);
  if (ledger.running.includes(index)) {
    throw new WorldlineError("step-running", { index, why: "saved" });
  }
  const kept = { ...keepGiven(request), ...(error === undefined ? {} : keepFailure(error)) };
  ledger.claim(index);
  try {
    await ledger.ready();
    const open = openAttempt(ledger, { index, name, status });
    const attempt = open?.attempt ?? ledger.records.nextAttempt(index);
    const draft = { kind: "saved", name, index, attempt, status, ...kept } as const;
    await (status === "pending" ? ledger.begin(draft) : ledger.end(draft));
    return await ledger.read(ledger.records.named({ index, attempt }) as StepRecord);
  } finally {
    ledger.release(index);
  }
}

/**
 * The unfinished attempt that this save completes. If an earlier run began that attempt, a pending save is recorded as
 * a new attempt instead.
 */
function openAttempt(ledger: StepLedger, { index, name, status }: OpenRequest): StepRecord | undefined {
  const known = ledger.records.here(index);
  if (known?.status !== "pending" || known.name !== name) return undefined;
  return status === "pending" && !ledger.isOfThisRun(known) ? undefined : known;
}

type OpenRequest = Required<Pick<SaveRequest, "index" | "name" | "status">>;
