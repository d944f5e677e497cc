import { createHash } from "node:crypto";
import type { ObjectHash } from "../../record/ids.ts";
import type { ObjectKind } from "./object-store.ts";

/**
 * Content is known by the plain sha256 of its bytes, as any other tool computes it. Folders and snapshots
 * have their kind in front, so that no file's content can pass for one.
 */
export function hashObject(kind: ObjectKind, bytes: Uint8Array): ObjectHash {
  const hash = createHash("sha256");
  if (kind !== "content") hash.update(`worldline ${kind}\0`);
  return hash.update(bytes).digest("hex") as ObjectHash;
}
