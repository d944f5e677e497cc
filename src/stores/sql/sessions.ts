import { createHash } from "node:crypto";
import type { Clock } from "../../ports/clock.ts";
import type {
  Piece,
  PublishedCheckpoint,
  SessionContent,
  SessionFilter,
  Trashed,
} from "../../ports/log-store.ts";
import type { EntryOf } from "../../record/entry.ts";
import { WorldlineError } from "../../record/error.ts";
import { isSessionId, type SessionId } from "../../record/ids.ts";
import { sessionExists, sessionUnknown } from "../all-stores.ts";
import { insertBlob } from "./blobs.ts";
import type { SqlRow, SqlValue, Transaction } from "./database.ts";
import { insertLines, packEntries } from "./lines.ts";
import { findRow, lockSession, type SessionTables } from "./session-tables.ts";

const KEY_BYTES = 6;

/** Creates a session with all of its initial content. */
export async function createSession(
  { tables, clock }: { readonly tables: SessionTables; readonly clock: Clock },
  first: EntryOf<"session">,
  content: SessionContent,
): Promise<void> {
  if (!isSessionId(first.session)) throw new WorldlineError("session-has-no-id", {});
  const lines = packEntries([first, ...content.entries], 1);
  await tables.makeTables();
  let made: number | undefined;
  do {
    const key = Buffer.from(clock.random(KEY_BYTES)).readUIntBE(0, KEY_BYTES);
    made = await tables.change({
      work: async (transaction) => insertSession(transaction, { key, first, lines, blobs: content.blobs }),
      happened: async (transaction) =>
        (await findRow(transaction, first.session))?.key === key ? key : undefined,
    });
  } while (made === undefined);
}

interface NewSession {
  readonly key: number;
  readonly first: EntryOf<"session">;
  readonly lines: readonly Uint8Array[];
  readonly blobs: readonly Uint8Array[];
}

/** Inserts a session. Returns undefined if another session already has the random key. */
async function insertSession(transaction: Transaction, session: NewSession): Promise<number | undefined> {
  const { key, first, lines, blobs } = session;
  const inserted = await transaction.run(
    `INSERT INTO worldline_sessions (session_key, id, workspace, mode, next_seq, rewrites, trashed_at)
      VALUES (?, ?, ?, ?, ?, 0, NULL) ON CONFLICT DO NOTHING`,
    [key, first.session, searchable(first.workspace), first.mode, lines.length + 1],
  );
  if (inserted === 0) {
    if ((await findRow(transaction, first.session)) !== undefined) throw sessionExists(first.session);
    return undefined;
  }
  await insertLines(transaction, { key, first: 1 }, lines);
  for (const blob of blobs) await insertBlob(transaction, key, blob);
  return key;
}

/** Converts a string to an index key. Paths may have any length and contain any characters, but keys may not. */
function searchable(text: string): string {
  return createHash("sha256").update(text, "utf16le").digest("hex");
}

/** Returns the sorted ids of the sessions that match the filter. */
export async function listSessions(
  transaction: Transaction,
  filter: SessionFilter,
): Promise<readonly SessionId[]> {
  const conditions = ["trashed_at IS NULL"];
  const values: SqlValue[] = [];
  const only = (condition: string, value: SqlValue): void => {
    conditions.push(condition);
    values.push(value);
  };
  if (filter.workspace !== undefined) only("workspace = ?", searchable(filter.workspace));
  if (filter.mode !== undefined) only("mode = ?", filter.mode);
  if (filter.after !== undefined) only("id > ?", asText(filter.after));
  if (filter.limit !== undefined) values.push(Math.max(0, Math.floor(filter.limit)));
  const rows = await transaction.all(
    `SELECT id FROM worldline_sessions WHERE ${conditions.join(" AND ")} ORDER BY id${
      filter.limit === undefined ? "" : " LIMIT ?"
    }`,
    values,
  );
  return rows.map((row) => row["id"] as SessionId);
}

/** Returns the amount of space that the session takes up in the tables. */
export async function sizesOf(transaction: Transaction, key: number): Promise<readonly Piece[]> {
  const [log] = await transaction.all(
    "SELECT CAST(COALESCE(SUM(LENGTH(line)), 0) AS BIGINT) AS bytes FROM worldline_lines WHERE session_key = ?",
    [key],
  );
  const [blobs] = await transaction.all(
    "SELECT CAST(COALESCE(SUM(LENGTH(content)), 0) AS BIGINT) AS bytes FROM worldline_blobs WHERE session_key = ?",
    [key],
  );
  return [
    { name: "log", bytes: log?.["bytes"] as number },
    { name: "blobs", bytes: blobs?.["bytes"] as number },
  ];
}

/** Stores the list of checkpoints as JSON, so that the table can be read without Worldline. */
export async function publishCheckpoints(
  tables: SessionTables,
  session: SessionId,
  checkpoints: readonly PublishedCheckpoint[],
): Promise<void> {
  await tables.needSchema(session);
  await tables.change({
    work: async (transaction) => {
      const key = await lockSession(transaction, session);
      await transaction.run(
        `INSERT INTO worldline_published (session_key, checkpoints) VALUES (?, ?)
          ON CONFLICT (session_key) DO UPDATE SET checkpoints = excluded.checkpoints`,
        [key, JSON.stringify(checkpoints)],
      );
      return "published";
    },
    happened: async () => undefined,
  });
}

/**
 * Converts a string to text that databases accept. The text can be truncated at the first NUL, because only the order
 * of ids matters here.
 */
function asText(text: string): string {
  return Buffer.from(text.split("\0", 1)[0] ?? "").toString();
}

/** The tables that a session is deleted from. The session's own row is deleted last. */
const TABLES = ["lines", "blobs", "leases", "published", "sessions"] as const;

export async function trashSession(tables: SessionTables, session: SessionId, at: number): Promise<void> {
  const { key } = await tables.lookAt(session, async (_, row) => row);
  await tables.change({
    work: async (transaction) => {
      const trashed = await transaction.run(
        "UPDATE worldline_sessions SET trashed_at = ? WHERE session_key = ? AND trashed_at IS NULL",
        [at, key],
      );
      if (trashed === 0) throw sessionUnknown(session);
      await transaction.run("DELETE FROM worldline_leases WHERE session_key = ?", [key]);
      return "trashed";
    },
    happened: async (transaction) => ((await isTrashed(transaction, key)) ? "trashed" : undefined),
  });
}

/** Restores the session with this id that was trashed last. */
export async function undeleteSession(tables: SessionTables, session: SessionId): Promise<void> {
  const key = await tables.look(undefined, async (transaction) => newestTrashed(transaction, session));
  if (key === undefined) throw sessionUnknown(session);
  await tables.change({
    work: async (transaction) => {
      if ((await findRow(transaction, session)) !== undefined) throw sessionExists(session);
      const given = await transaction.run(
        "UPDATE worldline_sessions SET trashed_at = NULL WHERE session_key = ? AND trashed_at IS NOT NULL",
        [key],
      );
      if (given === 0) throw sessionUnknown(session);
      return "given back";
    },
    happened: async (transaction) =>
      (await findRow(transaction, session))?.key === key ? "given back" : undefined,
  });
}

export async function listTrash(transaction: Transaction): Promise<readonly Trashed[]> {
  const rows = await transaction.all(
    "SELECT id, trashed_at FROM worldline_sessions WHERE trashed_at IS NOT NULL ORDER BY trashed_at, id",
  );
  return rows.map((row) => ({ session: row["id"] as SessionId, at: row["trashed_at"] as number }));
}

export async function emptyTrash(tables: SessionTables, before: number): Promise<readonly SessionId[]> {
  const rows = await tables.look<readonly SqlRow[]>([], async (transaction) =>
    transaction.all(
      "SELECT session_key, id FROM worldline_sessions WHERE trashed_at < ? ORDER BY trashed_at, id",
      [before],
    ),
  );
  const removed: SessionId[] = [];
  for (const row of rows) {
    const outcome = await removeTrashed(tables, row["session_key"] as number);
    if (outcome === "gone") removed.push(row["id"] as SessionId);
  }
  return removed;
}

/**
 * Permanently removes a session in the trash. Each session is removed in a separate transaction, because the trash may
 * contain more data than a single transaction should remove. Does nothing if the session no longer exists.
 */
async function removeTrashed(tables: SessionTables, key: number): Promise<"gone" | "given back"> {
  return tables.change<"gone" | "given back">({
    work: async (transaction) => {
      const rows = await transaction.all(
        "UPDATE worldline_sessions SET rewrites = rewrites + 1 WHERE session_key = ? RETURNING trashed_at",
        [key],
      );
      if (rows.some((row) => row["trashed_at"] === null)) return "given back";
      for (const table of TABLES) {
        await transaction.run(`DELETE FROM worldline_${table} WHERE session_key = ?`, [key]);
      }
      return "gone";
    },
    happened: async () => undefined,
  });
}

async function newestTrashed(transaction: Transaction, session: SessionId): Promise<number | undefined> {
  if (!isSessionId(session)) return undefined;
  const [row] = await transaction.all(
    `SELECT session_key FROM worldline_sessions WHERE id = ? AND trashed_at IS NOT NULL
      ORDER BY trashed_at DESC LIMIT 1`,
    [session],
  );
  return row?.["session_key"] as number | undefined;
}

async function isTrashed(transaction: Transaction, key: number): Promise<boolean> {
  const rows = await transaction.all(
    "SELECT id FROM worldline_sessions WHERE session_key = ? AND trashed_at IS NOT NULL",
    [key],
  );
  return rows.length > 0;
}
