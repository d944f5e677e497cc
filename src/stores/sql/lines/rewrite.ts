import type { Entry } from "../../../record/entry.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { BlobHash, SessionId } from "../../../record/ids.ts";
import { blobsOf } from "../../../record/shape.ts";
import { blobHashes } from "../blob-rows.ts";
import type { Transaction } from "../database.ts";
import { findRow, type Ground, rowOf, type SessionRow } from "../ground.ts";
import { packEntry } from "./packed-line.ts";
import { allOf, everyLine } from "./reading.ts";

/** What is left of a line that could not be read: its place. */
const NOTHING = new Uint8Array(1);

/** Puts replacements in the places of entries, and drops what nothing points to any more. */
export async function rewriteLog(
  ground: Ground,
  session: SessionId,
  replace: (entry: Entry) => Entry,
): Promise<void> {
  const before = await ground.lookAt(session, async (_, row) => row);
  await ground.change({
    work: async (transaction) => rewriteRows(transaction, session, replace),
    happened: async (transaction) => {
      const row = await findRow(transaction, session);
      return row?.key === before.key && row.rewrites > before.rewrites ? "rewritten" : undefined;
    },
  });
}

async function rewriteRows(
  transaction: Transaction,
  session: SessionId,
  replace: (entry: Entry) => Entry,
): Promise<"rewritten"> {
  const row = await lockRow(transaction, session);
  const kept = new Set<BlobHash>();
  for await (const found of everyLine(transaction, allOf(row))) {
    if (found.row === undefined) continue;
    const line = found.entry === undefined ? NOTHING : lineFor(found.entry, replace(found.entry), kept);
    if (Buffer.compare(line, found.row) === 0) continue;
    await transaction.run("UPDATE worldline_lines SET line = ? WHERE session_key = ? AND seq = ?", [
      line,
      row.key,
      found.seq,
    ]);
  }
  for (const hash of await blobHashes(transaction, row.key)) {
    if (kept.has(hash)) continue;
    await transaction.run("DELETE FROM worldline_blobs WHERE session_key = ? AND hash = ?", [row.key, hash]);
  }
  await transaction.run("DELETE FROM worldline_published WHERE session_key = ?", [row.key]);
  return "rewritten";
}

/** Changing the row makes whoever appends wait until the lines are replaced. */
async function lockRow(transaction: Transaction, session: SessionId): Promise<SessionRow> {
  await transaction.run(
    "UPDATE worldline_sessions SET rewrites = rewrites + 1 WHERE id = ? AND trashed_at IS NULL",
    [session],
  );
  return rowOf(transaction, session);
}

function lineFor(entry: Entry, replaced: Entry, kept: Set<BlobHash>): Uint8Array {
  if (replaced.id !== entry.id) {
    throw new WorldlineError("entry-misplaced", { line: entry.seq, seq: replaced.seq });
  }
  for (const hash of blobsOf(replaced)) kept.add(hash);
  return packEntry(replaced, entry.seq);
}
