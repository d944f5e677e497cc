/**
 * The value of a column. Numbers are safe integers, which drivers return as numbers; bytes are returned as
 * `Uint8Array`. Databases cannot store strings with NUL or lone surrogates, so a string that might contain them is
 * hashed or written as JSON.
 */
export type SqlValue = string | number | Uint8Array | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** One transaction. In every dialect, placeholders are written as `?`, in the order of their values. */
export interface Transaction {
  /** Runs a statement and returns its rows, including the rows of an `UPDATE ... RETURNING`. */
  all(text: string, values?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  /** Runs a statement and returns how many rows it changed. */
  run(text: string, values?: readonly SqlValue[]): Promise<number>;
}

/**
 * The part of a database that a log store needs. Both dialects use the same statements; their differences are in the
 * drivers.
 *
 * Contract, checked by `databaseContract` in test/stores/sql/:
 * - `write` runs `work` in one transaction, whose intermediate states are not visible to other transactions. When it
 *   resolves, the whole transaction is durable; if `work` throws, nothing has happened. Two writers of the same row
 *   wait for each other. After the wait, either each statement of the waiting writer sees what the other writer wrote,
 *   or the whole `work` of the waiting writer is run again.
 * - `read` sees a single state of the database from its first statement to its last, and does not block writers.
 * - If the database was busy, or the connection was lost before the commit was sent, `work` is run again, so it must
 *   not have effects outside the transaction. The driver decides how long to retry. After that, the call rejects with
 *   STORE_BUSY or STORE_UNREACHABLE, and nothing has happened.
 * - If the connection is lost during the commit, the outcome is unknown, and `write` rejects with `CommitUnknown`.
 * - A full disk is STORE_FULL, a rejected write is STORE_UNWRITABLE, and any other data that cannot be read is
 *   STORE_UNREADABLE. No message contains a password.
 */
export interface Database {
  read<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  write<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  /** Whether the database exists. Reading must not create it; the first `write` does. */
  exists(): Promise<boolean>;
  /**
   * Removes deleted or replaced data from the disk as well, as far as the database can, because the user asked to
   * forget it. Rejects if that is not possible now, for example, with STORE_BUSY. Earlier changes stay.
   */
  scrub(): Promise<void>;
  /** The time that all users of the database agree on, in milliseconds since 1970. */
  now(transaction: Transaction): Promise<number>;
  close(): Promise<void>;
}

/**
 * Thrown if the outcome of a transaction is unknown. The caller can find out from the database whether it happened.
 */
export class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super("The connection was lost while the transaction was being committed.", { cause });
    this.name = "CommitUnknown";
  }
}

/** The differences between the databases: tables and the types of their columns. */
export interface Dialect {
  readonly name: "sqlite" | "postgres";
  /** The type of a column for bytes. */
  readonly bytes: "BLOB" | "BYTEA";
  /** The type of a column for numbers beyond 32 bits. */
  readonly whole: "INTEGER" | "BIGINT";
  /**
   * A suffix for a table definition that makes the database store the rows in the order of their key, if the database
   * supports that.
   */
  readonly clustered: string;
  /** A query for the columns (`column`) of the tables (`table`) whose names begin with worldline_. */
  readonly columns: string;
  /**
   * The first statements of a transaction that must not run more than once at the same time; empty if `write` alone
   * ensures that.
   */
  readonly alone: readonly string[];
}
