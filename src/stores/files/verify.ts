import { join, relative } from "node:path";
import { type Disk, errnoOf } from "../../disk/disk.ts";
import type { Damage } from "../../ports/log-store.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { BlobHash } from "../../record/ids.ts";
import { blobsOf } from "../../record/shape.ts";
import { blobPath, listBlobs, readBlob } from "./blobs.ts";
import { recallHeader } from "./loading/header.ts";
import { loadLog } from "./loading/load.ts";
import { scanFile } from "./loading/scan.ts";
import { HEADER_NAME, type SessionPlaces } from "./places.ts";

/** Reads everything again, whatever the index says, and tells what is wrong. */
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
  return [
    { what: "header", file: HEADER_NAME, line: 0, bytes, why: "The copy of the first line cannot be read." },
  ];
}

function verifyBlob(disk: Disk, places: SessionPlaces, hash: BlobHash): Damage[] {
  try {
    readBlob(disk, places, hash);
    return [];
  } catch (error) {
    const path = blobPath(places, hash);
    const bytes = disk.stat(path)?.size ?? 0;
    return [{ what: "blob", file: relative(places.folder, path), line: 0, bytes, why: whyOf(error) }];
  }
}

function whyOf(error: unknown): string {
  if (isWorldlineError(error, "BLOB_MISSING")) return "The blob is not there.";
  if (isWorldlineError(error, "BLOB_DAMAGED")) return "The blob is not what its name says.";
  return `The blob could not be read (${errnoOf(error) ?? "unknown error"}).`;
}
