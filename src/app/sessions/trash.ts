import { existsSync } from "node:fs";
import { systemClock } from "../../disk/system-clock.ts";
import type { LogStore, Trashed } from "../../ports/log-store.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import { snapshotPlaces } from "../../snapshots/context.ts";
import { storeKey } from "../../stores/store-address.ts";
import type { AppContext } from "../context.ts";
import { dropOutputs } from "../places/home.ts";
import { openStore } from "./store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Until when something that was deleted at `at` can be brought back. */
export function keptUntil(at: number, days: number): number {
  return at + days * DAY_MS;
}

/** What has been in the trash for more than `days`, and is let go by whoever tidies up next. */
export async function expiredTrash(
  store: LogStore,
  { days, now }: { readonly days: number; readonly now: number },
): Promise<readonly Trashed[]> {
  return (await store.listTrash()).filter(({ at }) => keptUntil(at, days) < now);
}

/** Lets exactly these go, for good: what was deleted after they were looked up stays. */
export async function removeForGood(
  store: LogStore,
  trashed: readonly Trashed[],
): Promise<readonly SessionId[]> {
  if (trashed.length === 0) return [];
  return store.emptyTrash(Math.max(...trashed.map(({ at }) => at)) + 1);
}

/** Lets go, for good, what has been there for more than `days`, and what killed programs left of others. */
export async function tidyTrash(
  store: LogStore,
  { days, now }: { readonly days: number; readonly now: number },
): Promise<readonly SessionId[]> {
  return store.emptyTrash(now - days * DAY_MS);
}

/** To the trash, unless another program has it. What has been there for too long is removed by the next command that tidies. */
export async function trashSession(context: AppContext, session: SessionId): Promise<void> {
  const store = openStore(context);
  const { takeOver } = context.common;
  const lease = await store.lease(session, {
    name: "worldline, a session list",
    waitMs: 0,
    takeOver,
    room: "reserve",
  });
  try {
    await store.trash(session, systemClock.now());
  } finally {
    await lease.release();
  }
}

const WAIT_MS = 5_000;

/**
 * Lets go of the files of sessions that were removed for good, for the next gc. The sessions are gone by then, so this does
 * not fail: what could not be let go of takes room, and no more.
 */
export async function dropFilesOf(
  context: AppContext,
  store: LogStore,
  removed: readonly SessionId[],
): Promise<void> {
  if (removed.length === 0) return;
  try {
    // One of the same name may have come back in a bundle while the other lay in the trash.
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
