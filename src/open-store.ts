import { join } from "node:path";
import { defaultHome } from "./disk/default-home.ts";
import { systemClock } from "./disk/system-clock.ts";
import { userHome } from "./disk/user-home.ts";
import type { Clock } from "./ports/clock.ts";
import type { LogStore, MissingEntries } from "./ports/log-store.ts";
import { checkArgument, checkOptions, type OptionsOf, option } from "./record/options.ts";
import { signedFor } from "./stores/authority/signed-for.ts";
import { openFilesStore } from "./stores/files/files.ts";
import { loadedLater } from "./stores/loaded-later.ts";
import { placeOf, type StoreAddress, storeAddress } from "./stores/store-address.ts";

export interface OpenStoreOptions {
  /** Where `files` keeps sessions; by default WORLDLINE_HOME, or `.worldline` in the home folder. */
  readonly home?: string;
  readonly clock?: Clock;
  /** Files: a log goes on in a new one past this size. */
  readonly rotateBytes?: number;
  /** Databases: how long a session stays with a program on another machine that does not renew its lease. */
  readonly leaseMs?: number;
  /** Postgres: how long to try while the server does not answer; its address may say less (`connect_timeout`). */
  readonly patienceMs?: number;
  /** SQLite: called once where the database has less than was acknowledged, because its files were removed or are an older copy. */
  readonly onMissing?: (missing: readonly MissingEntries[]) => void;
}

const storeOptions: OptionsOf<OpenStoreOptions> = {
  call: "openStore",
  kinds: {
    home: option.path,
    clock: option.clock,
    rotateBytes: option.amount,
    leaseMs: option.anything,
    patienceMs: option.amount,
    onMissing: option.callback,
  },
};

/**
 * Opens the store of an address: `files`, `sqlite:path`, `postgres://user:password@host/database`. Nothing is looked at
 * or made, and no server is called, before something is asked of it.
 */
export function openStore(address: string | StoreAddress, options: OpenStoreOptions = {}): LogStore {
  checkArgument(address, "store-address", option.either(option.text, option.object));
  checkOptions(options, storeOptions);
  const { home = defaultHome(), clock = systemClock } = options;
  const wanted =
    typeof address === "string"
      ? storeAddress(address, { cwd: () => process.cwd(), userHome: userHome() })
      : address;
  return signedFor(storeAt(wanted, { ...options, home, clock }), { home, clock });
}

function storeAt(
  wanted: StoreAddress,
  options: OpenStoreOptions & Required<Pick<OpenStoreOptions, "home" | "clock">>,
): LogStore {
  const { home, clock } = options;
  const lease = options.leaseMs === undefined ? {} : { leaseMs: options.leaseMs };
  switch (wanted.kind) {
    case "files": {
      const rotate = options.rotateBytes === undefined ? {} : { rotateBytes: options.rotateBytes };
      return openFilesStore({ root: home, clock, ...rotate });
    }
    case "sqlite":
      return loadedLater(placeOf(wanted, home), async () => {
        const { openSqliteStore } = await import("./stores/sqlite/sqlite-store.ts");
        const told = options.onMissing === undefined ? {} : { onMissing: options.onMissing };
        return openSqliteStore({
          path: wanted.path,
          clock,
          notes: join(home, "acknowledged"),
          ...lease,
          ...told,
        });
      });
    case "postgres":
      return loadedLater(placeOf(wanted, home), async () => {
        const { openPostgresStore } = await import("./stores/postgres/postgres-store.ts");
        const patience = patienceOf(wanted.patienceMs, options.patienceMs);
        return openPostgresStore({ url: wanted.url, clock, ...lease, ...patience });
      });
    default:
      return wanted satisfies never;
  }
}

/**
 * The store of who names none: as WORLDLINE_STORE says, so that a program and the command line mean the same one. Who
 * names a home means the files in it.
 */
export function defaultStore(home: string | undefined): string {
  return (home === undefined ? process.env["WORLDLINE_STORE"] : undefined) || "files";
}

function patienceOf(...given: readonly (number | undefined)[]): { readonly patienceMs?: number } {
  const known = given.filter((each) => each !== undefined);
  return known.length === 0 ? {} : { patienceMs: Math.min(...known) };
}
