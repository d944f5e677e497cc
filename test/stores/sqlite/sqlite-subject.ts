import { join } from "node:path";
import Libsql from "libsql";
import type { LogStore } from "../../../src/ports/log-store.ts";
import type { Seq, SessionId } from "../../../src/record/ids.ts";
import type { Database } from "../../../src/stores/sql/database.ts";
import { openSqlStore } from "../../../src/stores/sql/sql-store.ts";
import { SqliteDatabase } from "../../../src/stores/sqlite/sqlite-database.ts";
import { sqliteDialect } from "../../../src/stores/sqlite/sqlite-store.ts";
import {
  type LogStoreSubject,
  ManualClock,
  SimulatedProcesses,
  tempFolder,
} from "../../../src/testing/testing.ts";

export interface SqliteSubject extends LogStoreSubject {
  readonly path: string;
  readonly database: Database;
}

export interface SqliteSubjectOptions {
  /** Wraps the database before the store gets it. */
  readonly around?: (database: Database) => Database;
}

/** A store in its own SQLite file, in a folder that does not exist yet. */
export function sqliteSubject({ around = (database) => database }: SqliteSubjectOptions = {}): SqliteSubject {
  const folder = tempFolder();
  const path = join(folder.path, "home", "sessions.db");
  const [clock, processes] = [new ManualClock(), new SimulatedProcesses()];
  const room = { isFull: false };
  const opened: LogStore[] = [];
  const open = (self = processes.start()): LogStore => {
    const database = around(inRoom(new SqliteDatabase({ path, clock }), room));
    const place = { kind: "sqlite", name: path, reach: "machine" } as const;
    const store = openSqlStore({ database, dialect: sqliteDialect, place, clock, processes: self });
    opened.push(store);
    return store;
  };
  return {
    path,
    database: new SqliteDatabase({ path, clock }),
    store: open(),
    another: () => open(),
    damageLine: (session, seq) => damageLine(path, session, seq),
    fillUp: () => {
      room.isFull = true;
      return () => {
        room.isFull = false;
      };
    },
    abandonLease: async (session) => {
      const dead = processes.start();
      await open(dead).lease(session, { name: "the one that died", waitMs: 0 });
      processes.kill(dead.pid);
    },
    remove: async () => {
      for (const store of opened) await store.close();
      folder.remove();
    },
  };
}

/**
 * When full, each transaction needs more pages than the file may have, so SQLite itself raises SQLITE_FULL.
 */
function inRoom(database: Database, room: { isFull: boolean }): Database {
  const write: Database["write"] = async (work) =>
    database.write(async (transaction) => {
      const most = room.isFull ? 1 : 1_000_000;
      await transaction.all(`PRAGMA max_page_count = ${most}`);
      const result = await work(transaction);
      if (room.isFull) {
        await transaction.run("INSERT INTO worldline_blobs VALUES (0, 'too much', zeroblob(1000000))");
      }
      return result;
    });
  return {
    read: async (work) => database.read(work),
    write,
    exists: async () => database.exists(),
    scrub: async () => database.scrub(),
    now: async (transaction) => database.now(transaction),
    close: async () => database.close(),
  };
}

/** Flips a bit in the middle of a line's row, through its own connection. */
function damageLine(path: string, session: SessionId, seq: Seq): void {
  const database = new Libsql(path);
  const [row] = database
    .prepare(
      `SELECT session_key, line FROM worldline_lines NATURAL JOIN worldline_sessions
        WHERE id = ? AND seq = ? AND trashed_at IS NULL`,
    )
    .all([session, seq]) as { session_key: number; line: ArrayBuffer }[];
  if (row === undefined) throw new Error(`There is no line ${seq} of ${session}.`);
  const line = new Uint8Array(row.line);
  line[line.length >> 1] = (line[line.length >> 1] ?? 0) ^ 1;
  database
    .prepare("UPDATE worldline_lines SET line = ? WHERE session_key = ? AND seq = ?")
    .run([line, row.session_key, seq]);
  database.close();
}
