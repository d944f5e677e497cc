import { createHash } from "node:crypto";
import type { ObjectHash } from "../../record/ids.ts";
import type { ObjectKind } from "./object-store.ts";

const OURS = Buffer.from("worldline ");

/**
 * Content is known by the plain sha256 of its bytes, as any other tool computes it. Folders and snapshots have their kind in
 * front; and so has content that begins as they do, so that no file, whoever wrote it, can have the hash of another object.
 */
export function hashObject(kind: ObjectKind, bytes: Uint8Array): ObjectHash {
  const hash = createHash("sha256");
  if (kind !== "content" || beginsAsOurs(bytes)) hash.update(`worldline ${kind}\0`);
  return hash.update(bytes).digest("hex") as ObjectHash;
}

function beginsAsOurs(bytes: Uint8Array): boolean {
  // The first byte decides nearly always.
  return bytes[0] === OURS[0] && OURS.equals(bytes.subarray(0, OURS.length));
}
