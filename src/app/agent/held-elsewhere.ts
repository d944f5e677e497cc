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
  const hint = [error.hint ?? "", `Or ${copyOf(session)}`].join(" ").trim();
  return new WorldlineError("SESSION_HELD", error.message, { hint, cause: error });
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
  const { name, pid, host, since } = owner;
  const who = `Session ${session} is held by ${name} (pid ${pid} on ${host}, since ${moment(since)})`;
  if (until === undefined) {
    return new WorldlineError("SESSION_HELD", `${who}.`, {
      hint: `Close it there, or ${copyOf(session)}`,
      cause,
    });
  }
  return new WorldlineError(
    "SESSION_HELD",
    `${who}; its lease runs until ${moment(until)}, unless it is renewed.`,
    {
      hint: `Close it there; if it died, wait until then; or ${copyOf(session)}`,
      cause,
    },
  );
}

function copyOf(session: SessionId): string {
  return `go on in a copy: worldline -r ${session} --fork`;
}

function moment(iso: string): string {
  const at = Date.parse(iso);
  return `${dateOf(at)} ${clockTime(at)}`;
}
