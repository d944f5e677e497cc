import { join } from "node:path";
import type { Disk } from "../../disk/disk.ts";
import { namesIn, readWhole, removeFile, writeNew } from "../../disk/durable-files.ts";
import { isMissing, WorldlineError } from "../../record/error.ts";
import { type BlobHash, isBlobHash } from "../../record/ids.ts";
import { blobHashOf } from "../all-stores.ts";
import type { Home, SessionPlaces } from "./places.ts";

export function blobPath(places: SessionPlaces, hash: BlobHash): string {
  return join(places.blobs, hash.slice(0, 2), hash);
}

/**
 * Stores bytes under their hash. The bytes are durable when this call returns. An existing blob is written again only
 * if it was damaged. An existing blob is always synced again, because an earlier call may have failed after renaming
 * it.
 */
export function writeBlob(
  { disk, folders }: Pick<Home, "disk" | "folders">,
  places: SessionPlaces,
  bytes: Uint8Array,
): BlobHash {
  const hash = blobHashOf(bytes);
  const path = blobPath(places, hash);
  const folder = join(places.blobs, hash.slice(0, 2));
  folders.make(folder);
  if (isThere(disk, path, bytes)) syncFile(disk, path);
  else {
    const beside = `${path}.new-${process.pid}`;
    removeFile(disk, beside);
    writeNew(disk, beside, bytes);
    disk.rename(beside, path);
  }
  disk.syncFolder(folder);
  return hash;
}

export function readBlob(disk: Disk, places: SessionPlaces, hash: BlobHash): Buffer {
  if (!isBlobHash(hash)) throw blobMissing(places, JSON.stringify(hash));
  let bytes: Buffer;
  try {
    bytes = readWhole(disk, blobPath(places, hash));
  } catch (error) {
    throw isMissing(error) ? blobMissing(places, hash) : error;
  }
  if (blobHashOf(bytes) === hash) return bytes;
  throw new WorldlineError("blob-file-damaged", { session: places.session, hash });
}

export function listBlobs(disk: Disk, places: SessionPlaces): BlobHash[] {
  return namesIn(disk, places.blobs).flatMap((shelf) =>
    namesIn(disk, join(places.blobs, shelf))
      .filter(isBlobHash)
      .filter((hash) => hash.startsWith(shelf)),
  );
}

/** Removes every blob that is not in `kept`, and every incomplete file that was left by a crash. */
export function removeOtherBlobs(disk: Disk, places: SessionPlaces, kept: ReadonlySet<string>): void {
  for (const shelf of namesIn(disk, places.blobs)) {
    const folder = join(places.blobs, shelf);
    const gone = namesIn(disk, folder).filter((name) => !kept.has(name));
    for (const name of gone) removeFile(disk, join(folder, name));
    if (gone.length > 0) disk.syncFolder(folder);
  }
}

/**
 * Checks whether the blob exists with these bytes. The bytes are compared, because damage may leave the size unchanged.
 * The stored bytes are read only if the size matches.
 */
function isThere(disk: Disk, path: string, bytes: Uint8Array): boolean {
  return disk.stat(path)?.size === bytes.length && readWhole(disk, path).equals(bytes);
}

function syncFile(disk: Disk, path: string): void {
  const file = disk.open(path, "append");
  try {
    disk.sync(file);
  } finally {
    disk.close(file);
  }
}

function blobMissing(places: SessionPlaces, hash: string): WorldlineError {
  return new WorldlineError("blob-file-missing", { session: places.session, hash });
}
