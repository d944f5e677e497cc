import type { Trashed } from "../../ports/log-store.ts";
import { isSessionId, type SessionId } from "../../record/ids.ts";
import { sessionExists, sessionUnknown } from "../session-error.ts";
import type { SqlRow, Transaction } from "./database.ts";
import { findRow, type Ground } from "./ground.ts";

/** Everything that belongs to a session, its own row last. */
const TABLES = ["lines", "blobs", "leases", "published", "sessions"] as const;

export async function trashSession(ground: Ground, session: SessionId, at: number): Promise<void> {
  const { key } = await ground.lookAt(session, async (_, row) => row);
  await ground.change({
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

/** Gives back the newest of that id. */
export async function undeleteSession(ground: Ground, session: SessionId): Promise<void> {
  const key = await ground.look(undefined, async (transaction) => newestTrashed(transaction, session));
  if (key === undefined) throw sessionUnknown(session);
  await ground.change({
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

export async function emptyTrash(ground: Ground, before: number): Promise<readonly SessionId[]> {
  const rows = await ground.look<readonly SqlRow[]>([], async (transaction) =>
    transaction.all(
      "SELECT session_key, id FROM worldline_sessions WHERE trashed_at < ? ORDER BY trashed_at, id",
      [before],
    ),
  );
  const removed: SessionId[] = [];
  for (const row of rows) {
    const outcome = await removeTrashed(ground, row["session_key"] as number);
    if (outcome === "gone") removed.push(row["id"] as SessionId);
  }
  return removed;
}

/** One transaction each: the trash may hold more than one should. Removing what is gone changes nothing. */
async function removeTrashed(ground: Ground, key: number): Promise<"gone" | "given back"> {
  return ground.change<"gone" | "given back">({
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
