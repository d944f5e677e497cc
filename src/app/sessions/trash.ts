import { existsSync } from "node:fs";
import { systemClock } from "../../disk/system-clock.ts";
import { viewSession } from "../../machine/open.ts";
import { resolveSession } from "../../machine/queries/sessions.ts";
import type { Lease, Owner } from "../../ports/lease.ts";
import type { LogStore, Trashed } from "../../ports/log-store.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import { snapshotPlaces } from "../../snapshots/context.ts";
import { storeKey } from "../../stores/store-address.ts";
import { type AppContext, heard } from "../context.ts";
import type { NamedSession } from "../notices.ts";
import { dropOutputs } from "../places/home.ts";
import { namedSession } from "./find-session.ts";
import { holderIn, openStore } from "./store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Returns the time when an item that was deleted at `at` can no longer be restored. */
export function keptUntil(at: number, days: number): number {
  return at + days * DAY_MS;
}

/**
 * Returns the sessions that have been in the trash for more than `days` days and will be removed by the next cleanup.
 */
export async function expiredTrash(
  store: LogStore,
  { days, now }: { readonly days: number; readonly now: number },
): Promise<readonly Trashed[]> {
  return (await store.listTrash()).filter(({ at }) => keptUntil(at, days) < now);
}

/**
 * Permanently removes sessions that have been in the trash for more than `days` days, and anything that a killed
 * program left unfinished.
 */
export async function tidyTrash(
  store: LogStore,
  { days, now }: { readonly days: number; readonly now: number },
): Promise<readonly SessionId[]> {
  return store.emptyTrash(now - days * DAY_MS);
}

/** A session, identified by its id; `named` is present if the session can be read. */
interface SessionInList {
  readonly id: SessionId;
  readonly named: NamedSession | undefined;
}

/** A planned deletion of sessions. */
export interface Deletion {
  readonly sessions: readonly SessionInList[];
  /** Number of days during which the sessions can be restored. */
  readonly days: number;
  readonly at: number;
}

/** Finds the sessions that the user named, without duplicates. */
export async function planDeletion(context: AppContext, wanted: readonly string[]): Promise<Deletion> {
  const store = openStore(context);
  const ids = new Set<SessionId>();
  for (const each of wanted) ids.add(await resolveSession(store, each));
  const { values } = await context.settings();
  return { sessions: await inList(store, [...ids]), days: values["trash.days"], at: systemClock.now() };
}

/**
 * Returns the effect of the deletion: the expired sessions in the trash, and the sessions that are in use. If any
 * session is in use, nothing is deleted.
 */
export async function foreseeDeletion(context: AppContext, { sessions, days, at }: Deletion) {
  const store = openStore(context);
  const held: { readonly id: SessionId; readonly owner: Owner | undefined }[] = [];
  for (const { id } of sessions) {
    const holder = await holderIn(store, id);
    const isTaken = holder?.life === "elsewhere" && context.common.takeOver === "yes";
    if (holder !== undefined && holder.life !== "dead" && !isTaken) held.push({ id, owner: holder.owner });
  }
  const expired = await expiredTrash(store, { days, now: at });
  return { held, expired: expired.map(({ session }) => session) };
}

/**
 * Moves the sessions to the trash: all of them, or none if one is in use. Resolves with the expired sessions that were
 * removed from the trash.
 */
export async function deleteSessions(
  context: AppContext,
  { sessions, days, at }: Deletion,
): Promise<readonly SessionId[]> {
  const store = openStore(context);
  await heard(context, async () => trashAll(context, store, { sessions, at }));
  try {
    const removed = await tidyTrash(store, { days, now: at });
    await dropFilesOf(context, store, removed);
    return removed;
  } catch (error) {
    // The deletion has succeeded, so a failure to remove expired sessions must not make it look as if it had failed.
    if (!isWorldlineError(error)) throw error;
    context.listener.report({ code: "trash-not-tidied", problem: error });
    return [];
  }
}

/** Holds all sessions before the first one is moved to the trash. */
async function trashAll(
  { common, listener }: AppContext,
  store: LogStore,
  { sessions, at }: Pick<Deletion, "sessions" | "at">,
): Promise<void> {
  const leases: Lease[] = [];
  const done: SessionId[] = [];
  const request = { name: "worldline sessions delete", waitMs: 0, takeOver: common.takeOver } as const;
  try {
    for (const { id } of sessions) leases.push(await store.lease(id, { ...request, room: "reserve" }));
    for (const { id } of sessions) {
      await store.trash(id, at);
      done.push(id);
    }
  } catch (error) {
    if (done.length > 0) listener.report({ code: "deleted-before", sessions: done });
    throw error;
  } finally {
    for (const lease of leases) await lease.release();
  }
}

/**
 * Moves a session to the trash, unless it is in use. Expired sessions are removed by the next command that cleans up.
 */
export async function trashSession(
  context: AppContext,
  session: SessionId,
  name = "worldline, a session list",
): Promise<void> {
  const store = openStore(context);
  const { takeOver } = context.common;
  const lease = await store.lease(session, { name, waitMs: 0, takeOver, room: "reserve" });
  try {
    await store.trash(session, systemClock.now());
  } finally {
    await lease.release();
  }
}

interface TrashList {
  readonly trashed: readonly Trashed[];
  /** Number of days that sessions stay in the trash. */
  readonly days: number;
}

export async function listTrash(context: AppContext): Promise<TrashList> {
  const trashed = await openStore(context).listTrash();
  if (trashed.length === 0) return { trashed, days: 0 };
  const { values } = await context.settings();
  return { trashed, days: values["trash.days"] };
}

/** Permanently removes exactly the listed sessions, but none that another program has deleted since then. */
export async function emptyTrash(
  context: AppContext,
  { trashed }: Pick<TrashList, "trashed">,
): Promise<readonly SessionId[]> {
  if (trashed.length === 0) return [];
  const store = openStore(context);
  const before = Math.max(...trashed.map(({ at }) => at)) + 1;
  const removed = await heard(context, async () => store.emptyTrash(before));
  await dropFilesOf(context, store, removed);
  return removed;
}

/**
 * Restores sessions from the trash. Before the first one is moved, all sessions must be found, and their ids must be
 * free.
 */
export async function undeleteSessions(
  context: AppContext,
  wanted: readonly string[],
): Promise<readonly SessionInList[]> {
  const store = openStore(context);
  const trashed = await store.listTrash();
  const taken = new Set(await store.list());
  const ids = [...new Set(wanted.map((each) => resolveTrashed(each, trashed, taken)))];
  await heard(context, async () => {
    for (const id of ids) await store.undelete(id);
  });
  return inList(store, ids);
}

function resolveTrashed(
  wanted: string,
  trashed: readonly Trashed[],
  taken: ReadonlySet<SessionId>,
): SessionId {
  const start = wanted.trim().toLowerCase();
  const known = [...new Set(trashed.map(({ session }) => session))];
  const matches = start === "" ? [] : known.filter((id) => id.startsWith(start));
  const [only, ...others] = matches;
  if (only === undefined) {
    const there = [...taken].some((id) => start !== "" && id.startsWith(start));
    throw new WorldlineError("session-not-in-trash", {
      given: wanted,
      is: there ? "not-deleted" : "unknown",
    });
  }
  if (others.length > 0) {
    const some = matches.slice(0, 8);
    throw new WorldlineError("deleted-session-ambiguous", { given: wanted, matches: matches.length, some });
  }
  if (taken.has(only)) {
    throw new WorldlineError("session-there-already", { session: only });
  }
  return only;
}

async function inList(store: LogStore, ids: readonly SessionId[]): Promise<readonly SessionInList[]> {
  return Promise.all(ids.map(async (id) => ({ id, named: await namedWhereReadable(store, id) })));
}

async function namedWhereReadable(store: LogStore, id: SessionId): Promise<NamedSession | undefined> {
  try {
    return await namedSession(await viewSession(store, id));
  } catch (error) {
    if (isWorldlineError(error)) return undefined;
    throw error;
  }
}

const WAIT_MS = 5_000;

/**
 * Releases the files of permanently removed sessions, so that the next gc can remove them. Never fails, because the
 * sessions no longer exist, and files that cannot be released only take up space.
 */
export async function dropFilesOf(
  context: AppContext,
  store: LogStore,
  removed: readonly SessionId[],
): Promise<void> {
  if (removed.length === 0) return;
  try {
    // A session with the same id may have been imported from a bundle while this one was in the trash.
    const living = new Set(await store.list());
    const gone = removed.filter((session) => !living.has(session));
    if (store.place.kind !== "files") await dropOutputs(context.home, gone);
    if (!existsSync(snapshotPlaces(context.home).refs)) return;
    const { openSnapshotUpkeep } = await import("../../open-files.ts");
    const upkeep = openSnapshotUpkeep({
      home: context.home,
      name: "worldline",
      waitMs: WAIT_MS,
      takeOver: context.common.takeOver,
    });
    try {
      await upkeep.dropSessions(gone, storeKey(store.place, context.home));
    } finally {
      upkeep.close();
    }
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    context.listener.report({ code: "files-not-dropped", sessions: removed, problem: error });
  }
}
