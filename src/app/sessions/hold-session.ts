import { lastMomentLine } from "../../machine/files/intervals.ts";
import type { Settled } from "../../machine/files/requests.ts";
import { checkTitle } from "../../machine/names.ts";
import { type Holding, holdSession, type SessionContext } from "../../machine/open.ts";
import type { Session } from "../../machine/session.ts";
import type { Holder, Owner } from "../../ports/lease.ts";
import type { LogStore } from "../../ports/log-store.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import { clockTime, dateOf } from "../../strings/clock.ts";
import type { AppContext } from "../context.ts";
import { noteCaptured } from "../files/files.ts";
import { openNamed, withSession } from "./find-session.ts";
import { holderIn, openSessionDeps, workerIn } from "./store.ts";

interface Hold {
  readonly context: AppContext;
  readonly deps: SessionContext;
  readonly session: SessionId;
  /** The name that other programs see while this command writes, such as "worldline rewind". */
  readonly name: string;
  /** The files in the session's workspace, if the command needs them. */
  readonly files?: WorkspaceFiles | undefined;
  /** Time to wait for a running owner; by default, the time in the settings. */
  readonly waitMs?: number;
}

/**
 * Runs `work` with the exclusive right to write to the session. Waits for a running owner, and names the owner in the
 * error. The right is always released afterwards.
 */
export async function withHeld<Result>(
  hold: Hold,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const { context, name, files } = hold;
  const deps = files === undefined ? hold.deps : { ...hold.deps, files };
  const session = await holdSession(deps, hold.session, await holdingOf(context, name, hold.waitMs));
  const moments = lastMomentLine(session.outline);
  session.on((event) => {
    if (event.type === "publish-failed")
      context.listener.report({ code: "list-unwritten", problem: event.error });
  });
  try {
    const told = tellOpened(context, session);
    const result = await work(session);
    tellSettled(context, session, told);
    return result;
  } finally {
    if (files !== undefined && lastMomentLine(session.outline) > moments) noteCaptured(files);
    await session.close();
  }
}

/**
 * A way to get write access to a session: hold it for one piece of work, or use the session that the caller already
 * holds.
 */
export type SessionHold = Pick<Hold, "deps" | "name" | "waitMs"> | { readonly held: Session };

/** Renames a session. Writes nothing if the session already has the title. `before`: the previous title. */
export async function renameSession(
  context: AppContext,
  wanted: string,
  title: string,
): Promise<{ readonly session: SessionId; readonly title: string; readonly before: string | undefined }> {
  const checked = checkTitle(title);
  const deps = await openSessionDeps(context);
  await withSession(context, deps.store, wanted);
  const view = await openNamed(context, deps.store, wanted);
  const before = await view.title();
  if (before !== checked) {
    const hold = { context, deps, session: view.id, name: "worldline sessions rename" };
    await withHeld(hold, (held) => held.retitle(checked));
  }
  return { session: view.id, title: checked, before };
}

/** Reports what was repaired when the session was opened. Returns the restores that were settled. */
export function tellOpened(context: AppContext, session: Session): Settled {
  for (const { bytes, file } of session.recovery.setAside) {
    context.listener.report({ code: "bytes-set-aside", bytes, file });
  }
  return tellSettled(context, session, { restores: [] });
}

/**
 * Reports restores that were interrupted by a crash and have now been settled, except for those in `told`, so that the
 * user learns about them. Returns all settled restores, because a journey may settle other sessions' restores too.
 */
function tellSettled({ listener }: AppContext, { settled }: Session, told: Settled): Settled {
  for (const restore of settled.restores.slice(told.restores.length))
    listener.report({ code: "restore-settled", restore });
  if (settled.trouble !== undefined && told.trouble === undefined)
    listener.report({ code: "restores-unsettled", problem: settled.trouble });
  return settled;
}

async function holdingOf(context: AppContext, name: string, wanted: number | undefined): Promise<Holding> {
  const { values } = await context.settings();
  const waitMs = wanted ?? values["lock.waitMs"];
  return {
    name,
    waitMs,
    takeOver: context.common.takeOver,
    onWait: (owner) => context.listener.report({ code: "waiting", owner, milliseconds: waitMs }),
  };
}

/** Returns the same error with local times and a hint that a copy can be used immediately. */
export async function heldElsewhere(store: LogStore, session: SessionId, error: unknown): Promise<unknown> {
  if (!isWorldlineError(error, "SESSION_HELD")) return error;
  const holder = await holderIn(store, session);
  if (holder?.owner !== undefined && (holder.life === "living" || holder.until !== undefined)) {
    return heldBy(session, { ...holder, owner: holder.owner }, error);
  }
  return new WorldlineError("session-held-elsewhere", { session, problem: error }, { cause: error });
}

/** Rejects with SESSION_HELD if another program holds the session, before any part of the current session is closed. */
export async function refuseHeld(
  store: LogStore,
  session: SessionId,
  takeOver: AppContext["common"]["takeOver"],
): Promise<void> {
  const worker = await workerIn(store, session);
  // A session that a running program holds is never taken over. A session held on another machine is taken over if the
  // user requests it.
  const isTaken = takeOver === "yes" && worker?.life !== "living";
  if (worker !== undefined && !isTaken) throw heldBy(session, worker);
}

/**
 * Returns the error for a held session. The error states who holds the session, where, until when, and what the user
 * can do in the meantime.
 */
export function heldBy(
  session: SessionId,
  { owner, until }: Pick<Holder, "until"> & { readonly owner: Owner },
  cause?: unknown,
): WorldlineError {
  const { name, pid, host } = owner;
  const held = { session, name, pid, host, since: moment(owner.since) };
  return until === undefined
    ? new WorldlineError("session-held", held, { cause })
    : new WorldlineError("session-leased-until", { ...held, until: moment(until) }, { cause });
}

function moment(iso: string): string {
  const at = Date.parse(iso);
  return `${dateOf(at)} ${clockTime(at)}`;
}
