import { join } from "node:path";
import { defaultHome, userHome } from "./disk/folders.ts";
import { systemClock } from "./disk/system-clock.ts";
import type { Clock } from "./ports/clock.ts";
import type { LogStore, MissingEntries, StorePlace } from "./ports/log-store.ts";
import { checkArgument, checkOptions, type OptionsOf, option } from "./record/options.ts";
import { signedFor } from "./stores/authority/signed-store.ts";
import { openFilesStore } from "./stores/files/files.ts";
import { placeOf, type StoreAddress, storeAddress } from "./stores/store-address.ts";

export interface OpenStoreOptions {
  /**
   * The folder where the `files` store keeps its sessions; by default, WORLDLINE_HOME, or `.worldline` in the home
   * folder.
   */
  readonly home?: string;
  readonly clock?: Clock;
  /** Files only: maximum size of a log file. A larger log continues in a new file. */
  readonly rotateBytes?: number;
  /** Databases only: how long a program on another machine keeps its session without renewing its lease. */
  readonly leaseMs?: number;
  /**
   * Postgres only: how long to retry while the server does not answer. The address may set a shorter time with
   * `connect_timeout`.
   */
  readonly patienceMs?: number;
  /**
   * SQLite only: called once if the database lacks entries that were acknowledged, because its files were removed or
   * replaced with an older copy.
   */
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
 * Opens the store at an address: `files`, `sqlite:path` or `postgres://user:password@host/database`. Does not read or
 * create anything, or contact a server, until the store is used.
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
 * Returns the store to use if the caller does not name one: the store in WORLDLINE_STORE, so that a program and the
 * command line use the same store. If the caller names a home folder or the variable is not set, this is `files`.
 */
export function defaultStore(home: string | undefined): string {
  return (home === undefined ? process.env["WORLDLINE_STORE"] : undefined) || "files";
}

function patienceOf(...given: readonly (number | undefined)[]): { readonly patienceMs?: number } {
  const known = given.filter((each) => each !== undefined);
  return known.length === 0 ? {} : { patienceMs: Math.min(...known) };
}

/**
 * Returns a store whose code is loaded on first use, so that a program that never uses the store does not have to load
 * it.
 */
function loadedLater(place: StorePlace, load: () => Promise<LogStore>): LogStore {
  let loading: Promise<LogStore> | undefined;
  const store = async (): Promise<LogStore> => {
    loading ??= load();
    return loading;
  };
  return {
    place,
    create: async (...given) => (await store()).create(...given),
    open: async (session) => (await store()).open(session),
    recover: async (session) => (await store()).recover(session),
    append: async (...given) => (await store()).append(...given),
    rotationDue: async (session) => (await store()).rotationDue(session),
    rotate: async (...given) => (await store()).rotate(...given),
    read: async (...given) => (await store()).read(...given),
    verify: async (session) => (await store()).verify(session),
    list: async (...given) => (await store()).list(...given),
    stamp: async (session) => (await store()).stamp(session),
    sizes: async (session) => (await store()).sizes(session),
    holder: async (session) => (await store()).holder(session),
    lease: async (...given) => (await store()).lease(...given),
    putBlob: async (...given) => (await store()).putBlob(...given),
    getBlob: async (...given) => (await store()).getBlob(...given),
    listBlobs: async (session) => (await store()).listBlobs(session),
    trash: async (...given) => (await store()).trash(...given),
    undelete: async (session) => (await store()).undelete(session),
    listTrash: async () => (await store()).listTrash(),
    emptyTrash: async (before) => (await store()).emptyTrash(before),
    listRemnants: async () => (await store()).listRemnants(),
    scraps: async (session) => (await store()).scraps(session),
    rewrite: async (...given) => (await store()).rewrite(...given),
    scrub: async () => (await store()).scrub(),
    publish: async (...given) => (await store()).publish(...given),
    missing: async () => (await (await store()).missing?.()) ?? [],
    acceptMissing: async () => (await store()).acceptMissing?.(),
    close: async () => {
      // A store that was never used does not have to be loaded in order to be closed. If loading failed, the call that
      // used the store has already reported it.
      const loaded = await loading?.catch(() => undefined);
      await loaded?.close();
    },
  };
}
