import { resolve } from "node:path";
import type { Processes } from "../../disk/lock/processes.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { openSqlStore } from "../sql/sql-store.ts";
import { SqliteDatabase } from "./sqlite-database.ts";
import { sqliteDialect } from "./sqlite-dialect.ts";

export interface SqliteStoreOptions {
  /** The file, made with its folder when the first session is. */
  readonly path: string;
  readonly clock: Clock;
  readonly processes?: Processes;
  /** How long a lease lasts that is not renewed. */
  readonly leaseMs?: number;
}

/** Keeps all sessions in one SQLite file. Nothing is opened before the first call. */
export function openSqliteStore(options: SqliteStoreOptions): LogStore {
  const path = resolve(options.path);
  return openSqlStore({
    ...options,
    database: new SqliteDatabase({ path, clock: options.clock }),
    dialect: sqliteDialect,
    place: { kind: "sqlite", name: path, reach: "machine" },
  });
}
