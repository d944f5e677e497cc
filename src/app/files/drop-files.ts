import { existsSync } from "node:fs";
import type { LogStore } from "../../ports/log-store.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import { snapshotPlaces } from "../../snapshots/context.ts";
import { storeKey } from "../../stores/store-address.ts";
import type { AppContext } from "../context.ts";
import { dropOutputs } from "../places/outputs.ts";

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
