import type { Disk } from "../../../disk/disk.ts";
import { besideOf, removeFile, writeNew } from "../../../disk/durable-files.ts";
import type { SessionPlaces } from "../places.ts";
import { rotatedPath } from "./log-files.ts";

/** The file that is to be rotated away: its number, and which file it is. */
export interface Rotating {
  readonly number: number;
  readonly identity: string;
}

/**
 * Gives the live file its number as a second name, then puts a new file in its place. At
 * every instant `log.jsonl` is there: before the last rename it is the old file, and its
 * second name is known to be that by its identity.
 */
export function rotateFile(
  disk: Disk,
  places: SessionPlaces,
  next: Rotating & { readonly bytes: Uint8Array },
): void {
  const old = rotatedPath(places, next.number);
  const isLinked = disk.stat(old)?.identity === next.identity;
  if (!isLinked) disk.link(places.log, old);
  disk.syncFolder(places.folder);
  const beside = besideOf(places.log);
  removeFile(disk, beside);
  writeNew(disk, beside, next.bytes);
  disk.rename(beside, places.log);
  disk.syncFolder(places.folder);
}

/** Takes back a rotation that did not come to its end, wherever it stopped. */
export function undoRotation(disk: Disk, places: SessionPlaces, rotating: Rotating): void {
  const old = rotatedPath(places, rotating.number);
  const isLinked = disk.stat(old)?.identity === rotating.identity;
  const isReplaced = disk.stat(places.log)?.identity !== rotating.identity;
  // Renaming one name of a file over another of the same file does nothing, and says nothing.
  if (isLinked && isReplaced) disk.rename(old, places.log);
  else if (isLinked) disk.unlink(old);
  removeFile(disk, besideOf(places.log));
  disk.syncFolder(places.folder);
}
