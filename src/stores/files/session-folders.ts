import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { type Disk, writeError } from "../../disk/disk.ts";
import {
  LineWriter,
  namesIn,
  namesInOwn,
  removeFile,
  removeTree,
  tryToRemove,
  writeNew,
} from "../../disk/durable-files.ts";
import type { SessionContent, Trashed } from "../../ports/log-store.ts";
import { encodeEntry } from "../../record/codec.ts";
import type { EntryOf } from "../../record/entry.ts";
import { errnoOf, WorldlineError } from "../../record/error.ts";
import { isSessionId, type SessionId } from "../../record/ids.ts";
import { sessionExists, sessionUnknown, shownKey } from "../all-stores.ts";
import { writeBlob } from "./blobs.ts";
import { type Home, placesIn, placesOf, type SessionPlaces, sessionsFolder, trashFolder } from "./places.ts";
import { requireReadable } from "./session-log.ts";

/** Prefix of a session that is being created. `list` ignores names with this prefix. */
const HALF_MADE = ".new-";
const TAKEN = new Set(["EEXIST", "ENOTEMPTY", "EISDIR", "ENOTDIR", "EPERM"]);

/**
 * Creates a session with all of its content under a temporary name, and then renames the session. After a crash, the
 * session exists either completely or not at all.
 */
export function createSession(home: Home, first: EntryOf<"session">, content: SessionContent): void {
  const { disk, root, clock, folders } = home;
  if (!isSessionId(first.session) || first.seq !== 1) {
    throw new WorldlineError("session-begins-elsewhere", {
      session: shownKey(first.session),
      seq: first.seq,
    });
  }
  requireReadable([first, ...content.entries]);
  const places = placesOf(root, first.session);
  const aside = join(
    sessionsFolder(root),
    `${HALF_MADE}${first.session}-${Buffer.from(clock.random(8)).toString("hex")}`,
  );
  try {
    folders.make(sessionsFolder(root));
    if (disk.stat(places.folder) !== undefined) throw sessionExists(first.session);
    disk.makeFolder(aside);
    fill(home, placesIn(aside, first.session), { first, content });
    giveName(disk, aside, places);
  } catch (error) {
    tryToRemove(disk, aside);
    throw writeError(error, { what: "session", of: first.session });
  }
}

function fill(
  { disk, folders }: Home,
  places: SessionPlaces,
  { first, content }: { first: EntryOf<"session">; content: SessionContent },
): void {
  for (const blob of content.blobs) writeBlob({ disk, folders }, places, blob);
  writeNew(disk, places.header, encodeEntry(first, crc32));
  writeLog(disk, places.log, [first, ...content.entries]);
  disk.syncFolder(places.folder);
}

function writeLog(disk: Disk, path: string, entries: SessionContent["entries"]): void {
  const file = disk.open(path, "create");
  try {
    const lines = new LineWriter(disk, file);
    for (const entry of entries) lines.add(encodeEntry(entry, crc32));
    lines.flush();
    disk.sync(file);
  } finally {
    disk.close(file);
  }
}

function giveName(disk: Disk, aside: string, places: SessionPlaces): void {
  try {
    disk.rename(aside, places.folder);
  } catch (error) {
    // If two processes create the same session at the same time, the second finds that the folder exists and is not
    // empty.
    if (TAKEN.has(errnoOf(error) ?? "") && disk.stat(places.folder) !== undefined)
      throw sessionExists(places.session);
    throw error;
  }
  try {
    disk.syncFolder(join(places.folder, ".."));
  } catch (error) {
    // A session is reported as created only if it is durable. If it cannot be made durable, its name is removed, so
    // that the caller can try again.
    disk.rename(places.folder, aside);
    throw error;
  }
}

const TRASHED_NAME = /^([0-9a-z]{10})-(\d{1,16})$/;
/**
 * Prefix of a session that is being removed. If a crash leaves part of such a session, that part cannot be restored.
 */
const BEING_REMOVED = ".gone-";
const REMNANT_NAME = /^\.(?:new|gone)-([0-9a-z]{10})-/;
/**
 * A time longer than creating a session ever takes. Creating a session usually takes seconds. Even for the largest
 * import on the slowest disk, it takes less than an hour.
 */
const MAX_CREATION_MS = 60 * 60 * 1000;

export function trashSession(home: Home, session: SessionId, at: number): void {
  const { disk, root, folders } = home;
  const places = placesOf(root, session);
  if (disk.stat(places.folder) === undefined) throw sessionUnknown(session);
  const folder = join(trashFolder(root), `${session}-${at}`);
  folders.make(trashFolder(root));
  move(home, places.folder, folder);
}

/** Restores the session from the trash. If several sessions have this id, restores the one that was trashed last. */
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
  // The lock of a former holder is removed, because a session in the trash does not have a writer.
  removeFile(disk, placesIn(folder, session).lock);
  move(home, folder, places.folder);
}

/** Moves a session's folder. If the move cannot be made durable, undoes it, so that the caller can try again. */
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

/** Returns the sessions that are being created or removed, or that a killed program left in that state. */
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
    disk.rename(join(folder, `${session}-${at}`), join(folder, `${BEING_REMOVED}${session}-${at}`));
  for (const name of namesIn(disk, folder))
    if (name.startsWith(BEING_REMOVED)) removeTree(disk, join(folder, name));
  sweepHalfMade(home);
  return gone.map((each) => each.session);
}

/**
 * Removes the remnants of sessions whose creation was interrupted by a crash. Keeps recent remnants, because another
 * process may still be creating these sessions.
 */
function sweepHalfMade({ disk, root, clock }: Home): void {
  const folder = sessionsFolder(root);
  const oldest = clock.now() - MAX_CREATION_MS;
  for (const name of namesIn(disk, folder)) {
    const path = join(folder, name);
    if (name.startsWith(HALF_MADE) && (disk.stat(path)?.modifiedAt ?? oldest) < oldest)
      removeTree(disk, path);
  }
}
