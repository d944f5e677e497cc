import { resolve } from "node:path";
import type { Processes } from "../../disk/lock/processes.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LogStore, MissingEntries } from "../../ports/log-store.ts";
import { checkOptions, option } from "../../record/options.ts";
import { openSqlStore } from "../sql/sql-store.ts";
import { AcknowledgedFile } from "./acknowledged.ts";
import { SqliteDatabase } from "./sqlite-database.ts";
import { sqliteDialect } from "./sqlite-dialect.ts";
import { witnessedStore } from "./witnessed-store.ts";

export interface SqliteStoreOptions {
  /** The file, made with its folder when the first session is. */
  readonly path: string;
  readonly clock: Clock;
  readonly processes?: Processes;
  /** How long a lease lasts that is not renewed. */
  readonly leaseMs?: number;
  /**
   * A folder apart from the database in which to note how far each session was acknowledged. With it, the store notices when its
   * database is older than that; without it, that goes unnoticed.
   */
  readonly notes?: string;
  /** Called once where entries that were acknowledged are missing. */
  readonly onMissing?: (missing: readonly MissingEntries[]) => void;
}

/** Keeps all sessions in one SQLite file. Nothing is opened before the first call. */
export function openSqliteStore(options: SqliteStoreOptions): LogStore {
  checkOptions<SqliteStoreOptions>(options, {
    call: "openSqliteStore",
    kinds: {
      path: option.text,
      clock: option.clock,
      processes: option.object,
      leaseMs: option.anything,
      notes: option.path,
      onMissing: option.callback,
    },
    needed: ["path", "clock"],
  });
  const path = resolve(options.path);
  const { notes: folder, onMissing, ...rest } = options;
  const { clock } = options;
  const database = new SqliteDatabase({ path, clock });
  const store = openSqlStore({
    ...rest,
    database,
    dialect: sqliteDialect,
    place: { kind: "sqlite", name: path, reach: "machine" },
  });
  if (folder === undefined) return store;
  return witnessedStore({ store, database, notes: new AcknowledgedFile({ path, folder, clock }), onMissing });
}
