import { ownerFacts } from "../../../disk/lock/owner.ts";
import type { Life, Owner } from "../../../ports/lease.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { SessionId } from "../../../record/ids.ts";

interface HeldBy {
  readonly owner: Owner;
  readonly life: Life;
  readonly expiresAt: number;
}

/** Who has the session, and what can be done about it. */
export function sessionHeld(session: SessionId, { owner, life, expiresAt }: HeldBy): WorldlineError {
  const held = { session, owner: ownerFacts(owner) };
  if (life !== "elsewhere") return new WorldlineError("session-leased", held);
  const until = new Date(expiresAt).toISOString();
  return new WorldlineError("session-leased-elsewhere", { ...held, until });
}
