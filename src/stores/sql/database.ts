/**
 * What a column holds. Numbers are whole and safe; drivers give them back as numbers, bytes as `Uint8Array`. Texts
 * have neither NUL nor lone surrogates, which no database keeps: what might have them is hashed, or written as JSON.
 */
export type SqlValue = string | number | Uint8Array | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** One transaction. Placeholders are `?`, in order, in every dialect. */
export interface Transaction {
  /** The rows, also those of an `UPDATE ... RETURNING`. */
  all(text: string, values?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  /** Returns how many rows it changed. */
  run(text: string, values?: readonly SqlValue[]): Promise<number>;
}

/**
 * A database, as little of it as a log store needs. Both dialects speak the same statements; what differs between
 * them is in their drivers.
 *
 * Contract, checked by `databaseContract` in test/stores/sql/:
 * - `write` runs `work` in one transaction that no other one sees the middle of: all of it is durable when it
 *   resolves, none of it happened when `work` throws. Two writers of the same row wait for each other, and each
 *   statement of the one that waited sees what the other wrote, or else all of `work` is run again.
 * - `read` sees one state of the database from its first statement to its last, and holds no writer up.
 * - Where the database was busy, or the connection was lost before the commit was asked for, `work` is run again, so
 *   it changes nothing but the transaction. How long that may take is the driver's; then it rejects with
 *   STORE_BUSY or STORE_UNREACHABLE, and nothing has happened.
 * - If the connection is lost during the commit, the outcome is unknown: it rejects with `CommitUnknown`.
 * - A full disk is STORE_FULL, a refused write STORE_UNWRITABLE, anything else that cannot be read STORE_UNREADABLE.
 *   No message holds a password.
 */
export interface Database {
  read<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  write<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  /** Whether there is anything to read from: looking must not make a database, the first `write` does. */
  exists(): Promise<boolean>;
  /**
   * Takes what was deleted or replaced off the disk as well, as far as the database can: the user asked to forget it. Rejects
   * where that cannot be done now (STORE_BUSY and the like), which changes nothing of what was done before.
   */
  scrub(): Promise<void>;
  /** The time that all who share the database agree on, in milliseconds since 1970. */
  now(transaction: Transaction): Promise<number>;
  close(): Promise<void>;
}

/** Whether the transaction happened is unknown here; asking the database again tells. */
export class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super("The connection was lost while the transaction was being committed.", { cause });
    this.name = "CommitUnknown";
  }
}

/** A statement of each dialect where they cannot be the same: tables and their columns' types. */
export interface Dialect {
  readonly name: "sqlite" | "postgres";
  /** The type of a column of bytes. */
  readonly bytes: "BLOB" | "BYTEA";
  /** The type of a column of numbers beyond 32 bits. */
  readonly whole: "INTEGER" | "BIGINT";
  /** Behind the columns of a table that is kept in the order of its key, where there is such a thing. */
  readonly clustered: string;
  /** Lists the columns (`column`) of the tables (`table`) whose names begin with worldline_. */
  readonly columns: string;
  /** What a transaction says first that must not run twice at once, where `write` alone does not see to that. */
  readonly alone: readonly string[];
}
