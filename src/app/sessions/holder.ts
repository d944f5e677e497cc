import type { Holder, Owner } from "../../ports/lease.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";

/** Who has the session; nobody has one that was deleted while we looked. */
export async function holderIn(store: LogStore, session: SessionId): Promise<Holder | undefined> {
  try {
    return await store.holder(session);
  } catch (error) {
    if (isWorldlineError(error, "SESSION_UNKNOWN")) return undefined;
    throw error;
  }
}

export interface Worker extends Holder {
  readonly owner: Owner;
}

/** Who is at work on the session, as far as that can be known from here. */
export async function workerIn(store: LogStore, session: SessionId): Promise<Worker | undefined> {
  const holder = await holderIn(store, session);
  if (holder?.owner === undefined) return undefined;
  // In a store that machines share, leases are renewed: one that lasts has an owner that lives.
  const isRenewed = store.place.reach === "shared" && holder.life === "elsewhere";
  return holder.life === "living" || isRenewed ? { ...holder, owner: holder.owner } : undefined;
}
