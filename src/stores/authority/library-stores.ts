import { defaultHome } from "../../disk/folders.ts";
import { systemClock } from "../../disk/system-clock.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { type FilesStoreOptions, openFilesStore } from "../files/files.ts";
import { type MemoryStoreOptions, openMemoryStore } from "../memory.ts";
import { openPostgresStore, type PostgresStoreOptions } from "../postgres/postgres-store.ts";
import { openSqliteStore, type SqliteStoreOptions } from "../sqlite/sqlite-store.ts";
import { signedFor, signedInMemory } from "./signed-store.ts";

// The stores that the library gives out. Each checks what this home wrote; the ones below them do not.

/** Keeps sessions in the files of the home `root`. */
export function openLibraryFilesStore(options: FilesStoreOptions): LogStore {
  return signedFor(openFilesStore(options), { home: options.root, clock: options.clock, disk: options.disk });
}

/** Keeps all sessions in one SQLite file. Signs with the key of the default home. */
export function openLibrarySqliteStore(options: SqliteStoreOptions): LogStore {
  return signedFor(openSqliteStore(options), { home: defaultHome(), clock: options.clock });
}

/** Keeps sessions in a Postgres database, which several machines may share. Signs with the key of the default home. */
export function openLibraryPostgresStore(options: PostgresStoreOptions): LogStore {
  return signedFor(openPostgresStore(options), { home: defaultHome(), clock: options.clock });
}

/** Keeps sessions as long as the process lives. */
export function openLibraryMemoryStore(options: MemoryStoreOptions = {}): LogStore {
  return signedInMemory(openMemoryStore(options), options.clock ?? systemClock);
}
