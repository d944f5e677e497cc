import { crc32 } from "node:zlib";
import type { Disk } from "../../disk/disk.ts";
import { readWhole } from "../../disk/durable-files.ts";
import type { Damage } from "../../ports/log-store.ts";
import { readLines, readTail, type Stretch } from "../../record/codec.ts";
import { type EntryOf, isKind } from "../../record/entry.ts";
import { isMissing, type Remark, remark } from "../../record/error.ts";
import { type IndexEnd, isTrueOf, NO_INDEX, readIndex } from "./index-file.ts";
import { LogReading } from "./log-reading.ts";
import {
  type Fault,
  type FaultReason,
  LOG_NAME,
  type LogFile,
  type LogFiles,
  listLogFiles,
  type SessionPlaces,
} from "./places.ts";

/** A log that was loaded, with the state of its files. */
export interface LoadedLog {
  readonly reading: LogReading;
  readonly files: LogFiles;
  readonly damage: readonly Damage[];
  /** The end of the live file: the position after its last newline, and the bytes after that position. */
  readonly live: ScanEnd;
  readonly tailIs: "empty" | "unended" | "torn";
  /** The length of the valid part of the index, in bytes. */
  readonly indexBytes: number;
}

/** The sources to use. Opening a log trusts an index that matches the log, whereas verification examines every line. */
type Use = "index" | "log alone";

const NOTHING: ScanEnd = { end: 0, tail: Buffer.alloc(0) };
/**
 * Maximum number of attempts to read the log. If another process rotates the log during an attempt, the list of files
 * may mix the states before and after the rotation.
 */
const MAX_TRIES = 5;

/**
 * Finds every line. Uses the index if it can be trusted, and then the part of the log that the index does not cover.
 */
export function loadLog(disk: Disk, places: SessionPlaces, use: Use): LoadedLog {
  for (let tries = 1; ; tries += 1) {
    const files = listLogFiles(disk, places);
    const loaded = loadFiles(disk, { places, files }, use);
    const after = listLogFiles(disk, places);
    if (after.liveNumber === files.liveNumber || tries === MAX_TRIES) return loaded;
  }
}

interface Found {
  readonly places: SessionPlaces;
  readonly files: LogFiles;
}

function loadFiles(disk: Disk, found: Found, use: Use): LoadedLog {
  const { reading, index, known } = begin(disk, found, use);
  let live = NOTHING;
  let tailIs: LoadedLog["tailIs"] = "empty";
  for (const file of found.files.files) {
    if (file.number < index.file) continue;
    const from = file.number === index.file ? index.offset : 0;
    const scan = scanFile(disk, { path: file.path, from }, (stretch, base) =>
      reading.take(stretch, { file: file.number, offset: base + stretch.start, length: stretch.length }),
    );
    const tail = takeTail(reading, file, scan);
    reading.endFile();
    if (file.name !== LOG_NAME) continue;
    live = scan;
    tailIs = tail;
  }
  reading.finish({ lines: known, file: found.files.liveNumber, offset: live.end + live.tail.length });
  const damage = [
    ...found.files.missing.map(missingFile),
    ...describeFaults(disk, found.files.files, reading.faults),
  ];
  return { reading, files: found.files, damage, live, tailIs, indexBytes: index.bytes };
}

interface TrustedIndex {
  readonly reading: LogReading;
  readonly index: IndexEnd;
  /**
   * The number of lines in the index. The number is used even if the index is not trusted, because a log only grows.
   */
  readonly known: number;
}

/**
 * Reads the index if it can be trusted. The index is read before the log, because a writer may append to both at the
 * same time.
 */
function begin(disk: Disk, found: Found, use: Use): TrustedIndex {
  const recall = () => recallHeader(disk, found.places);
  // If a file is missing, the index is not used, because it would contain the lines of the missing file as if they
  // existed.
  if (found.files.missing.length > 0) return { reading: new LogReading(recall), index: NO_INDEX, known: 0 };
  const reading = new LogReading(recall);
  const index = readIndex(disk, found.places, reading);
  const known = index.bytes > 0 ? reading.outline.length : 0;
  if (use === "index" && isTrueOf(disk, found.files.files, { index, outline: reading.outline }))
    return { reading, index, known };
  return { reading: new LogReading(recall), index: NO_INDEX, known };
}

/**
 * Interprets the bytes after the last newline. Torn bytes at the end of the live file are not treated as a line,
 * because they were never acknowledged.
 */
function takeTail(reading: LogReading, file: LogFile, scan: ScanEnd): LoadedLog["tailIs"] {
  const { end, tail } = scan;
  const tailIs = readTail(tail, crc32);
  if (tailIs === "torn" && file.name === LOG_NAME) {
    reading.takeTorn({ file: file.number, offset: end, length: tail.length });
  } else {
    for (const stretch of readUnended(tail)) {
      reading.take(stretch, { file: file.number, offset: end + stretch.start, length: stretch.length });
    }
  }
  return tailIs;
}

/**
 * Number of bytes that are read at a time. Larger reads were not faster, and would keep the decoded entries in memory
 * for longer.
 */
const BLOCK_BYTES = 512 * 1024;
const NEWLINE = Buffer.from("\n");

interface ScanEnd {
  /** The position after the last newline. */
  readonly end: number;
  /** The bytes after the last newline. Empty if the file ends with a newline, as it should. */
  readonly tail: Buffer;
}

/**
 * Receives a stretch. `base` is the position of the block in the file, and the stretch's `start` is relative to it.
 */
type TakeStretch = (stretch: Stretch, base: number) => void;

/** Reads the complete lines of a file block by block, starting at `from`. */
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
    // More memory is allocated only for a line that is longer than the block.
    if (held === block.length) block = Buffer.concat([block], block.length * 2);
    const count = disk.read(range.file, block.subarray(held), start + held);
    if (count === 0) return { end: start, tail: Buffer.from(block.subarray(0, held)) };
    held += count;
    // If the new bytes do not contain a newline, there is no new complete line, so the earlier bytes need not be
    // scanned again.
    if (!block.subarray(held - count, held).includes(0x0a)) continue;
    const { stretches, consumed } = readLines(block.subarray(0, held), crc32);
    for (const stretch of stretches) take(stretch, start);
    block.copyWithin(0, consumed, held);
    start += consumed;
    held -= consumed;
  }
}

/** Returns the stretches in a tail, interpreted as if the tail ended with a newline. */
export function readUnended(tail: Buffer): readonly Stretch[] {
  return readLines(Buffer.concat([tail, NEWLINE]), crc32).stretches;
}

export interface RecalledHeader {
  readonly entry: EntryOf<"session">;
  /** The line's position in the copy. */
  readonly start: number;
  readonly length: number;
}

/** Reads the first line from its copy. Returns undefined if the copy cannot be read either. */
export function recallHeader(disk: Disk, places: SessionPlaces): RecalledHeader | undefined {
  let bytes: Buffer;
  try {
    bytes = readWhole(disk, places.header);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  const [line, ...more] = readUnended(bytes);
  if (line?.entry === undefined || more.length > 0) return undefined;
  const { entry, start, length } = line;
  return isKind(entry, "session") && entry.session === places.session ? { entry, start, length } : undefined;
}

const COUNTED_BYTES = 1024 * 1024;

/** Describes each fault by its file name and line number, so that a user can find it. */
function describeFaults(disk: Disk, files: readonly LogFile[], faults: readonly Fault[]): Damage[] {
  return files.flatMap((file) => {
    const own = faults.filter((fault) => fault.file === file.number);
    if (own.length === 0) return [];
    const lines = lineNumbers(disk, file, own);
    return own.map((fault, index) => ({
      what: whatOf(fault.why),
      file: file.name,
      line: lines[index] ?? 0,
      bytes: fault.length,
      ...remarkOn(fault),
    }));
  });
}

function missingFile(name: string): Damage {
  const why = remark(name === LOG_NAME ? "damage-newest-file-missing" : "damage-file-missing");
  return { what: "file", file: name, line: 0, bytes: 0, ...why };
}

function remarkOn({ why, lines }: Fault): Remark {
  if (why === "missing") return remark("damage-lines-missing", { lines });
  if (why === "cut-off" && lines > 0) return remark("damage-lines-gone", { lines });
  return remark(`damage-${why}`);
}

function whatOf(why: FaultReason): Damage["what"] {
  if (why === "missing" || why === "repeated" || why === "header" || why === "torn-tail") return why;
  return why === "cut-off" ? "missing" : "line";
}

/**
 * Computes the line numbers of the faults, starting at 1. Line numbers are computed only if there are faults, because
 * the index and the scan use byte positions, and counting lines would slow down reading an undamaged log.
 */
function lineNumbers(disk: Disk, logFile: LogFile, faults: readonly Fault[]): number[] {
  const numbers: number[] = [];
  const block = Buffer.allocUnsafe(COUNTED_BYTES);
  const file = disk.open(logFile.path, "read");
  try {
    let position = 0;
    let line = 1;
    for (const fault of faults) {
      while (position < fault.offset) {
        const count = disk.read(
          file,
          block.subarray(0, Math.min(block.length, fault.offset - position)),
          position,
        );
        if (count === 0) break;
        line += newlinesIn(block.subarray(0, count));
        position += count;
      }
      numbers.push(line);
    }
  } finally {
    disk.close(file);
  }
  return numbers;
}

function newlinesIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) count += 1;
  return count;
}
