import { join } from "node:path";
import { crc32 } from "node:zlib";
import { type Disk, errnoOf } from "../../disk/disk.ts";
import { writeError } from "../../disk/disk-error.ts";
import { tryToRemove, writeNew } from "../../disk/durable-files.ts";
import type { SessionContent } from "../../ports/log-store.ts";
import { encodeEntry } from "../../record/codec.ts";
import type { EntryOf } from "../../record/entry.ts";
import { WorldlineError } from "../../record/error.ts";
import { isSessionId } from "../../record/ids.ts";
import { sessionExists, shownKey } from "../session-error.ts";
import { writeBlob } from "./blobs.ts";
import { LineWriter } from "./log/line-writer.ts";
import { requireReadable } from "./log/session-log.ts";
import { type Home, placesIn, placesOf, type SessionPlaces, sessionsFolder } from "./places.ts";

/** A session in the making; `list` does not see it. */
export const HALF_MADE = ".new-";
const TAKEN = new Set(["EEXIST", "ENOTEMPTY", "EISDIR", "ENOTDIR", "EPERM"]);

/** Makes a session aside, with all it is to hold, and then gives it its name: a crash leaves all of it or none. */
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
    // Of two that make the same session at once, the second finds the name taken by a folder that is not empty.
    if (TAKEN.has(errnoOf(error) ?? "") && disk.stat(places.folder) !== undefined)
      throw sessionExists(places.session);
    throw error;
  }
  try {
    disk.syncFolder(join(places.folder, ".."));
  } catch (error) {
    // Not durable is not made: the name goes, so that the same call may be made again.
    disk.rename(places.folder, aside);
    throw error;
  }
}
