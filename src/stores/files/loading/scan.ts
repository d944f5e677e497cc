import { crc32 } from "node:zlib";
import type { Disk } from "../../../disk/disk.ts";
import { readLines, type Stretch } from "../../../record/codec.ts";

/** Read at once. Larger ones were not faster, and what they decode to is held in memory meanwhile. */
const BLOCK_BYTES = 512 * 1024;
const NEWLINE = Buffer.from("\n");

export interface ScanEnd {
  /** Just behind the last newline. */
  readonly end: number;
  /** What follows it: nothing, when the file ends as it should. */
  readonly tail: Buffer;
}

/** `base` is where the block stands in the file that the stretch's `start` counts from. */
export type TakeStretch = (stretch: Stretch, base: number) => void;

/** Reads a file's whole lines from `from` on, block by block. */
export function scanFile(
  disk: Disk,
  range: { readonly path: string; readonly from: number },
  take: TakeStretch,
): ScanEnd {
  const file = disk.open(range.path, "read");
  try {
    return scanOpen(disk, { file, from: range.from }, take);
  } finally {
    disk.close(file);
  }
}

function scanOpen(
  disk: Disk,
  range: { readonly file: number; readonly from: number },
  take: TakeStretch,
): ScanEnd {
  let block = Buffer.allocUnsafe(BLOCK_BYTES);
  let start = range.from;
  let held = 0;
  for (;;) {
    // A line longer than the block: only then is more memory taken.
    if (held === block.length) block = Buffer.concat([block], block.length * 2);
    const count = disk.read(range.file, block.subarray(held), start + held);
    if (count === 0) return { end: start, tail: Buffer.from(block.subarray(0, held)) };
    held += count;
    // Without a newline among the new bytes there is no new line, and the old ones need no second look.
    if (!block.subarray(held - count, held).includes(0x0a)) continue;
    const { stretches, consumed } = readLines(block.subarray(0, held), crc32);
    for (const stretch of stretches) take(stretch, start);
    block.copyWithin(0, consumed, held);
    start += consumed;
    held -= consumed;
  }
}

/** The stretches of a tail, as if its line had been ended. */
export function readUnended(tail: Buffer): readonly Stretch[] {
  return readLines(Buffer.concat([tail, NEWLINE]), crc32).stretches;
}
