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
  /** A folder to load `pg` from if it is not installed next to Worldline. Its packages are run. */
  readonly packages?: string;
  /** How long to try again what found no server, or a busy one. */
  readonly patienceMs?: number;
}

type AccessMode = "read" | "write";
interface Failed {
  readonly failure: unknown;
}
/** Of a transaction whose commit was not answered: the server's name for it. */
interface Doubt extends Failed {
  readonly id: string;
}
type Outcome<Result> = { readonly result: Result } | Failed | Doubt;
type Work<Result> = (transaction: Transaction) => Promise<Result>;

const PATIENCE_MS = 10_000;
const STATEMENT_MS = 30_000;
/** A client that vanished in the middle of a transaction holds up others for no longer. */
const IDLE_MS = 20_000;
/** Tables are as large as they are. */
const SCRUB_MS = 3_600_000;
/** Waiting for a lock on a whole table blocks everyone queued after it: so it is tried in short turns, with pauses for the others. */
const SCRUB_TURN_MS = 300;
/** Those that hold what people and models said, and the column that has it. */
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
/** Who does not find what another one made the first times will not find it. */
const MADE_TRIES = 4;

/**
 * Writing is READ COMMITTED, because the statements of the store lock before they read: a transaction that changes a session
 * first writes to its row (or makes the row that others are about to make), which others wait for, and
 * what is read after that is what is true until the commit. SERIALIZABLE would need no such care, but in
 * tables as small as these Postgres reads all of one to find a row, and then any two writers are in each other's way,
 * of different sessions too. Reading is one snapshot, which blocks no writer.
 *
 * Everything is set for the transaction alone, in the one round trip that begins it, so that it also works with
 * a pooler that gives each transaction another connection. A server that does not wait for its disk
 * (synchronous_commit off) is made to; one that waits for more (remote_apply) is left as it is. The id is what the
 * server is asked about when it does not answer the commit.
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

  /** Assumed to exist; reading reports what is wrong with the address. */
  async exists(): Promise<boolean> {
    return true;
  }

  /**
   * Rewrites the tables without deleted rows. What the server keeps elsewhere (its WAL, backups) stays, and so do
   * rows that a transaction which began before may still look at.
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
      // Its settings are not those of the others.
      giveBack("broken");
    }
  }

  async close(): Promise<void> {
    await this.#connections.close();
  }

  /** Real time, and not the store's clock: what is waited for is a server, which has its own. */
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

  /** One try. Rejects with what `work` itself threw, which is final. */
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
   * Resolves when a transaction whose commit was not answered surely did not happen; rejects with `CommitUnknown` when
   * it may have. The server is asked until it is over, as the commit may still be under way: who looked for its
   * rows before that would not find them. That the server calls it committed proves nothing: one that crashed may
   * have given the same id to another.
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

  /** Where the connection is gone there is nothing to undo: the server does that by itself. */
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
 * The server keeps samples of a column for its planner, whole values. They go when the column's type is set, to the same one
 * too, and no new ones are taken. Where the tables are another user's, this is refused; VACUUM would only pass them over.
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

/** An id that the server has not come to yet was lost in a crash, with a transaction that left no trace. */
function unasked(error: unknown): "aborted" | null {
  const isAhead = error instanceof Error && errnoOf(error.cause) === INVALID_VALUE;
  return isAhead ? "aborted" : null;
}

/** At once the first time; then later and later, and not all who wait at the same time. */
function pauseBefore(failure: unknown, tries: number): number {
  const fate = fateOf(failure);
  if (fate !== "lost" && fate !== "clash" && fate !== "made") return Number.POSITIVE_INFINITY;
  if (fate === "made" && tries >= MADE_TRIES) return Number.POSITIVE_INFINITY;
  const full = tries === 0 ? 0 : Math.min(MAX_PAUSE_MS[fate], FIRST_PAUSE_MS[fate] * 2 ** (tries - 1));
  return full * (0.5 + Math.random() / 2);
}

/** Postgres counts its placeholders; a question mark within quotes is none. */
export function numbered(text: string): string {
  let count = 0;
  return text.replace(/'[^']*'|"[^"]*"|\?/gu, (found) => {
    if (found !== "?") return found;
    count += 1;
    return `$${count}`;
  });
}

/** A transaction that has begun, up to its end, which is not its own. */
class PostgresTransaction implements Transaction {
  readonly #client: ClientBase;
  readonly #silenceMs: number;
  /** A connection does one thing at a time. */
  readonly #queue = new SerialQueue();
  #hasEnded = false;
  /** The first statement's that failed: after that one Postgres does nothing more, whatever `work` makes of it. */
  failure: { readonly failure: unknown } | undefined;

  constructor({ client, silenceMs }: Pick<Connection, "client" | "silenceMs">) {
    this.#client = client;
    this.#silenceMs = silenceMs;
  }

  /** Returns the last value of the statements that begin it, where they ask for one. */
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

  /** Rejects where any statement failed, whatever `work` made of that. Afterwards the transaction takes no more statements. */
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

  /** Only when all is performed. */
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
    if (this.#hasEnded) throw new Error("The transaction has ended; nothing can be asked in it any more.");
    return this.#queue.run(async () => this.#sent(numbered(text), [...values]));
  }
}
