import { createHash } from "node:crypto";
import type { BlobHash } from "../record/ids.ts";

/** The name of a blob, in every store: the sha256 of its bytes. */
export function blobHashOf(bytes: Uint8Array): BlobHash {
  return createHash("sha256").update(bytes).digest("hex") as BlobHash;
}
