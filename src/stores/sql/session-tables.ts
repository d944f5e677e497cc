import type { Processes } from "../../disk/lock-owner.ts";
import type { Clock } from "../../ports/clock.ts";
import type { StorePlace } from "../../ports/log-store.ts";
import { WorldlineError } from "../../record/error.ts";
import { isSessionId, type SessionId } from "../../record/ids.ts";
import { sessionUnknown } from "../all-stores.ts";
import { CommitUnknown, type Database, type Dialect, type Transaction } from "./database.ts";
import {
  checkVersion,
  lookForSchema,
  type Migration,
  migrate,
  newest,
  type SchemaContext,
} from "./schema.ts";

export interface SqlStoreOptions {
  readonly database: Database;
  readonly dialect: Dialect;
  readonly place: StorePlace;
  readonly clock: Clock;
  readonly processes?: Processes;
  /** Time after which a lease expires unless it is renewed. */
  readonly leaseMs?: number;
  readonly migrations?: readonly Migration[];
}

/** Contents of a session's row. */
export interface SessionRow {
  readonly key: number;
  readonly nextSeq: number;
  readonly rewrites: number;
}

/** A change, with a way to find out later whether it was made. */
export interface Change<Result> {
  readonly work: (transaction: Transaction) => Promise<Result>;
  /** Returns the result of `work` if its change is already in the database, or undefined otherwise. */
  readonly happened: (transaction: Transaction) => Promise<Result | undefined>;
  /** Called as soon as the outcome of the change is in doubt, even if it becomes known later. */
  readonly inDoubt?: () => void;
  /**
   * "itself" means that `work` itself rejects tables from a newer program. By default, this check is done before
   * `work`.
   */
  readonly checksVersion?: "itself";
}

const MAX_TRIES = 5;

/** A database with its tables. All parts of the store use it. */
export class SessionTables {
  readonly database: Database;
  readonly #options: SqlStoreOptions & { readonly migrations: readonly Migration[] };
  #schema: "unseen" | "there" = "unseen";

  constructor(options: SqlStoreOptions & { readonly migrations: readonly Migration[] }) {
    this.database = options.database;
    this.#options = options;
  }

  /** Reads from the database. If the database does not exist yet, returns `absent` and does not create it. */
  async look<Result>(absent: Result, work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return (await this.isThere()) ? this.database.read(work) : absent;
  }

  /** Reads from a session that must exist. */
  async lookAt<Result>(
    session: SessionId,
    work: (transaction: Transaction, row: SessionRow) => Promise<Result>,
  ): Promise<Result> {
    await this.needSchema(session);
    return this.database.read(async (transaction) => work(transaction, await rowOf(transaction, session)));
  }

  /**
   * Throws if the database does not have our tables or if the id is invalid. An invalid id may contain characters that
   * make a database truncate it.
   */
  async needSchema(session: SessionId): Promise<void> {
    if (!isSessionId(session) || !(await this.isThere())) throw sessionUnknown(session);
  }

  /** Checks whether the tables exist. Updates tables from an earlier version. */
  async isThere(): Promise<boolean> {
    if (this.#schema === "there") return true;
    const schema = await lookForSchema(this.#schemaContext);
    if (schema === "outdated") await this.#migrate();
    else if (schema === "there") this.#schema = schema;
    return schema !== "absent";
  }

  async makeTables(): Promise<void> {
    // The database is read first, so that a rejected database is not changed at all.
    if (!(await this.isThere())) await this.#migrate();
  }

  /** Makes a change exactly once, even if the connection is lost during the commit. */
  async change<Result>({ work, happened, inDoubt, checksVersion }: Change<Result>): Promise<Result> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.database.write(async (transaction) => {
          if (checksVersion === undefined) await this.checkVersion(transaction);
          return work(transaction);
        });
      } catch (error) {
        if (!(error instanceof CommitUnknown)) throw error;
        inDoubt?.();
        const result = await this.database.read(happened);
        if (result !== undefined) return result;
        if (tries === MAX_TRIES)
          throw new WorldlineError(
            "connection-unstable",
            { name: this.#options.place.name },
            { cause: error },
          );
      }
    }
  }

  /** The newest version of the tables that this program may write to. */
  get newestVersion(): number {
    return newest(this.#options.migrations);
  }

  /** Throws if a newer program altered the tables while this program was running. */
  async checkVersion(transaction: Transaction): Promise<void> {
    await checkVersion(this.#schemaContext, transaction);
  }

  async #migrate(): Promise<void> {
    await this.change({
      checksVersion: "itself",
      work: async (transaction) => migrate(this.#schemaContext, transaction),
      happened: async () => undefined,
    });
    this.#schema = "there";
  }

  get #schemaContext(): SchemaContext {
    const { database, dialect, place, migrations } = this.#options;
    return { database, dialect, name: `The database ${place.name}`, migrations };
  }
}

/**
 * Returns the key of the session with this id that is not in the trash. Locks the session's row without changing it.
 * This transaction and those that append to the session, trash it, or acquire its lease wait for each other. Everything
 * that is read after this call remains valid until the commit.
 */
export async function lockSession(transaction: Transaction, session: SessionId): Promise<number> {
  const [row] = await transaction.all(
    `UPDATE worldline_sessions SET next_seq = next_seq WHERE id = ? AND trashed_at IS NULL
      RETURNING session_key`,
    [session],
  );
  if (row === undefined) throw sessionUnknown(session);
  return row["session_key"] as number;
}

/** Finds the session with this id that is not in the trash. */
export async function findRow(transaction: Transaction, session: SessionId): Promise<SessionRow | undefined> {
  const [row] = await transaction.all(
    "SELECT session_key, next_seq, rewrites FROM worldline_sessions WHERE id = ? AND trashed_at IS NULL",
    [session],
  );
  if (row === undefined) return undefined;
  const { session_key: key, next_seq: nextSeq, rewrites } = row as Record<string, number>;
  return { key, nextSeq, rewrites } as SessionRow;
}

export async function rowOf(transaction: Transaction, session: SessionId): Promise<SessionRow> {
  const row = await findRow(transaction, session);
  if (row === undefined) throw sessionUnknown(session);
  return row;
}
