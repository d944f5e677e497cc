/**
 * The value of a column. Numbers are safe integers; drivers return them as numbers, and bytes as `Uint8Array`. Texts contain
 * neither NUL nor lone surrogates, which no database stores: a text that might contain them is hashed, or written as JSON.
 */
export type SqlValue = string | number | Uint8Array | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** One transaction. Placeholders are `?`, in order, in every dialect. */
export interface Transaction {
  /** Returns the rows, including those of an `UPDATE ... RETURNING`. */
  all(text: string, values?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  /** Returns how many rows were changed. */
  run(text: string, values?: readonly SqlValue[]): Promise<number>;
}

/**
 * The part of a database that a log store needs. Both dialects use the same statements; their differences are in the drivers.
 *
 * Contract, checked by `databaseContract` in test/stores/sql/:
 * - `write` runs `work` in one transaction, whose intermediate states no other transaction sees: all of it is durable when it
 *   resolves, and none of it happened if `work` throws. Two writers of the same row wait for each other. Then either each
 *   statement of the one that waited sees what the other wrote, or all of its `work` is run again.
 * - `read` sees a single state of the database from its first statement to its last, and blocks no writer.
 * - If the database was busy, or the connection was lost before the commit was sent, `work` is run again, so it must change
 *   nothing but the transaction. The driver decides how long that may take; then it rejects with STORE_BUSY or
 *   STORE_UNREACHABLE, and nothing has happened.
 * - If the connection is lost during the commit, the outcome is unknown: it rejects with `CommitUnknown`.
 * - A full disk is STORE_FULL, a rejected write STORE_UNWRITABLE, anything else that cannot be read STORE_UNREADABLE. No
 *   message contains a password.
 */
export interface Database {
  read<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  write<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  /** Whether there is a database to read from. Reading must not create it; the first `write` does. */
  exists(): Promise<boolean>;
  /**
   * Also removes deleted or replaced data from the disk, as far as the database can, because the user asked to forget it.
   * Rejects if that is not possible now (with STORE_BUSY, for example); earlier changes stay.
   */
  scrub(): Promise<void>;
  /** The time that all users of the database agree on, in milliseconds since 1970. */
  now(transaction: Transaction): Promise<number>;
  close(): Promise<void>;
}

/** It is unknown here whether the transaction happened; the caller can find out from the database. */
export class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super("The connection was lost while the transaction was being committed.", { cause });
    this.name = "CommitUnknown";
  }
}

/** What the dialects cannot share: tables and the types of their columns. */
export interface Dialect {
  readonly name: "sqlite" | "postgres";
  /** The type of a column of bytes. */
  readonly bytes: "BLOB" | "BYTEA";
  /** The type of a column of numbers beyond 32 bits. */
  readonly whole: "INTEGER" | "BIGINT";
  /** Appended to the definition of a table whose rows are stored in the order of their key, if the dialect has that. */
  readonly clustered: string;
  /** Lists the columns (`column`) of the tables (`table`) whose names begin with worldline_. */
  readonly columns: string;
  /** The first statements of a transaction that must not run twice at once, if `write` alone does not ensure that. */
  readonly alone: readonly string[];
}
