import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../../../app/sessions/store.ts";
import { dropFilesOf } from "../../../../app/sessions/trash.ts";
import { systemClock } from "../../../../disk/system-clock.ts";
import { openSnapshotUpkeep } from "../../../../open-files.ts";
import type { LogStore } from "../../../../ports/log-store.ts";
import type { SessionId } from "../../../../record/ids.ts";
import { snapshotPlaces } from "../../../../snapshots/context.ts";
import { sessionsFolder } from "../../../../stores/files/places.ts";
import { storeKey } from "../../../../stores/store-address.ts";
import type { Frame } from "../../../frame.ts";
import type { Check, Mode } from "./check.ts";

/** A fork or an import writes down what it keeps before its session is there; none of them takes this long. */
const LONGEST_MAKING_MS = 24 * 60 * 60 * 1000;
const ENDING = ".jsonl";
const WAIT_MS = 5_000;

/** Files that are kept for sessions which are not there: a fork or an import was cut off, and they take room for nobody. */
export async function orphanChecks(frame: Frame, mode: Mode): Promise<readonly Check[]> {
  const { doctor } = frame.strings;
  const store = openStore(frame);
  const orphans = await orphansIn(frame, store);
  if (orphans.length === 0) return [];
  if (mode === "look") {
    const message = doctor.filesOfNobody(orphans.join(", "));
    return [{ about: "files", status: "note", message, hint: doctor.filesOfNobodyHint, fixable: true }];
  }
  await dropFilesOf(frame, store, orphans);
  const left = new Set(await orphansIn(frame, store));
  const dropped = orphans.filter((session) => !left.has(session));
  if (dropped.length === 0) return [];
  return [{ about: "files", status: "fixed", message: doctor.filesOfNobodyDropped(dropped.join(", ")) }];
}

async function orphansIn({ home }: Frame, store: LogStore): Promise<readonly SessionId[]> {
  const { refs } = snapshotPlaces(home);
  // Without the folder of all sessions, it is that which is lost, and not each of them.
  const isLost = store.place.kind === "files" && !existsSync(sessionsFolder(store.place.name));
  if (!existsSync(refs) || isLost) return [];
  const oldest = systemClock.now() - LONGEST_MAKING_MS;
  const ageOf = (session: SessionId): number =>
    statSync(join(refs, `${session}${ENDING}`), { throwIfNoEntry: false })?.mtimeMs ?? oldest;
  const kept = (await sessionsKeptFor(home, store)).filter((session) => ageOf(session) < oldest);
  // Asked for last: a session that was made since is not an orphan.
  const known = new Set([
    ...(await store.list()),
    ...(await store.listTrash()).map(({ session }) => session),
  ]);
  // A database that knows nobody was put in the place of another, perhaps by mistake.
  if (known.size === 0 && store.place.kind !== "files") return [];
  return kept.filter((session) => !known.has(session));
}

/** Only those that are in this store: of others it cannot know whether they are there. */
async function sessionsKeptFor(home: string, store: LogStore): Promise<readonly SessionId[]> {
  const upkeep = openSnapshotUpkeep({ home, name: "worldline doctor", waitMs: WAIT_MS });
  try {
    return await upkeep.sessionsIn(storeKey(store.place, home));
  } finally {
    upkeep.close();
  }
}
