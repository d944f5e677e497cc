import { isUnreadable } from "../../../disk/lock/owner.ts";
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
  const who = isUnreadable(owner)
    ? "a lease whose owner cannot be read"
    : `${owner.name} (pid ${owner.pid} on ${owner.host}, since ${owner.since})`;
  const fork = `or go your own way: worldline fork ${session}`;
  if (life !== "elsewhere") {
    return new WorldlineError("SESSION_HELD", `Session ${session} is held by ${who}.`, {
      hint: `Only one program writes to a session at a time. Close it there, ${fork}`,
    });
  }
  const until = new Date(expiresAt).toISOString();
  return new WorldlineError(
    "SESSION_HELD",
    `Session ${session} is held by ${who}; its lease runs until ${until}, unless it is renewed.`,
    {
      hint: `Wait for it (if its owner died, until then), ${fork}. If nothing uses it any more, use --take-over.`,
    },
  );
}
