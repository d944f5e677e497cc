import type { DraftOf, SavedBody } from "../../record/entry.ts";
import type { StepCall } from "../execution.ts";
import { closedUnder, notWritten } from "../execution-error.ts";
import type { StepLedger } from "./step-ledger.ts";
import { type KeptGiven, keepFailure, keepOutput } from "./step-values.ts";
import { runWithin } from "./within-step.ts";

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;

export interface Attempts<Output> {
  readonly index: number;
  readonly name: string;
  readonly work: (call: StepCall) => Output | Promise<Output>;
  readonly given: KeptGiven;
  /** How many times it is tried, with growing pauses. */
  readonly most: number;
  /** What is written of the attempt before, together with the beginning of the first one. */
  readonly decided?: Pick<SavedBody, "attempt" | "status" | "decided">;
}

type SavedDraft = DraftOf<"saved">;
type Ended<Output> =
  | { readonly output: Output; readonly kept: Pick<SavedBody, "output"> }
  | { readonly thrown: unknown };

/** Runs a step until it succeeds or was tried often enough; then what it threw last is thrown. */
export async function runAttempts<Output>(ledger: StepLedger, attempts: Attempts<Output>): Promise<Output> {
  for (let tried = 1; ; tried += 1) {
    const ended = await runOnce(ledger, attempts, tried === 1 ? "first" : "again");
    if ("output" in ended) return ended.output;
    if (tried >= attempts.most) throw ended.thrown;
    await ledger.clock.wait(Math.min(FIRST_PAUSE_MS * 2 ** (tried - 1), LONGEST_PAUSE_MS));
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
    runWithin({ ledger, index, name }, async () => work({ attempt, previous })),
  );
  const outcome: SavedDraft =
    "output" in ended
      ? { ...step, status: "success", ...ended.kept }
      : { ...step, status: "failed", ...keepFailure(ended.thrown) };
  try {
    await ledger.end(outcome);
  } catch (failure) {
    const say = ledger.isClosed ? closedUnder : notWritten;
    throw say(step, "output" in ended ? "ran" : "failed", failure);
  }
  return ended;
}

/** A result that cannot be kept is a failure: it could not be given back in the next run. */
async function tried<Output>(work: () => Promise<Output>): Promise<Ended<Output>> {
  try {
    const output = await work();
    return { output, kept: keepOutput(output) };
  } catch (thrown) {
    return { thrown };
  }
}

/**
 * Where the beginning cannot be written the step is not run. Its line waits in memory all the same and may still
 * be written, so another one behind it says that nothing was done.
 */
async function begin(ledger: StepLedger, draft: SavedDraft, before: SavedDraft | undefined): Promise<void> {
  try {
    await ledger.begin(draft, before);
  } catch (failure) {
    const never = new Error("The step was not run: its beginning could not be written.");
    await ledger.end({ ...draft, status: "failed", ...keepFailure(never) }).catch(() => undefined);
    throw failure;
  }
}
