import type { LogStore } from "../../ports/log-store.ts";
import type { Entry, EntryOf } from "../../record/entry.ts";
import { WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import { checkpointFilter, requireNothingGiven, successFilter } from "../check-calls.ts";
import type {
  CheckpointFilter,
  Execution,
  ExecutionResult,
  RetryOptions,
  RolledBack,
  SaveRequest,
  StepCall,
  StepCheckpoint,
  StepOptions,
  SuccessFilter,
} from "../execution.ts";
import { checkpointNamed, type StepRecord } from "../step-records.ts";
import { resumeFrom, retryFrom, rollbackTo } from "./going-back.ts";
import { runStep, saveStep } from "./run-step.ts";
import type { StepLedger } from "./step-ledger.ts";

/** A program's execution, held until it is closed. */
export class ProgramExecution implements Execution {
  readonly id: string;
  readonly session: SessionId;
  readonly #ledger: StepLedger;
  readonly #store: LogStore;
  readonly #onClose: () => Promise<void>;
  #closing: Promise<void> | undefined;

  constructor(ledger: StepLedger, store: LogStore, onClose: () => Promise<void>) {
    this.id = ledger.id;
    this.session = ledger.session.id;
    this.#ledger = ledger;
    this.#store = store;
    this.#onClose = onClose;
  }

  async step<Output>(
    name: string,
    work: (call: StepCall) => Output | Promise<Output>,
    options: StepOptions = {},
  ): Promise<Output> {
    return runStep(this.#ledger, { name, work, options });
  }

  async save(request: SaveRequest): Promise<StepCheckpoint> {
    this.#ledger.requireOpen();
    return saveStep(this.#ledger, request);
  }

  async checkpoints(filter?: CheckpointFilter): Promise<readonly StepCheckpoint[]> {
    const { records } = this.#ledger;
    const { branch } = checkpointFilter(filter);
    this.#ledger.requireOpen();
    const steps: StepCheckpoint[] = [];
    for (const record of records.all()) {
      if (branch === "all" || records.isHere(record)) steps.push(await this.#ledger.read(record));
    }
    return steps;
  }

  async checkpoint(id: string): Promise<StepCheckpoint | undefined> {
    this.#ledger.requireOpen();
    const name = checkpointNamed(this.id, id);
    const record = name === undefined ? undefined : this.#ledger.records.named(name);
    return record === undefined ? undefined : this.#ledger.read(record);
  }

  async lastSuccessful(filter?: SuccessFilter): Promise<StepCheckpoint | undefined> {
    const { before } = successFilter(filter);
    this.#ledger.requireOpen();
    const record = this.#ledger.records.lastSuccess(before);
    return record === undefined ? undefined : this.#ledger.read(record);
  }

  async resumeFrom<Output = StepCheckpoint>(
    id: string,
    restore?: (checkpoint: StepCheckpoint) => Output | Promise<Output>,
  ): Promise<ExecutionResult<Output>> {
    return resumeFrom(this.#ledger, id, restore);
  }

  async retryFrom<Output = StepCheckpoint>(
    index: number,
    options: RetryOptions<Output> = {},
  ): Promise<ExecutionResult<Output>> {
    return retryFrom(this.#ledger, index, options);
  }

  async rollbackTo(id: string): Promise<ExecutionResult<RolledBack>> {
    return rollbackTo(this.#ledger, id);
  }

  async deleteCheckpoint(id: string): Promise<boolean> {
    await this.#ledger.ready();
    return deleteCheckpoint(this.#ledger, this.#store, id);
  }

  /**
   * Moves the execution to the trash while it is still held. If it were released first, a waiting program could acquire
   * the old execution instead of a new one.
   */
  async delete(...given: readonly unknown[]): Promise<void> {
    requireNothingGiven(given);
    await this.#ledger.ready();
    await this.#ledger.move(async () => {
      // If the list of checkpoints were published later, it could overwrite the list of a new execution with the same
      // id.
      await this.#ledger.session.published();
      await this.#store.trash(this.session, await this.#momentInTrash());
    }, "execution-deleted");
    this.#closing ??= this.#leave("deleted");
    await this.#closing;
  }

  async finish(): Promise<void> {
    await this.#ledger.ready();
    await this.#ledger.move(async () => {
      if (!this.#ledger.records.isFinished) await this.#ledger.note({ kind: "execution-finish" });
    }, "finished");
    await this.close();
  }

  async close(): Promise<void> {
    this.#closing ??= this.#leave("closed");
    await this.#closing;
  }

  /** The trash may already contain executions with this id, so each one gets a different time. */
  async #momentInTrash(): Promise<number> {
    const before = (await this.#store.listTrash()).filter(({ session }) => session === this.session);
    return Math.max(this.#ledger.clock.now(), ...before.map(({ at }) => at + 1));
  }

  async #leave(how: "closed" | "deleted"): Promise<void> {
    try {
      await this.#ledger.close(how);
    } finally {
      await this.#onClose();
    }
  }
}

/** Returns false if there is no checkpoint with this id, or if it was already deleted. */
async function deleteCheckpoint(ledger: StepLedger, store: LogStore, id: string): Promise<boolean> {
  const name = checkpointNamed(ledger.id, id);
  const record = name === undefined ? undefined : ledger.records.named(name);
  if (record === undefined) return false;
  const { index, attempt } = record;
  if (ledger.running.includes(index)) throw new WorldlineError("step-running", { index, why: "deleted" });
  await ledger.move(async () => {
    // The tombstone is written first. If the program crashes before the values are removed, the checkpoint has already
    // been deleted, but its space has not been freed yet.
    await ledger.note({ kind: "checkpoint-delete", index, attempt });
    ledger.records.delete(record);
    await freeValues(ledger, store, record);
  }, "another-deleted");
  return true;
}

const VALUES = ["state", "context", "variables", "metadata", "output", "error"] as const;

/**
 * Removes the values of an attempt from the log, as `forget` does. The log still records that the attempt was made and
 * how it ended.
 */
async function freeValues(
  { session, clock }: StepLedger,
  store: LogStore,
  { lines }: StepRecord,
): Promise<void> {
  const at = new Date(clock.now()).toISOString();
  const own = new Set<number>(lines);
  await session.published();
  await store.rewrite(session.id, (entry) =>
    own.has(entry.seq) && entry.kind === "saved" ? withoutValues(entry, at) : entry,
  );
  await session.republish();
}

function withoutValues(entry: EntryOf<"saved">, at: string): Entry {
  const held = VALUES.filter((field) => entry[field] !== undefined);
  if (held.length === 0) return entry;
  const rest = Object.fromEntries(
    Object.entries(entry).filter(([field]) => !(held as readonly string[]).includes(field)),
  ) as unknown as EntryOf<"saved">;
  return { ...rest, forgotten: { at, times: (entry.forgotten?.times ?? 0) + held.length } };
}
