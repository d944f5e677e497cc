/**
 * The value of a column. Numbers are safe integers, and drivers return them as JavaScript numbers. Bytes are returned
 * as `Uint8Array`. Databases cannot store strings with NUL or lone surrogates, so a string that might contain them is
 * hashed or written as JSON.
 */
export type SqlValue = string | number | Uint8Array | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** One transaction. In every dialect, placeholders are written as `?`, in the order of their values. */
export interface Transaction {
  /** Runs a statement and returns its rows, including the rows of an `UPDATE ... RETURNING`. */
  all(text: string, values?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  /** Runs a statement and returns the number of rows that it changed. */
  run(text: string, values?: readonly SqlValue[]): Promise<number>;
}

/**
 * The part of a database that a log store needs. Both dialects use the same statements. The differences between them
 * are in the drivers.
 *
 * Contract, checked by `databaseContract` in test/stores/sql/:
 * - `write` runs `work` in one transaction, whose intermediate states are not visible to other transactions. When
 *   `write` resolves, the whole transaction is durable. If `work` throws, nothing is changed. Two writers that change
 *   the same row wait for each other. After the wait, either each statement of the waiting writer sees what the other
 *   writer wrote, or the waiting writer's whole `work` is run again.
 * - `read` sees a single state of the database from the first statement to the last, and does not block writers.
 * - If the database was busy, or the connection was lost before the commit was sent, `work` is run again, so it must
 *   not have effects outside the transaction. The driver decides how long to retry. After that, the call rejects with
 *   STORE_BUSY or STORE_UNREACHABLE, and nothing is changed.
 * - If the connection is lost during the commit, the outcome is unknown, and `write` rejects with `CommitUnknown`.
 * - A full disk causes STORE_FULL, a rejected write causes STORE_UNWRITABLE, and data that cannot be read for any other
 *   reason causes STORE_UNREADABLE. Messages never contain a password.
 */
export interface Database {
  read<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  write<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  /** Checks whether the database exists. Reading must not create the database. The first `write` creates it. */
  exists(): Promise<boolean>;
  /**
   * Also removes deleted or replaced data from the disk, as far as the database can, because the user asked Worldline
   * to forget it. Rejects, for example, with STORE_BUSY, if the data cannot be removed now. Earlier changes are kept.
   */
  scrub(): Promise<void>;
  /** Returns the time that all users of the database agree on, in milliseconds since 1970. */
  now(transaction: Transaction): Promise<number>;
  close(): Promise<void>;
}

/**
 * Thrown if the outcome of a transaction is unknown. The caller can find out from the database whether the transaction
 * was committed.
 */
export class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super("The connection was lost while the transaction was being committed.", { cause });
    this.name = "CommitUnknown";
  }
}

/** The parts of the SQL that differ between the databases. */
export interface Dialect {
  readonly name: "sqlite" | "postgres";
  /** The column type for bytes. */
  readonly bytes: "BLOB" | "BYTEA";
  /** The column type for numbers beyond 32 bits. */
  readonly whole: "INTEGER" | "BIGINT";
  /**
   * A suffix for a table definition that makes the database store rows in the order of their keys, if the database
   * supports that.
   */
  readonly clustered: string;
  /** A query for the columns (`column`) of the tables (`table`) whose names begin with worldline_. */
  readonly columns: string;
  /**
   * The first statements in a transaction that must not run more than once at the same time. Empty if `write` alone
   * prevents that.
   */
  readonly alone: readonly string[];
}
