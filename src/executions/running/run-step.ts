import { WorldlineError } from "../../record/error.ts";
import type { Decision, StepCall, StepOptions } from "../execution.ts";
import { badIndex, givenUp, stepChanged, stepUnfinished } from "../execution-error.ts";
import { requireStep } from "../given/calls.ts";
import type { StepRecord } from "../step-records.ts";
import { type Attempts, runAttempts } from "./run-attempts.ts";
import type { StepLedger } from "./step-ledger.ts";
import { keepGiven, keepOutput } from "./step-values.ts";
import { requireNotWithin } from "./within-step.ts";

export interface StepWish<Output> {
  readonly name: string;
  readonly work: (call: StepCall) => Output | Promise<Output>;
  readonly options: StepOptions;
}

/** Runs a step, or gives back what it gave back before. Its place is taken before anything is awaited. */
export async function runStep<Output>(ledger: StepLedger, wish: StepWish<Output>): Promise<Output> {
  const { name, work, options } = wish;
  requireStep(work, options);
  const { places } = ledger;
  requireNotWithin(ledger, name);
  const index = requireIndex(options.index ?? places.meant(name, options.unfinished));
  const company = ledger.running.length === 0 ? "alone" : "several";
  const first =
    options.index === undefined ? places.unsettled(name).find((each) => each.index !== index) : undefined;
  ledger.claim(index);
  places.next = index + 1;
  try {
    return await runAt(ledger, wish, { index, first });
  } catch (error) {
    places.refuse(index, { name, company, answer: options.unfinished === undefined ? "none" : "given" });
    throw error;
  } finally {
    ledger.release(index);
  }
}

interface TakenPlace {
  readonly index: number;
  /** What is to be settled before anything is run in a place that the caller did not name: it may be meant. */
  readonly first: StepRecord | undefined;
}

async function runAt<Output>(
  ledger: StepLedger,
  { name, work, options }: StepWish<Output>,
  { index, first }: TakenPlace,
): Promise<Output> {
  requireName(name);
  const given = keepGiven(options);
  await ledger.ready();
  const step = { index, name, work, given, most: 1 + mostRetries(options.maxRetries ?? 0) };
  const known = ledger.records.here(index);
  if (known !== undefined && known.name !== name) throw stepChanged(known, name);
  switch (known?.status) {
    case "success":
      return (await ledger.read(known)).output as Output;
    case "pending":
      return settleUnfinished(ledger, known, { step, unfinished: options.unfinished });
    default:
      if (first !== undefined) throw await unsettled(ledger, first, name);
      return runAttempts(ledger, step);
  }
}

async function unsettled(ledger: StepLedger, record: StepRecord, name: string): Promise<WorldlineError> {
  return record.name === name ? stepUnfinished(await ledger.read(record)) : stepChanged(record, name);
}

interface Unsettled<Output> {
  readonly step: Attempts<Output>;
  readonly unfinished: StepOptions["unfinished"];
}

/** An earlier run began the step, and nobody knows whether it was done: the caller decides, and the log says what. */
async function settleUnfinished<Output>(
  ledger: StepLedger,
  known: StepRecord,
  { step, unfinished }: Unsettled<Output>,
): Promise<Output> {
  const decision = await decide(ledger, known, unfinished);
  const { index, name, attempt } = known;
  const saved = { kind: "saved", name, index, attempt } as const;
  if (decision === "retry") {
    return runAttempts(ledger, { ...step, decided: { attempt, status: "failed", decided: "retry" } });
  }
  if (decision === "fail") {
    await ledger.end({ ...saved, status: "failed", decided: "fail" });
    throw givenUp(known);
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
  if (unfinished === undefined) throw stepUnfinished(checkpoint);
  const decision =
    typeof unfinished === "function" ? await unfinished({ checkpoint, attempts: known.attempt }) : unfinished;
  if (decision === "retry" || decision === "fail" || decision === "skip") return decision;
  if (typeof decision === "object" && decision !== null && "skip" in decision) return decision;
  throw new WorldlineError("INPUT_INVALID", `What is to become of step ${known.index} was not said.`, {
    hint: 'Decide "retry", "skip", { skip: output } or "fail".',
  });
}

export function requireIndex(index: unknown): number {
  if (!Number.isSafeInteger(index) || (index as number) < 0) throw badIndex(index);
  // -0 would be written as 0, and must be found as 0.
  return (index as number) + 0;
}

export function requireName(name: unknown): void {
  if (typeof name === "string" && name !== "") return;
  throw new WorldlineError("INPUT_INVALID", "A step needs a name.", {
    hint: 'Name it after what it does: step("fetch", work)',
  });
}

export function mostRetries(wanted: unknown): number {
  if (typeof wanted === "number" && wanted >= 0 && !Number.isNaN(wanted)) return Math.floor(wanted);
  throw new WorldlineError("INPUT_INVALID", `A step cannot be tried ${String(wanted)} more times.`, {
    hint: "maxRetries is a whole number from 0 on.",
  });
}
