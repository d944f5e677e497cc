import type { SessionRewindOptions } from "../../machine/files/requests.ts";
import type { Session } from "../../machine/session.ts";
import { isWorldlineError, problemOf, WorldlineError } from "../../record/error.ts";
import { countsIn, outcomeCounts } from "../../travel/logged-files.ts";
import { isAlreadyThere, requireCheckpoint } from "../../travel/rewind.ts";
import { requireRestore, requireRetry } from "../check-calls.ts";
import type { ExecutionResult, RetryOptions, RolledBack, StepCheckpoint } from "../execution.ts";
import { checkpointNotFound, retriesSpent, stepChanged } from "../execution-error.ts";
import { checkpointId, checkpointNamed, type StepRecord } from "../step-records.ts";
import { type Attempts, runAttempts } from "./run-attempts.ts";
import { requireIndex, requireName, requireRetries } from "./run-step.ts";
import type { StepLedger } from "./step-ledger.ts";

const DEFAULT_RETRIES = 3;

export async function resumeFrom<Output>(
  ledger: StepLedger,
  id: string,
  restore: Restore<Output> | undefined,
): Promise<ExecutionResult<Output>> {
  return resultOf(async () => {
    await ledger.ready();
    return resume(ledger, requireNamed(ledger, id), restore);
  });
}

async function resume<Output>(
  ledger: StepLedger,
  record: StepRecord,
  restore: Restore<Output> | undefined,
): Promise<Output> {
  const to = requirePlace(ledger, record);
  return ledger.move(async () => {
    const checkpoint = await ledger.read(record);
    const output = await takeBack(ledger.session, to, { checkpoint, restore });
    ledger.places.rewindTo(record.index);
    return output;
  });
}

export async function retryFrom<Output>(
  ledger: StepLedger,
  wanted: number,
  options: RetryOptions<Output>,
): Promise<ExecutionResult<Output>> {
  return resultOf(async () => {
    requireRetry(options);
    const { maxRetries = DEFAULT_RETRIES, restore, run, name: called } = options;
    const index = requireIndex(wanted);
    const allowed = 1 + requireRetries(maxRetries);
    await ledger.ready();
    const name = nameOf(ledger, index, called);
    const tried = ledger.records.triedSince(index);
    const last = ledger.records.lastSuccess(index);
    if (last === undefined) throw new WorldlineError("no-success-before", { index, last: successOf(ledger) });
    if (tried >= allowed) throw retriesSpent({ index, name: name ?? "" }, tried);
    if (run !== undefined && name === undefined) throw new WorldlineError("step-unnamed", { index });
    const checkpoint = await resume(ledger, last, async (found: StepCheckpoint) => {
      await restore?.(found);
      return found;
    });
    if (run === undefined || name === undefined) return checkpoint as Output;
    return runAgain(ledger, { index, name, work: run, given: {}, most: allowed - tried });
  });
}

/** The name of the step at this index; undefined if it is unknown. Throws if the caller gave a different name. */
function nameOf(ledger: StepLedger, index: number, called: string | undefined): string | undefined {
  if (called !== undefined) requireName(called);
  const known = ledger.records.here(index) ?? ledger.records.of(index).at(-1);
  if (known !== undefined && called !== undefined && known.name !== called) throw stepChanged(known, called);
  return called ?? known?.name;
}

async function runAgain<Output>(ledger: StepLedger, step: Attempts<Output>): Promise<Output> {
  const { index } = step;
  ledger.claim(index);
  try {
    const output = await runAttempts(ledger, step);
    if (ledger.places.next === index) ledger.places.next = index + 1;
    return output;
  } catch (error) {
    // If the store failed rather than the step, the error is passed on unchanged.
    if (ledger.records.of(index).at(-1)?.status !== "failed" || isStoreFailure(error)) throw error;
    throw retriesSpent(step, ledger.records.triedSince(index), error);
  } finally {
    ledger.release(index);
  }
}

function isStoreFailure(error: unknown): boolean {
  return isWorldlineError(error) && (error.code.startsWith("STORE_") || error.code === "SESSION_CLOSED");
}

export async function rollbackTo(ledger: StepLedger, id: string): Promise<ExecutionResult<RolledBack>> {
  return resultOf(async () => {
    await ledger.ready();
    const record = requireNamed(ledger, id);
    const to = requirePlace(ledger, record);
    if (!ledger.session.hasFiles) {
      return { checkpoint: await resume<StepCheckpoint>(ledger, record, undefined), files: undefined };
    }
    const files = await ledger.move(async () => takeFilesBack(ledger.session, { to, author: "timeline" }));
    ledger.places.rewindTo(record.index);
    return { checkpoint: await ledger.read(record), files };
  });
}

function requireNamed(ledger: StepLedger, id: string): StepRecord {
  const name = checkpointNamed(ledger.id, id);
  const record = name === undefined ? undefined : ledger.records.named(name);
  if (record !== undefined) return record;
  const known = ledger.records.all().map(({ index, attempt }) => checkpointId(ledger.id, index, attempt));
  throw checkpointNotFound(id, known);
}

function requirePlace(ledger: StepLedger, record: StepRecord): number {
  const to = ledger.records.checkpointOf(record);
  if (to === undefined) {
    const checkpoint = checkpointId(ledger.id, record.index, record.attempt);
    throw new WorldlineError("step-still-open", { checkpoint });
  }
  return to;
}

function successOf(ledger: StepLedger): string | undefined {
  const last = ledger.records.lastSuccess(Number.POSITIVE_INFINITY);
  return last === undefined ? undefined : checkpointId(ledger.id, last.index, last.attempt);
}

/** Restores a program's own state. */
export type Restore<Output> = (checkpoint: StepCheckpoint) => Output | Promise<Output>;

/** Restores the program's own state first. If that fails, the session's head does not move. */
export async function takeBack<Output>(
  session: Session,
  to: number,
  {
    checkpoint,
    restore,
  }: { readonly checkpoint: StepCheckpoint; readonly restore: Restore<Output> | undefined },
): Promise<Output> {
  const output = restore === undefined ? checkpoint : await restored(checkpoint, restore);
  const target = requireCheckpoint(session.outline, to);
  if (!isAlreadyThere(session.outline, target)) await session.rewind(to);
  return output as Output;
}

async function restored<Output>(checkpoint: StepCheckpoint, restore: Restore<Output>): Promise<Output> {
  requireRestore(restore);
  try {
    return await restore(checkpoint);
  } catch (cause) {
    throw new WorldlineError(
      "checkpoint-not-restored",
      { checkpoint: checkpoint.id, problem: problemOf(cause) },
      { cause },
    );
  }
}

const NOTHING_TO_DO = outcomeCounts([]);

/** Rewinds the head and the files. */
export async function takeFilesBack(
  session: Session,
  request: Pick<SessionRewindOptions, "to" | "author">,
): Promise<NonNullable<RolledBack["files"]>> {
  const { to } = request;
  const isThere = isAlreadyThere(session.outline, requireCheckpoint(session.outline, to));
  try {
    const { files } = await session.rewind({ ...request, scope: "both" });
    return countsIn(files);
  } catch (error) {
    // The rewind may have been refused only because the head and all files are already at the checkpoint.
    const preview =
      isThere && isWorldlineError(error, "REWIND_REFUSED") ? await session.previewFiles({ to }) : undefined;
    if (preview === undefined || preview.changes.length > 0) throw error;
    return NOTHING_TO_DO;
  }
}

/** Converts Worldline's own errors to a result. All other errors, such as those caused by bugs, are thrown. */
export async function resultOf<Output>(work: () => Promise<Output>): Promise<ExecutionResult<Output>> {
  try {
    return { success: true, output: await work() };
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return { success: false, error };
  }
}
