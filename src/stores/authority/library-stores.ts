import { defaultHome } from "../../disk/folders.ts";
import { systemClock } from "../../disk/system-clock.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { type FilesStoreOptions, openFilesStore } from "../files/files.ts";
import { type MemoryStoreOptions, openMemoryStore } from "../memory.ts";
import { openPostgresStore, type PostgresStoreOptions } from "../postgres/postgres-store.ts";
import { openSqliteStore, type SqliteStoreOptions } from "../sqlite/sqlite-store.ts";
import { signedFor, signedInMemory } from "./signed-store.ts";

// The stores in this file are exported by the library. Each store wraps another store and checks which entries this
// home wrote.

/** Stores sessions in files in the home folder `root`. */
export function openLibraryFilesStore(options: FilesStoreOptions): LogStore {
  return signedFor(openFilesStore(options), { home: options.root, clock: options.clock, disk: options.disk });
}

/** Stores all sessions in one SQLite file. Signs entries with the key of the default home. */
export function openLibrarySqliteStore(options: SqliteStoreOptions): LogStore {
  return signedFor(openSqliteStore(options), { home: defaultHome(), clock: options.clock });
}

/**
 * Stores sessions in a Postgres database, which several machines can share. Signs entries with the key of the default
 * home.
 */
export function openLibraryPostgresStore(options: PostgresStoreOptions): LogStore {
  return signedFor(openPostgresStore(options), { home: defaultHome(), clock: options.clock });
}

/** Stores sessions in memory for as long as the process runs. */
export function openLibraryMemoryStore(options: MemoryStoreOptions = {}): LogStore {
  return signedInMemory(openMemoryStore(options), options.clock ?? systemClock);
}
