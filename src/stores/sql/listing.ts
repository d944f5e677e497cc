import type { Piece, PublishedCheckpoint, SessionFilter } from "../../ports/log-store.ts";
import type { SessionId } from "../../record/ids.ts";
import { searchable } from "./create.ts";
import type { SqlValue, Transaction } from "./database.ts";
import { type Ground, lockSession } from "./ground.ts";

/** The sessions that the filter lets through, by id. */
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

/** What the session takes in its tables. */
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

/** As JSON, so that whoever reads the table needs no program of ours. */
export async function publishCheckpoints(
  ground: Ground,
  session: SessionId,
  checkpoints: readonly PublishedCheckpoint[],
): Promise<void> {
  await ground.needSchema(session);
  await ground.change({
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

/** Only where it stands among ids matters; what no database takes for a text is cut off. */
function asText(text: string): string {
  return Buffer.from(text.split("\0", 1)[0] ?? "").toString();
}
