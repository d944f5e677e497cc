import { join } from "node:path";
import { type Disk, isMissing } from "../../disk/disk.ts";
import { namesIn, readRange, readWhole } from "../../disk/durable-files.ts";
import type { Scrap } from "../../ports/log-store.ts";
import { isBlobHash } from "../../record/ids.ts";
import { recallHeader } from "./loading/header.ts";
import { loadLog } from "./loading/load.ts";
import { isLeftover } from "./log/recover.ts";
import { HEADER_NAME, type SessionPlaces } from "./places.ts";

/** What there is of a session that is no entry: stretches of its log, and files beside it. */
export function scrapsOf(disk: Disk, places: SessionPlaces): Scrap[] {
  const files = scrapFiles(disk, places).flatMap((name) => readScrap(disk, places, name));
  return [...stretchesOf(disk, places), ...files];
}

/** Damaged lines, lines that stand there again, and torn bytes. */
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

/** Whole files, by their names within the session's folder. */
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

/** Nothing, where there is no such file, or the one writer has removed it meanwhile. */
function readScrap(disk: Disk, places: SessionPlaces, name: string): Scrap[] {
  try {
    return [{ name, bytes: readWhole(disk, join(places.folder, name)) }];
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
