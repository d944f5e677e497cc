import { type Remark, remark, WorldlineError } from "../../record/error.ts";
import { type BlobHash, isBlobHash, type SessionId } from "../../record/ids.ts";
import { blobHashOf } from "../all-stores.ts";
import type { Transaction } from "./database.ts";
import { findRow, lockSession, type SessionTables } from "./session-tables.ts";

/** Stores a blob. Blobs never change, so replacing an existing blob has an effect only if it was damaged. */
export async function insertBlob(
  transaction: Transaction,
  key: number,
  bytes: Uint8Array,
): Promise<BlobHash> {
  const hash = blobHashOf(bytes);
  await transaction.run(
    `INSERT INTO worldline_blobs (session_key, hash, content) VALUES (?, ?, ?)
      ON CONFLICT (session_key, hash) DO UPDATE SET content = excluded.content`,
    [key, hash, bytes],
  );
  return hash;
}

export async function putBlob(
  tables: SessionTables,
  session: SessionId,
  bytes: Uint8Array,
): Promise<BlobHash> {
  await tables.needSchema(session);
  const hash = blobHashOf(bytes);
  return tables.change({
    // The session is locked. Otherwise, a blob that is added while another program empties the trash might never be
    // removed.
    work: async (transaction) => insertBlob(transaction, await lockSession(transaction, session), bytes),
    happened: async (transaction) => {
      const row = await findRow(transaction, session);
      const kept = row === undefined ? undefined : await contentOf(transaction, row.key, hash);
      return kept !== undefined && blobHashOf(kept) === hash ? hash : undefined;
    },
  });
}

export async function getBlob(
  tables: SessionTables,
  session: SessionId,
  hash: BlobHash,
): Promise<Uint8Array> {
  const bytes = await tables.lookAt(session, async (transaction, { key }) =>
    isBlobHash(hash) ? contentOf(transaction, key, hash) : undefined,
  );
  if (bytes === undefined) throw new WorldlineError("blob-missing", { session, hash });
  if (blobHashOf(bytes) === hash) return bytes;
  throw new WorldlineError("blob-damaged", { hash });
}

export async function blobHashes(transaction: Transaction, key: number): Promise<readonly BlobHash[]> {
  const rows = await transaction.all("SELECT hash FROM worldline_blobs WHERE session_key = ? ORDER BY hash", [
    key,
  ]);
  return rows.map((row) => row["hash"] as BlobHash);
}

/** Returns the reason why a blob cannot be used, or undefined if it can. */
export async function blobFault(
  transaction: Transaction,
  key: number,
  hash: BlobHash,
): Promise<Remark | undefined> {
  const bytes = await contentOf(transaction, key, hash);
  if (bytes === undefined) return remark("damage-blob-gone", { hash });
  return blobHashOf(bytes) === hash ? undefined : remark("damage-blob-other-bytes", { hash });
}

async function contentOf(
  transaction: Transaction,
  key: number,
  hash: BlobHash,
): Promise<Uint8Array | undefined> {
  const [row] = await transaction.all(
    "SELECT content FROM worldline_blobs WHERE session_key = ? AND hash = ?",
    [key, hash],
  );
  return row?.["content"] as Uint8Array | undefined;
}
