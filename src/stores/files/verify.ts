import { join, relative } from "node:path";
import type { Disk } from "../../disk/disk.ts";
import { namesIn, readRange, readWhole } from "../../disk/durable-files.ts";
import type { Damage, Scrap } from "../../ports/log-store.ts";
import { errnoOf, isMissing, isWorldlineError, type Remark, remark } from "../../record/error.ts";
import { type BlobHash, isBlobHash } from "../../record/ids.ts";
import { blobsOf } from "../../record/shape.ts";
import { blobPath, listBlobs, readBlob } from "./blobs.ts";
import { loadLog, recallHeader, scanFile } from "./load-log.ts";
import { HEADER_NAME, type SessionPlaces } from "./places.ts";
import { isLeftover } from "./written-log.ts";

/** Reads the whole session again without using the index, and returns the faults. */
export function verifySession(disk: Disk, places: SessionPlaces): Damage[] {
  const { damage, files } = loadLog(disk, places, "log alone");
  const wanted = new Set<BlobHash>(listBlobs(disk, places));
  for (const { path } of files.files) {
    scanFile(disk, { path, from: 0 }, (stretch) => {
      if (stretch.entry !== undefined) for (const hash of blobsOf(stretch.entry)) wanted.add(hash);
    });
  }
  const blobs = [...wanted].sort().flatMap((hash) => verifyBlob(disk, places, hash));
  return [...damage, ...verifyHeader(disk, places), ...blobs];
}

function verifyHeader(disk: Disk, places: SessionPlaces): Damage[] {
  if (recallHeader(disk, places) !== undefined) return [];
  const bytes = disk.stat(join(places.folder, HEADER_NAME))?.size ?? 0;
  return [{ what: "header", file: HEADER_NAME, line: 0, bytes, ...remark("damage-header-copy") }];
}

function verifyBlob(disk: Disk, places: SessionPlaces, hash: BlobHash): Damage[] {
  try {
    readBlob(disk, places, hash);
    return [];
  } catch (error) {
    const path = blobPath(places, hash);
    const bytes = disk.stat(path)?.size ?? 0;
    return [{ what: "blob", file: relative(places.folder, path), line: 0, bytes, ...remarkOn(error) }];
  }
}

function remarkOn(error: unknown): Remark {
  if (isWorldlineError(error, "BLOB_MISSING")) return remark("damage-blob-file-gone");
  if (isWorldlineError(error, "BLOB_DAMAGED")) return remark("damage-blob-file-other-bytes");
  return remark("damage-blob-file-unreadable", { errno: errnoOf(error) ?? "unknown error" });
}

/** Returns all stored bytes of a session that are not part of an entry: stretches of its log, and leftover files. */
export function scrapsOf(disk: Disk, places: SessionPlaces): Scrap[] {
  const files = scrapFiles(disk, places).flatMap((name) => readScrap(disk, places, name));
  return [...stretchesOf(disk, places), ...files];
}

/** Returns the damaged lines, repeated lines, and torn bytes in the log. */
function stretchesOf(disk: Disk, places: SessionPlaces): Scrap[] {
  const { reading, files } = loadLog(disk, places, "log alone");
  return files.files.flatMap(({ number, name, path }) => {
    const faults = reading.faults.filter((fault) => fault.file === number && fault.length > 0);
    if (faults.length === 0) return [];
    const file = disk.open(path, "read");
    try {
      return faults.map(({ offset, length }) => ({
        name,
        bytes: readRange(disk, file, { position: offset, length }),
      }));
    } finally {
      disk.close(file);
    }
  });
}

/** Returns the names of leftover files in the session's folder. */
function scrapFiles(disk: Disk, places: SessionPlaces): string[] {
  const own = namesIn(disk, places.folder).filter(isLeftover);
  const header = recallHeader(disk, places) === undefined ? [HEADER_NAME] : [];
  const blobs = namesIn(disk, places.blobs).flatMap((shelf) =>
    namesIn(disk, join(places.blobs, shelf))
      .filter((name) => !isBlobHash(name))
      .map((name) => join("blobs", shelf, name)),
  );
  const outputs = namesIn(disk, places.outputs).map((name) => join("outputs", name));
  return [...own, ...header, ...blobs, ...outputs];
}

/**
 * Reads a leftover file. Returns an empty list if the file no longer exists, because the session's writer may have just
 * removed it.
 */
function readScrap(disk: Disk, places: SessionPlaces, name: string): Scrap[] {
  try {
    return [{ name, bytes: readWhole(disk, join(places.folder, name)) }];
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
