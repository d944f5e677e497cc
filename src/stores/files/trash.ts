import { dirname, join } from "node:path";
import { namesIn, namesInOwn, removeFile, removeTree } from "../../disk/durable-files.ts";
import type { Trashed } from "../../ports/log-store.ts";
import { isSessionId, type SessionId } from "../../record/ids.ts";
import { sessionExists, sessionUnknown } from "../session-error.ts";
import { HALF_MADE } from "./create.ts";
import { type Home, placesIn, placesOf, sessionsFolder, trashFolder } from "./places.ts";

const TRASHED_NAME = /^([0-9a-z]{10})-(\d{1,16})$/;
/** Being removed: what a crash leaves of it is no session that could be undeleted. */
const GOING = ".gone-";
const REMNANT_NAME = /^\.(?:new|gone)-([0-9a-z]{10})-/;
/** Making a session is a matter of seconds; the largest import on the slowest disk is not one of an hour. */
const LONGEST_MAKING_MS = 60 * 60 * 1000;

export function trashSession(home: Home, session: SessionId, at: number): void {
  const { disk, root, folders } = home;
  const places = placesOf(root, session);
  if (disk.stat(places.folder) === undefined) throw sessionUnknown(session);
  const folder = join(trashFolder(root), `${session}-${at}`);
  folders.make(trashFolder(root));
  move(home, places.folder, folder);
}

/** Brings back the session, as it was when it was last trashed. */
export function undeleteSession(home: Home, session: SessionId): void {
  const { disk, root } = home;
  const places = placesOf(root, session);
  const newest = trashed(home)
    .filter((each) => each.session === session)
    .sort((a, b) => a.at - b.at)
    .at(-1);
  if (newest === undefined) throw sessionUnknown(session);
  if (disk.stat(places.folder) !== undefined) throw sessionExists(session);
  const folder = join(trashFolder(root), `${session}-${newest.at}`);
  // Nobody writes to what is in the trash: the lock is of one who held the session before.
  removeFile(disk, placesIn(folder, session).lock);
  move(home, folder, places.folder);
}

/** Moves a session's folder. When that cannot be made durable it is moved back, so that the same call may be made again. */
function move({ disk }: Home, from: string, to: string): void {
  disk.rename(from, to);
  try {
    disk.syncFolder(dirname(to));
    disk.syncFolder(dirname(from));
  } catch (error) {
    disk.rename(to, from);
    throw error;
  }
}

export function trashed({ disk, root }: Home): Trashed[] {
  return namesInOwn(disk, trashFolder(root)).flatMap((name) => {
    const [, session, at] = TRASHED_NAME.exec(name) ?? [];
    return isSessionId(session) ? [{ session, at: Number(at) }] : [];
  });
}

/** What is being made or removed, or was when a program was killed. */
export function remnants({ disk, root }: Home): SessionId[] {
  const names = [sessionsFolder(root), trashFolder(root)].flatMap((folder) => namesInOwn(disk, folder));
  const ids = names.map((name) => REMNANT_NAME.exec(name)?.[1]).filter(isSessionId);
  return [...new Set(ids)];
}

export function emptyTrash(home: Home, before: number): SessionId[] {
  const { disk, root } = home;
  const folder = trashFolder(root);
  const gone = trashed(home).filter((each) => each.at < before);
  for (const { session, at } of gone)
    disk.rename(join(folder, `${session}-${at}`), join(folder, `${GOING}${session}-${at}`));
  for (const name of namesIn(disk, folder)) if (name.startsWith(GOING)) removeTree(disk, join(folder, name));
  sweepHalfMade(home);
  return gone.map((each) => each.session);
}

/** What a crash left of sessions that were being made. A young one is perhaps being made right now, by another process. */
function sweepHalfMade({ disk, root, clock }: Home): void {
  const folder = sessionsFolder(root);
  const oldest = clock.now() - LONGEST_MAKING_MS;
  for (const name of namesIn(disk, folder)) {
    const path = join(folder, name);
    if (name.startsWith(HALF_MADE) && (disk.stat(path)?.modifiedAt ?? oldest) < oldest)
      removeTree(disk, path);
  }
}
