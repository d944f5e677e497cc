import type { Holder, Owner } from "../../ports/lease.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import { clockTime, dateOf } from "../../strings/clock.ts";
import type { AppContext } from "../context.ts";
import { holderIn, workerIn } from "../sessions/holder.ts";

/** The same error in the person's own time, with what they can do: a copy can be worked on at once. */
export async function heldElsewhere(store: LogStore, session: SessionId, error: unknown): Promise<unknown> {
  if (!isWorldlineError(error, "SESSION_HELD")) return error;
  const holder = await holderIn(store, session);
  if (holder?.owner !== undefined && (holder.life === "living" || holder.until !== undefined)) {
    return heldBy(session, { ...holder, owner: holder.owner }, error);
  }
  return new WorldlineError("session-held-elsewhere", { session, problem: error }, { cause: error });
}

/** Rejects with SESSION_HELD while another program holds the session, so that nothing has to be closed to find out. */
export async function refuseHeld(
  store: LogStore,
  session: SessionId,
  takeOver: AppContext["common"]["takeOver"],
): Promise<void> {
  const worker = await workerIn(store, session);
  // A living program's session is never taken; another machine's may be, where the user says so.
  const isTaken = takeOver === "yes" && worker?.life !== "living";
  if (worker !== undefined && !isTaken) throw heldBy(session, worker);
}

/** That somebody has the session: who, where, until when, and what can be done meanwhile. */
export function heldBy(
  session: SessionId,
  { owner, until }: Pick<Holder, "until"> & { readonly owner: Owner },
  cause?: unknown,
): WorldlineError {
  const { name, pid, host } = owner;
  const held = { session, name, pid, host, since: moment(owner.since) };
  return until === undefined
    ? new WorldlineError("session-held", held, { cause })
    : new WorldlineError("session-leased", { ...held, until: moment(until) }, { cause });
}

function moment(iso: string): string {
  const at = Date.parse(iso);
  return `${dateOf(at)} ${clockTime(at)}`;
}
