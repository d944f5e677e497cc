import { join } from "node:path";
import type { Disk } from "../../disk/disk.ts";
import { besideOf, removeFile, writeAll } from "../../disk/durable-files.ts";
import type { PublishedCheckpoint } from "../../ports/log-store.ts";
import type { SessionPlaces } from "./places.ts";

const METADATA_NAME = "metadata.json";
/** All that is ever written there, what a crash left of it included. */
export const PUBLISHED_NAMES: readonly string[] = [METADATA_NAME, besideOf(METADATA_NAME)];

/** Not synced: it is made from the log, and made again with the next checkpoint. */
export function publishCheckpoints(
  disk: Disk,
  places: SessionPlaces,
  checkpoints: readonly PublishedCheckpoint[],
): void {
  const path = join(places.checkpoints, METADATA_NAME);
  if (disk.stat(places.checkpoints) === undefined) disk.makeFolder(places.checkpoints);
  const beside = besideOf(path);
  removeFile(disk, beside);
  const file = disk.open(beside, "create");
  try {
    writeAll(disk, file, Buffer.from(`${JSON.stringify({ checkpoints }, undefined, 2)}\n`));
  } finally {
    disk.close(file);
  }
  disk.rename(beside, path);
}
