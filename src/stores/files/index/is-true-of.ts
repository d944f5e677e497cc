import { crc32 } from "node:zlib";
import type { Disk } from "../../../disk/disk.ts";
import { readRange } from "../../../disk/durable-files.ts";
import { decodeLine } from "../../../record/codec.ts";
import type { Outline } from "../../../timeline/outline.ts";
import type { LogFile } from "../log/log-files.ts";
import type { IndexEnd } from "./index-file.ts";

export interface FoundIndex {
  readonly index: IndexEnd;
  readonly outline: Outline;
}

/**
 * Whether the log holds what the index says it holds, judged by the last entry: logs only
 * grow, so an index whose end is right is right before it. Lines that were damaged since are
 * found when they are read.
 */
export function isTrueOf(disk: Disk, files: readonly LogFile[], found: FoundIndex): boolean {
  const { index, outline } = found;
  const { last } = index;
  const covered = files.find((file) => file.number === index.file);
  const holder = files.find((file) => file.number === last?.place.file);
  if (last === undefined || holder === undefined || covered === undefined || covered.size < index.offset)
    return false;
  const file = disk.open(holder.path, "read");
  try {
    const line = decodeLine(
      readRange(disk, file, { position: last.place.offset, length: last.place.length }),
      crc32,
    );
    return line.ok && line.entry.seq === last.seq && line.entry.id === outline.at(last.seq)?.id;
  } finally {
    disk.close(file);
  }
}
