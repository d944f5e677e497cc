import { setTimeout } from "node:timers/promises";
import type { ClientBase, QueryConfig, QueryResult } from "pg";
import { SerialQueue } from "../../disk/lock.ts";
import { errnoOf, WorldlineError } from "../../record/error.ts";
import {
  CommitUnknown,
  type Database,
  type SqlRow,
  type SqlValue,
  type Transaction,
} from "../sql/database.ts";
import { type PostgresAddress, parseAddress } from "./address.ts";
import { answered, type Connection, Connections } from "./connections.ts";
import { fateOf, isInDoubt, postgresError, scrubbed } from "./postgres-error.ts";

export interface PostgresDatabaseOptions {
  readonly url: string;
  /** The folder to load `pg` from if it is not installed next to Worldline. Code in this folder is executed. */
  readonly packages?: string;
  /** How long to keep trying if the server cannot be reached or is busy. */
  readonly patienceMs?: number;
}

type AccessMode = "read" | "write";
interface Failed {
  readonly failure: unknown;
}
/** A transaction whose commit was never acknowledged, with the id that the server gave it. */
interface Doubt extends Failed {
  readonly id: string;
}
type Outcome<Result> = { readonly result: Result } | Failed | Doubt;
type Work<Result> = (transaction: Transaction) => Promise<Result>;

const PATIENCE_MS = 10_000;
const STATEMENT_MS = 30_000;
/** Maximum time that a client that disappears in the middle of a transaction can block other clients. */
const IDLE_MS = 20_000;
/** Time limit for a cleanup. The limit is high, because tables may be of any size. */
const SCRUB_MS = 3_600_000;
/**
 * How long a request for a lock on a whole table waits. While the request is waiting, all later requests queue up
 * behind it. The lock is therefore requested only for short periods, with pauses that give other clients a turn.
 */
const SCRUB_TURN_MS = 300;
/** Query for the columns that contain text written by users and models. */
const SCRUBBED = `SELECT tables.oid::regclass::text AS "table", columns.attname AS "column",
    columns.atttypid::regtype::text AS "type"
  FROM pg_catalog.pg_class AS tables
  JOIN pg_catalog.pg_attribute AS columns ON columns.attrelid = tables.oid
  WHERE (tables.relname, columns.attname) IN
    (('worldline_lines', 'line'), ('worldline_blobs', 'content'), ('worldline_published', 'checkpoints'))
  AND tables.relkind = 'r' AND pg_catalog.pg_table_is_visible(tables.oid)`;
interface ScrubbedColumn {
  readonly table: string;
  readonly column: string;
  readonly type: string;
}
const INVALID_VALUE = "22023";
const ASK_AGAIN_MS = 20;
const FIRST_PAUSE_MS = { lost: 50, clash: 2, made: 2 };
const MAX_PAUSE_MS = { lost: 1000, clash: 100, made: 100 };
/**
 * Maximum number of retries for a row or table that another transaction has just created. More retries would not find
 * the row or table either.
 */
const MADE_TRIES = 4;

/**
 * Returns the statements that begin a transaction.
 *
 * Writing uses READ COMMITTED, because the store's statements lock before they read. A transaction that changes a
 * session first writes to the session's row (or creates the row that other transactions are about to create as well).
 * Other transactions wait for that row, so everything that is read after that remains valid until the commit.
 * SERIALIZABLE would not require such care, but in tables this small, Postgres reads the whole table to find a row, so
 * any two writers would conflict, even for different sessions. Reading uses one snapshot, which does not block writers.
 *
 * All settings apply only to the transaction. They are made in the single round trip that begins it, because a pooler
 * may assign a different connection to each transaction. A server that does not wait for its disk (synchronous_commit
 * off) is made to wait, but a stricter setting (remote_apply) is left unchanged. The id of the transaction is used to
 * ask the server about a commit that it did not acknowledge.
 */
function beginStatements(doing: AccessMode, lockMs: number): string {
  const settings = [
    `SET LOCAL lock_timeout = ${Math.max(1, Math.ceil(lockMs))}`,
    `SET LOCAL statement_timeout = ${STATEMENT_MS}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS}`,
  ];
  if (doing === "read") return ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", ...settings].join("; ");
  const durable =
    "SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'";
  return ["BEGIN ISOLATION LEVEL READ COMMITTED", ...settings, durable, "SELECT txid_current() AS id"].join(
    "; ",
  );
}

export class PostgresDatabase implements Database {
  readonly address: PostgresAddress;
  readonly #connections: Connections;
  readonly #patienceMs: number;

  constructor(options: PostgresDatabaseOptions) {
    this.address = parseAddress(options.url);
    this.#patienceMs = options.patienceMs ?? PATIENCE_MS;
    this.#connections = new Connections(this.address, { ...options, patienceMs: this.#patienceMs });
  }

  async read<Result>(work: Work<Result>): Promise<Result> {
    return this.#patiently("read", work);
  }

  async write<Result>(work: Work<Result>): Promise<Result> {
    return this.#patiently("write", work);
  }

  async now(transaction: Transaction): Promise<number> {
    const rows = await transaction.all(
      "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::int8 AS now",
    );
    return Number(rows[0]?.["now"]);
  }

  /** Always returns true. If the database does not exist, the first read reports what is wrong with the address. */
  async exists(): Promise<boolean> {
    return true;
  }

  /**
   * Rewrites the tables without deleted rows. Does not change copies elsewhere on the server, such as its WAL or
   * backups. Also does not change rows that are still visible to an earlier transaction.
   */
  async scrub(): Promise<void> {
    const taken = await this.#take();
    if ("failure" in taken) throw postgresError(taken.failure, this.address, "write");
    const { client, giveBack } = taken.result;
    const deadline = performance.now() + this.#patienceMs;
    try {
      await client.query(`SET lock_timeout = ${SCRUB_TURN_MS}`);
      for (const each of (await client.query<ScrubbedColumn>(SCRUBBED)).rows) {
        await retryWhileBusy(client, withoutSamples(each), deadline);
        await retryWhileBusy(client, `VACUUM (FULL) ${each.table}`, deadline);
      }
    } catch (error) {
      throw postgresError(error, this.address, "write");
    } finally {
      // This connection has different settings from the pooled connections, so it is closed.
      giveBack("broken");
    }
  }

  async close(): Promise<void> {
    await this.#connections.close();
  }

  /**
   * Retries the work until `patienceMs` has passed. Uses real time instead of the store's clock, because the server's
   * clock is independent of the store's clock.
   */
  async #patiently<Result>(doing: AccessMode, work: Work<Result>): Promise<Result> {
    const deadline = performance.now() + this.#patienceMs;
    for (let tries = 0; ; tries += 1) {
      if (this.#connections.isClosed)
        throw new WorldlineError("postgres-closed", { name: this.address.name });
      const outcome = await this.#once(doing, work, deadline - performance.now());
      if ("result" in outcome) return outcome.result;
      if ("id" in outcome) await this.#undone(outcome);
      const { failure } = outcome;
      const pause = pauseBefore(failure, tries);
      if (performance.now() + pause > deadline) throw postgresError(failure, this.address, doing);
      await setTimeout(pause);
    }
  }

  /** Makes one attempt. If `work` itself throws, the rejection is final. */
  async #once<Result>(doing: AccessMode, work: Work<Result>, lockMs: number): Promise<Outcome<Result>> {
    const taken = await this.#take();
    if ("failure" in taken) return taken;
    const { giveBack } = taken.result;
    const transaction = new PostgresTransaction(taken.result);
    let state: "whole" | "broken" = "broken";
    try {
      const id = await transaction.begin(beginStatements(doing, lockMs));
      const result = await transaction.perform(work);
      const failure = await transaction.commit();
      state = failure === undefined ? "whole" : "broken";
      if (failure === undefined) return { result };
      return doing === "write" && isInDoubt(failure.failure) ? { id, ...failure } : failure;
    } catch (error) {
      const { failure } = transaction;
      state = await this.#undo(transaction);
      if (failure === undefined) throw error;
      return failure;
    } finally {
      giveBack(state);
    }
  }

  /**
   * Finds out what happened to a transaction whose commit was not acknowledged. Resolves if the transaction was
   * certainly not committed, and rejects with `CommitUnknown` if it may have been. Asks the server until the
   * transaction has ended, because the commit may still be in progress, and its rows are not visible until it ends. A
   * report that the transaction was committed proves nothing, because after a crash, the server may have given the same
   * id to another transaction.
   */
  async #undone({ id, failure }: Doubt): Promise<void> {
    const deadline = performance.now() + this.#patienceMs;
    let status: SqlValue | undefined;
    do {
      if (status !== undefined) await setTimeout(ASK_AGAIN_MS);
      status = await this.#patiently("read", async (transaction) => statusOf(transaction, id)).catch(unasked);
    } while (status === "in progress" && performance.now() < deadline);
    if (status !== "aborted") throw new CommitUnknown(scrubbed(failure, this.address));
  }

  /** Rolls back a transaction. If the connection is lost, the server rolls back automatically. */
  async #undo(transaction: PostgresTransaction): Promise<"whole" | "broken"> {
    if (transaction.failure !== undefined && fateOf(transaction.failure.failure) === "lost") return "broken";
    try {
      await transaction.rollBack();
      return "whole";
    } catch {
      return "broken";
    }
  }

  async #take(): Promise<{ readonly result: Connection } | Failed> {
    try {
      return { result: await this.#connections.take() };
    } catch (failure) {
      if (failure instanceof WorldlineError) throw failure;
      return { failure };
    }
  }
}

/**
 * Returns a statement that removes the samples of column values that the server keeps for its planner. Setting a
 * column's type, even to the same type, removes the samples. No new samples are taken, because the statement also sets
 * the column's statistics target to 0. If another user owns the tables, the statement is rejected, whereas VACUUM would
 * only skip them.
 */
function withoutSamples({ table, column, type }: ScrubbedColumn): string {
  return `ALTER TABLE ${table} ALTER COLUMN ${column} TYPE ${type}, ALTER COLUMN ${column} SET STATISTICS 0`;
}

async function retryWhileBusy(client: ClientBase, text: string, deadline: number): Promise<void> {
  for (;;) {
    try {
      await client.query({ text, query_timeout: SCRUB_MS } as QueryConfig);
      return;
    } catch (error) {
      if (fateOf(error) !== "busy" || performance.now() > deadline) throw error;
      await setTimeout(SCRUB_TURN_MS);
    }
  }
}

async function statusOf(transaction: Transaction, id: string): Promise<SqlValue | undefined> {
  const [row] = await transaction.all("SELECT txid_status(?) AS status", [id]);
  return row?.["status"];
}

/**
 * Converts an error that occurred while the server was asked about an id. If the server has not reached the id yet, the
 * id was lost in a crash, together with its transaction.
 */
function unasked(error: unknown): "aborted" | null {
  const isAhead = error instanceof Error && errnoOf(error.cause) === INVALID_VALUE;
  return isAhead ? "aborted" : null;
}

/**
 * Returns the time to wait before the next attempt. The first retry is immediate, and each later pause is longer than
 * the one before, up to a limit. Pauses are randomized, so that waiting clients do not all retry at the same time.
 */
function pauseBefore(failure: unknown, tries: number): number {
  const fate = fateOf(failure);
  if (fate !== "lost" && fate !== "clash" && fate !== "made") return Number.POSITIVE_INFINITY;
  if (fate === "made" && tries >= MADE_TRIES) return Number.POSITIVE_INFINITY;
  const full = tries === 0 ? 0 : Math.min(MAX_PAUSE_MS[fate], FIRST_PAUSE_MS[fate] * 2 ** (tries - 1));
  return full * (0.5 + Math.random() / 2);
}

/**
 * Replaces the question marks with numbered placeholders, as Postgres requires. A question mark within quotes is not a
 * placeholder.
 */
export function numbered(text: string): string {
  let count = 0;
  return text.replace(/'[^']*'|"[^"]*"|\?/gu, (found) => {
    if (found !== "?") return found;
    count += 1;
    return `$${count}`;
  });
}

/** A transaction that has begun. It is neither committed nor rolled back automatically. */
class PostgresTransaction implements Transaction {
  readonly #client: ClientBase;
  readonly #silenceMs: number;
  /** Queues the statements, because a connection can run only one statement at a time. */
  readonly #queue = new SerialQueue();
  #hasEnded = false;
  /**
   * The error from the first statement that failed. Postgres ignores all later statements, even if `work` catches the
   * error.
   */
  failure: { readonly failure: unknown } | undefined;

  constructor({ client, silenceMs }: Pick<Connection, "client" | "silenceMs">) {
    this.#client = client;
    this.#silenceMs = silenceMs;
  }

  /**
   * Begins the transaction. Returns the value that the last statement selects, or an empty string if it does not select
   * one.
   */
  async begin(text: string): Promise<string> {
    const results: unknown = await this.#sent(text);
    const last = (Array.isArray(results) ? results.at(-1) : results) as QueryResult<SqlRow>;
    return String(Object.values(last.rows[0] ?? {})[0] ?? "");
  }

  async all(text: string, values: readonly SqlValue[] = []): Promise<readonly SqlRow[]> {
    return (await this.#query(text, values)).rows;
  }

  async run(text: string, values: readonly SqlValue[] = []): Promise<number> {
    return (await this.#query(text, values)).rowCount ?? 0;
  }

  /**
   * Runs the work. Rejects if any statement failed, even if `work` caught the error. After this call, the transaction
   * does not accept any more statements.
   */
  async perform<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    let result: Result;
    try {
      result = await work(this);
    } finally {
      this.#hasEnded = true;
      await this.#queue.idle();
    }
    if (this.failure !== undefined) throw this.failure.failure;
    return result;
  }

  /** Commits the transaction. Must be called only after `perform`. */
  async commit(): Promise<{ readonly failure: unknown } | undefined> {
    await this.#sent("COMMIT").catch(() => undefined);
    return this.failure;
  }

  async rollBack(): Promise<void> {
    await this.#sent("ROLLBACK");
  }

  async #sent(text: string, values?: SqlValue[]): Promise<QueryResult<SqlRow>> {
    try {
      return await answered(this.#client, this.#silenceMs, async () =>
        this.#client.query<SqlRow>(text, values),
      );
    } catch (error) {
      this.failure ??= { failure: error };
      throw error;
    }
  }

  async #query(text: string, values: readonly SqlValue[]): Promise<QueryResult<SqlRow>> {
    if (this.#hasEnded) throw new Error("The transaction has ended and can no longer run queries.");
    return this.#queue.run(async () => this.#sent(numbered(text), [...values]));
  }
}
