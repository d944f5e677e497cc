import type { Processes } from "../../disk/lock/processes.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { checkOptions, option } from "../../record/options.ts";
import type { Database } from "../sql/database.ts";
import { openSqlStore } from "../sql/sql-store.ts";
import { postgresDialect } from "./dialect.ts";
import { PostgresDatabase, type PostgresDatabaseOptions } from "./postgres-database.ts";

export interface PostgresStoreOptions extends PostgresDatabaseOptions {
  readonly clock: Clock;
  readonly processes?: Processes;
  /** How long a session stays with a program on another machine that does not renew its lease. */
  readonly leaseMs?: number;
  /** What stands between the store and its database; tests have it fail. */
  readonly around?: (database: Database) => Database;
}

/**
 * Keeps sessions in a Postgres database, which several machines may share. Connects when something is first asked of
 * it; an address that cannot be read is refused at once.
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
