import type { Processes } from "../../disk/lock-owner.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { checkOptions, option } from "../../record/options.ts";
import type { Database, Dialect } from "../sql/database.ts";
import { openSqlStore } from "../sql/sql-store.ts";
import { PostgresDatabase, type PostgresDatabaseOptions } from "./postgres-database.ts";

export interface PostgresStoreOptions extends PostgresDatabaseOptions {
  readonly clock: Clock;
  readonly processes?: Processes;
  /** How long a program on another machine keeps the lease on its session without renewing it. */
  readonly leaseMs?: number;
  /** Wraps the database, so that tests can make it fail. */
  readonly around?: (database: Database) => Database;
}

/**
 * Stores sessions in a Postgres database, which several machines can share. Connects on first use, but immediately
 * rejects an address that cannot be parsed.
 */
export function openPostgresStore(options: PostgresStoreOptions): LogStore {
  checkOptions<PostgresStoreOptions>(options, {
    call: "openPostgresStore",
    kinds: {
      url: option.text,
      clock: option.clock,
      patienceMs: option.amount,
      leaseMs: option.anything,
      processes: option.object,
      around: option.callback,
      packages: option.path,
    },
    needed: ["url", "clock"],
  });
  const { clock, processes, leaseMs, around = (all) => all } = options;
  const database = new PostgresDatabase(options);
  return openSqlStore({
    database: around(database),
    dialect: postgresDialect,
    place: { kind: "postgres", name: database.address.name, reach: "shared" },
    clock,
    ...(processes === undefined ? {} : { processes }),
    ...(leaseMs === undefined ? {} : { leaseMs }),
  });
}

/** An arbitrary lock number that no other program uses. */
const MIGRATING = 7_205_759_403_792_793;

export const postgresDialect: Dialect = {
  name: "postgres",
  bytes: "BYTEA",
  whole: "BIGINT",
  clustered: "",
  // The query does not use information_schema, because information_schema hides tables that the user is not allowed to
  // read. Such tables must not be created again. Instead, the attempt to access them must be rejected.
  columns: `SELECT tables.relname AS "table", columns.attname AS "column"
    FROM pg_catalog.pg_class AS tables
    JOIN pg_catalog.pg_attribute AS columns ON columns.attrelid = tables.oid
    WHERE left(tables.relname, 10) = 'worldline_' AND tables.relkind IN ('r', 'p', 'v')
    AND columns.attnum > 0 AND NOT columns.attisdropped AND pg_catalog.pg_table_is_visible(tables.oid)`,
  alone: [`SELECT pg_advisory_xact_lock(${MIGRATING})`],
};
