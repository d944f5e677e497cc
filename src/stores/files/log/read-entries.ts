import { crc32 } from "node:zlib";
import type { Disk } from "../../../disk/disk.ts";
import { readRange } from "../../../disk/durable-files.ts";
import { decodeLine, NEWLINE } from "../../../record/codec.ts";
import type { Entry } from "../../../record/entry.ts";
import type { SessionPlaces } from "../places.ts";
import { pathOfFile } from "./log-files.ts";
import type { Placed } from "./positions.ts";

/** Neighbouring lines are read together, up to this many bytes. */
const MOST_BYTES = 1024 * 1024;
/** Used for every reading that fits: memory that is new each time costs as much as the reading itself. */
const block = Buffer.allocUnsafe(MOST_BYTES);
/** Reading over a damaged stretch of this size is cheaper than a second call. */
const MOST_BETWEEN = 4096;
const FIRST_BYTES = 16 * 1024;

export interface ReadEntries {
  readonly entries: Entry[];
  /** Whether a line was not what the positions said: it was damaged since, or the file was rewritten. */
  readonly isComplete: boolean;
}

/** The entries at the given places, each checked again. */
export function readEntries(disk: Disk, places: SessionPlaces, wanted: readonly Placed[]): ReadEntries {
  const entries: Entry[] = [];
  for (const run of runsOf(wanted)) {
    const first = run[0];
    const last = run.at(-1);
    if (first === undefined || last === undefined) continue;
    const length = last.offset + last.length - first.offset;
    const range = { position: first.offset, length };
    // What is decoded is a copy: nothing of the block is held on to.
    const bytes = readFrom(disk, pathOfFile(disk, places, first.file), range);
    for (const line of run) {
      const start = line.offset - first.offset;
      const decoded = decodeLine(bytes.subarray(start, start + line.length), crc32);
      if (decoded.ok && decoded.entry.seq === line.seq) entries.push(decoded.entry);
    }
  }
  return { entries, isComplete: entries.length === wanted.length };
}

/**
 * The first entry, without loading the log: a list of sessions needs only this of each.
 * Undefined where it is not to be had so easily.
 */
export function readFirst(disk: Disk, places: SessionPlaces): Entry | undefined {
  const path = pathOfFile(disk, places, 1);
  for (let length = FIRST_BYTES; ; length *= 8) {
    if (disk.stat(path) === undefined) return undefined;
    const bytes = readFrom(disk, path, { position: 0, length });
    const end = bytes.indexOf(NEWLINE);
    if (end === -1 && bytes.length === length) continue;
    const decoded = decodeLine(bytes.subarray(0, Math.max(0, end)), crc32);
    return decoded.ok && decoded.entry.seq === 1 ? decoded.entry : undefined;
  }
}

function readFrom(disk: Disk, path: string, range: { position: number; length: number }): Buffer {
  const file = disk.open(path, "read");
  try {
    return range.length > block.length ? readRange(disk, file, range) : readBlock(disk, file, range);
  } finally {
    disk.close(file);
  }
}

/** As `readRange`, into the block: valid until the next reading. */
function readBlock(disk: Disk, file: number, range: { position: number; length: number }): Buffer {
  let done = 0;
  while (done < range.length) {
    const count = disk.read(file, block.subarray(done, range.length), range.position + done);
    if (count === 0) break;
    done += count;
  }
  return block.subarray(0, done);
}

function runsOf(wanted: readonly Placed[]): Placed[][] {
  const runs: Placed[][] = [];
  for (const line of wanted) {
    const run = runs.at(-1);
    if (run !== undefined && continues(run, line)) run.push(line);
    else runs.push([line]);
  }
  return runs;
}

function continues(run: readonly Placed[], line: Placed): boolean {
  const first = run[0];
  const last = run.at(-1);
  if (first === undefined || last === undefined || last.file !== line.file) return false;
  const between = line.offset - (last.offset + last.length);
  return between >= 0 && between <= MOST_BETWEEN && line.offset + line.length - first.offset <= MOST_BYTES;
}
