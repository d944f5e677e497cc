import { createHash } from "node:crypto";
import { ownerFacts } from "../disk/lock-owner.ts";
import type { Owner } from "../ports/lease.ts";
import { WorldlineError } from "../record/error.ts";
import { type BlobHash, isSessionId, type SessionId } from "../record/ids.ts";

const MAX_SHOWN = 80;

/** Shortens an invalid id, which may be a value of any type and length, so that error messages stay readable. */
export function shownKey(session: unknown): string {
  if (isSessionId(session)) return session;
  const text = JSON.stringify(session) ?? String(session);
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}

export function sessionUnknown(session: unknown): WorldlineError {
  return new WorldlineError("session-unknown", { session: shownKey(session) });
}

export function sessionExists(session: SessionId): WorldlineError {
  return new WorldlineError("session-exists", { session });
}

/** Creates the error for a program whose session was taken over by another program. */
export function sessionTakenOver(session: SessionId, owner: Owner | undefined): WorldlineError {
  return new WorldlineError("session-taken-over", { session, owner: owner && ownerFacts(owner) });
}

/** Computes the id of a blob, which is the sha256 of its bytes in every store. */
export function blobHashOf(bytes: Uint8Array): BlobHash {
  return createHash("sha256").update(bytes).digest("hex") as BlobHash;
}
