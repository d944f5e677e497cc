import { resolve } from "node:path";
import type { Processes } from "../../disk/lock-owner.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Damage, LogStore, MissingEntries } from "../../ports/log-store.ts";
import { isWorldlineError, remark, WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import { checkOptions, option } from "../../record/options.ts";
import type { Database, Dialect } from "../sql/database.ts";
import { openSqlStore } from "../sql/sql-store.ts";
import { type Acknowledged, AcknowledgedFile } from "./acknowledged.ts";
import { SqliteDatabase } from "./sqlite-database.ts";

export interface SqliteStoreOptions {
  /** The database file. The file and its folder are created with the first session. */
  readonly path: string;
  readonly clock: Clock;
  readonly processes?: Processes;
  /** Time after which a lease expires unless it is renewed. */
  readonly leaseMs?: number;
  /**
   * The folder where the store records how many entries of each session were acknowledged. The folder should be
   * separate from the database. With this option, the store detects a database that is older than the records. Without
   * this option, such a loss is not detected.
   */
  readonly notes?: string;
  /** Callback that is called once if acknowledged entries are missing. */
  readonly onMissing?: (missing: readonly MissingEntries[]) => void;
}

/** Stores all sessions in one SQLite file. Does not open anything before the first call. */
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
  return notedStore({ store, database, notes: new AcknowledgedFile({ path, folder, clock }), onMissing });
}

export const sqliteDialect: Dialect = {
  name: "sqlite",
  bytes: "BLOB",
  whole: "INTEGER",
  clustered: " WITHOUT ROWID",
  columns: `SELECT tables.name AS "table", columns.name AS "column"
    FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
    WHERE tables.type = 'table' AND substr(tables.name, 1, 10) = 'worldline_'`,
  // The database allows only one writer at a time anyway.
  alone: [],
};

export interface NotedStoreDeps {
  readonly store: LogStore;
  readonly database: Database;
  readonly notes: AcknowledgedFile;
  /**
   * Callback for acknowledged entries that are missing from the database. It is called only once, during the first call
   * that lists or leases sessions.
   */
  readonly onMissing?: ((missing: readonly MissingEntries[]) => void) | undefined;
}

/**
 * Wraps a store so that it detects whether acknowledged entries are missing from its database. Entries are lost if the
 * -wal is removed after a crash or if the file is replaced with an older copy. SQLite opens such a file without an
 * error. Sessions with missing entries can be read, but they cannot be written to until the user has accepted the loss.
 */
function notedStore(witness: NotedStoreDeps): LogStore {
  const { store, notes } = witness;
  const missing = async (): Promise<readonly MissingEntries[]> => missingIn(witness);
  let reported: Promise<void> | undefined;
  const reportMissing = async (): Promise<void> => {
    const { onMissing } = witness;
    if (onMissing === undefined) return;
    reported ??= missing().then((found) => (found.length > 0 ? onMissing(found) : undefined));
    await reported;
  };
  const of = async (session: SessionId): Promise<MissingEntries | undefined> =>
    (await missing()).find((each) => each.session === session);
  /** Replaces SESSION_UNKNOWN with a more precise error if the notes show that the session existed. */
  const explained = async <Result>(session: SessionId, work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      const gap = isWorldlineError(error, "SESSION_UNKNOWN") ? await of(session) : undefined;
      throw gap === undefined ? error : entriesMissing(store.place.name, gap);
    }
  };
  return {
    ...store,
    missing,
    acceptMissing: async () => {
      const there = await nextLines(witness.database);
      const noted = [...notes.all().keys()].filter((session) => there.has(session));
      notes.reset(new Map(noted.map((session) => [session, there.get(session) ?? 0])));
    },
    create: async (first, content) => {
      await store.create(first, content);
      notes.drop(first.session);
      notes.note(first.session, (content?.entries.length ?? 0) + 2);
    },
    append: async (session, expectedSeq, entries) => {
      await store.append(session, expectedSeq, entries);
      if (entries.length > 0) notes.note(session, expectedSeq + entries.length);
    },
    rotate: async (session, entry) => {
      await store.rotate(session, entry);
      notes.note(session, entry.seq + 1);
    },
    list: async (filter) => {
      await reportMissing();
      return store.list(filter);
    },
    open: async (session) =>
      explained(session, async () => {
        const noted = notes.all().get(session);
        const opened = await store.open(session);
        const gap = gapOf(session, noted, opened.outline.nextSeq);
        return gap === undefined ? opened : { ...opened, damage: [...opened.damage, damageOf(gap)] };
      }),
    verify: async (session) => {
      const damage = await store.verify(session);
      const gap = await of(session);
      return gap === undefined ? damage : [...damage, damageOf(gap)];
    },
    read: async (session, from, to) => explained(session, async () => store.read(session, from, to)),
    lease: async (session, request) => {
      await reportMissing();
      const gap = await of(session);
      if (gap !== undefined) throw entriesMissing(store.place.name, gap);
      return store.lease(session, request);
    },
    trash: async (session, at) => {
      await store.trash(session, at);
      notes.drop(session);
    },
    emptyTrash: async (before) => {
      const removed = await store.emptyTrash(before);
      for (const session of removed) notes.drop(session);
      return removed;
    },
    close: async () => {
      await store.close();
      notes.close();
    },
  };
}

/**
 * Finds the acknowledged entries that are missing. Reads the notes first, because entries that other processes append
 * at the same time are in the database before they are recorded in the notes.
 */
async function missingIn({ database, notes }: NotedStoreDeps): Promise<readonly MissingEntries[]> {
  const noted = notes.all();
  if (noted.size === 0) return [];
  const there = await nextLines(database);
  return [...noted].flatMap(([session, each]) => gapOf(session, each, there.get(session) ?? 1) ?? []);
}

function gapOf(
  session: SessionId,
  noted: Acknowledged | undefined,
  next: number,
): MissingEntries | undefined {
  if (noted === undefined || noted.next <= next) return undefined;
  return { session, from: next, entries: noted.next - next, acknowledgedAt: noted.at };
}

/** Returns the number of the next line for every session, including sessions in the trash. */
async function nextLines(database: Database): Promise<ReadonlyMap<SessionId, number>> {
  if (!(await database.exists())) return new Map();
  const rows = await database.read(async (transaction) => {
    const tables = await transaction.all("SELECT name FROM sqlite_master WHERE name = 'worldline_sessions'");
    return tables.length === 0
      ? []
      : transaction.all("SELECT id, MAX(next_seq) AS next FROM worldline_sessions GROUP BY id");
  });
  return new Map(rows.map((row) => [row["id"] as SessionId, row["next"] as number]));
}

function damageOf({ from, entries, acknowledgedAt: until }: MissingEntries): Damage {
  const said = remark("damage-entries-missing", { entries, from, until });
  return { what: "missing", file: "", line: from, bytes: 0, ...said };
}

function entriesMissing(path: string, gap: MissingEntries): WorldlineError {
  const { session, from, entries, acknowledgedAt } = gap;
  const extent = from === 1 ? "all" : "last";
  return new WorldlineError("database-older", { session, entries, extent, until: acknowledgedAt, path });
}
