import { createHash } from "node:crypto";
import type { LogStore } from "../../ports/log-store.ts";
import type { Entry } from "../../record/entry.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { BlobHash, SessionId } from "../../record/ids.ts";
import { fill, mayPoint, spill, textBlobsOf } from "../../record/spill.ts";

/** The entries as they go into the log, and the blobs that must be there first. */
export function spillAll(
  entries: readonly Entry[],
  limit: number,
): { readonly entries: readonly Entry[]; readonly blobs: readonly Uint8Array[] } {
  const blobsByHash = new Map<BlobHash, Uint8Array>();
  const spilled = entries.map((entry) =>
    spill(entry, limit, (text) => {
      const bytes = Buffer.from(text, "utf8");
      const hash = hashOf(bytes);
      blobsByHash.set(hash, bytes);
      return hash;
    }),
  );
  return { entries: spilled, blobs: [...blobsByHash.values()] };
}

/** The entries with all their texts. A blob that is lost costs its own text, visibly, and nothing else. */
export async function fillAll(
  store: LogStore,
  session: SessionId,
  entries: readonly Entry[],
): Promise<readonly Entry[]> {
  if (!entries.some(mayPoint)) return entries;
  const textsByHash = new Map<BlobHash, string>();
  for (const hash of new Set(entries.flatMap(textBlobsOf))) {
    textsByHash.set(hash, await blobText(store, session, hash));
  }
  return entries.map((entry) => fill(entry, (hash) => textsByHash.get(hash) ?? ""));
}

/** The name that every store gives these bytes. Its own line here: stores are not the machine's to import, and pure folders have no crypto. */
export function hashOf(bytes: Uint8Array): BlobHash {
  return createHash("sha256").update(bytes).digest("hex") as BlobHash;
}

async function blobText(store: LogStore, session: SessionId, hash: BlobHash): Promise<string> {
  try {
    return Buffer.from(await store.getBlob(session, hash)).toString("utf8");
  } catch (error) {
    if (isWorldlineError(error, "BLOB_MISSING")) return `[This text is lost: blob ${hash} is missing]`;
    if (isWorldlineError(error, "BLOB_DAMAGED")) return `[This text is lost: blob ${hash} is damaged]`;
    throw error;
  }
}
