import { isWorldlineError } from "../../record/error.ts";
import { isAlreadyThere, requireCheckpoint } from "../../travel/rewind.ts";
import { checkpointId, checkpointNamed } from "../checkpoint-id.ts";
import type { ExecutionResult, RetryOptions, RolledBack, StepCheckpoint } from "../execution.ts";
import {
  checkpointNotFound,
  noSuccessBefore,
  notRestored,
  retriesSpent,
  stillOpen,
} from "../execution-error.ts";
import type { StepRecord } from "../step-records.ts";
import { type Attempts, runAttempts } from "./run-attempts.ts";
import { mostRetries, requireIndex } from "./run-step.ts";
import type { StepLedger } from "./step-ledger.ts";

const MOST_RETRIES = 3;

/** What is expected to go wrong is a result; what is not, such as a bug of ours, is thrown. */
async function resultOf<Output>(work: () => Promise<Output>): Promise<ExecutionResult<Output>> {
  try {
    return { success: true, output: await work() };
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return { success: false, error };
  }
}

export async function resumeFrom<Output>(
  ledger: StepLedger,
  id: string,
  restore: ((checkpoint: StepCheckpoint) => Output | Promise<Output>) | undefined,
): Promise<ExecutionResult<Output>> {
  return resultOf(async () => {
    await ledger.ready();
    return resume(ledger, requireNamed(ledger, id), restore);
  });
}

/** The program's own state first: where that cannot be restored, the execution stays where it is. */
async function resume<Output>(
  ledger: StepLedger,
  record: StepRecord,
  restore: ((checkpoint: StepCheckpoint) => Output | Promise<Output>) | undefined,
): Promise<Output> {
  const to = requirePlace(ledger, record);
  return ledger.move(async () => {
    const checkpoint = await ledger.read(record);
    const output = restore === undefined ? checkpoint : await restored(checkpoint, restore);
    const target = requireCheckpoint(ledger.session.outline, to);
    if (!isAlreadyThere(ledger.session.outline, target)) await ledger.session.rewind(to);
    ledger.next = Math.min(ledger.next, record.index + 1);
    return output as Output;
  });
}

async function restored<Output>(
  checkpoint: StepCheckpoint,
  restore: (checkpoint: StepCheckpoint) => Output | Promise<Output>,
): Promise<Output> {
  try {
    return await restore(checkpoint);
  } catch (cause) {
    throw notRestored(checkpoint.id, cause);
  }
}

export async function retryFrom<Output>(
  ledger: StepLedger,
  wanted: number,
  { maxRetries = MOST_RETRIES, restore, run }: RetryOptions<Output>,
): Promise<ExecutionResult<Output>> {
  return resultOf(async () => {
    const index = requireIndex(wanted);
    const allowed = 1 + mostRetries(maxRetries);
    await ledger.ready();
    const name = ledger.records.of(index).at(-1)?.name ?? `step-${index}`;
    const tried = ledger.records.triedSince(index);
    const last = ledger.records.lastSuccess(index);
    if (last === undefined) throw noSuccessBefore(index, successOf(ledger));
    if (tried >= allowed) throw retriesSpent({ index, name }, tried);
    const checkpoint = await resume(ledger, last, async (found: StepCheckpoint) => {
      await restore?.(found);
      return found;
    });
    if (run === undefined) return checkpoint as Output;
    return runAgain(ledger, { index, name, work: run, given: {}, most: allowed - tried });
  });
}

async function runAgain<Output>(ledger: StepLedger, step: Attempts<Output>): Promise<Output> {
  const { index } = step;
  ledger.claim(index);
  try {
    const output = await runAttempts(ledger, step);
    if (ledger.next === index) ledger.next = index + 1;
    return output;
  } catch (error) {
    // The store's failure is not the step's.
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
    const files = await ledger.move(async () => takeFiles(ledger, to));
    ledger.next = Math.min(ledger.next, record.index + 1);
    return { checkpoint: await ledger.read(record), files };
  });
}

const NOTHING_TO_DO = { restored: 0, kept: 0, failed: 0 };

async function takeFiles(ledger: StepLedger, to: number): Promise<NonNullable<RolledBack["files"]>> {
  const { session } = ledger;
  const isThere = isAlreadyThere(session.outline, requireCheckpoint(session.outline, to));
  try {
    const { files } = await session.rewind({ to, scope: "both", author: "timeline" });
    return { restored: files.restored, kept: files.kept, failed: files.failed };
  } catch (error) {
    // The head and all files may be there already, which is what was wanted.
    const preview =
      isThere && isWorldlineError(error, "REWIND_REFUSED") ? await session.previewFiles({ to }) : undefined;
    if (preview === undefined || preview.changes.length > 0) throw error;
    return NOTHING_TO_DO;
  }
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
  if (to === undefined) throw stillOpen(checkpointId(ledger.id, record.index, record.attempt));
  return to;
}

function successOf(ledger: StepLedger): string | undefined {
  const last = ledger.records.lastSuccess(Number.POSITIVE_INFINITY);
  return last === undefined ? undefined : checkpointId(ledger.id, last.index, last.attempt);
}
