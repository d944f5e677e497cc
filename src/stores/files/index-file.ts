import { crc32 } from "node:zlib";
import type { Disk } from "../../disk/disk.ts";
import { readRange, removeFile, writeAll } from "../../disk/durable-files.ts";
import { decodeLine } from "../../record/codec.ts";
import { isMissing } from "../../record/error.ts";
import type { Seq } from "../../record/ids.ts";
import type { Outline } from "../../timeline/outline.ts";
import { KINDS } from "../../timeline/row.ts";
import {
  CHUNK_HEAD_BYTES,
  CHUNK_RECORDS,
  NumberReader,
  type RecordTaker,
  readRecords,
} from "./index-records.ts";
import type { LogReading } from "./log-reading.ts";
import type { LogFile, Place, SessionPlaces } from "./places.ts";

const INDEX_VERSION = 1;
/**
 * Typical size of a record. The size is used to predict the number of records, so that memory is allocated only once.
 */
const USUAL_RECORD_BYTES = 18;
/** Maximum length of a chunk. Worldline never writes a longer chunk. */
const MAX_CHUNK_BYTES = CHUNK_RECORDS * 128;

/** The part of an index that can be used, and the position where the rest of the log begins. */
export interface IndexEnd {
  /** The length of the usable part in bytes, or 0 if no part is usable. */
  readonly bytes: number;
  /** The position where reading the log continues. */
  readonly file: number;
  readonly offset: number;
  /** The last entry in the usable part, with its position. This entry must be compared with the log. */
  readonly last?: { readonly seq: Seq; readonly place: Place };
}

export const NO_INDEX: IndexEnd = { bytes: 0, file: 0, offset: 0 };

/**
 * Returns the header. It identifies the session, the layout, and the order of kinds. An index with a different header
 * cannot be used.
 */
function headLine(places: SessionPlaces): Buffer {
  const kinds = crc32(KINDS.join(" ")).toString(16).padStart(8, "0");
  return Buffer.from(`worldline-index ${INDEX_VERSION} ${kinds} ${places.session}\n`);
}

/** Reads the index's valid chunks into `reading`. The caller must check whether they agree with the log. */
export function readIndex(disk: Disk, places: SessionPlaces, reading: LogReading): IndexEnd {
  let file: number;
  try {
    file = disk.open(places.index, "read");
  } catch (error) {
    if (isMissing(error)) return NO_INDEX;
    throw error;
  }
  try {
    return readChunks(
      disk,
      { file, size: disk.stat(places.index)?.size ?? 0, head: headLine(places) },
      reading,
    );
  } finally {
    disk.close(file);
  }
}

function readChunks(
  disk: Disk,
  index: { readonly file: number; readonly size: number; readonly head: Buffer },
  reading: LogReading,
): IndexEnd {
  const head = readRange(disk, index.file, { position: 0, length: index.head.length });
  if (!head.equals(index.head)) return NO_INDEX;
  let bytes = head.length;
  reading.reserve(Math.floor(index.size / USUAL_RECORD_BYTES));
  let covered: Place = { file: 0, offset: 0, length: 0 };
  const taker: RecordTaker = {
    row: (row, place) => reading.takeIndexedRow(row, place),
    gap: () => reading.takeIndexedGap(),
    fault: (fault) => {
      reading.faults.push(fault);
      covered = fault;
    },
  };
  for (;;) {
    const chunk = readChunk(disk, index.file, bytes);
    if (chunk === undefined) break;
    const first = { seq: reading.outline.nextSeq, count: chunk.count };
    if (!readRecords(new NumberReader(chunk.records), first, taker)) return NO_INDEX;
    bytes += CHUNK_HEAD_BYTES + chunk.records.length;
  }
  const seq = reading.outline.head?.seq;
  const place = reading.positions.at(seq ?? 0);
  if (seq === undefined || place === undefined) return NO_INDEX;
  const furthest = isBehind(covered, place) ? covered : place;
  return { bytes, file: furthest.file, offset: furthest.offset + furthest.length, last: { seq, place } };
}

function isBehind(place: Place, other: Place): boolean {
  return place.file === other.file ? place.offset > other.offset : place.file > other.file;
}

interface Chunk {
  readonly count: number;
  readonly records: Buffer;
}

/** Reads the chunk at `position`. Returns undefined at the end of the index, or if a crash left an incomplete chunk. */
function readChunk(disk: Disk, file: number, position: number): Chunk | undefined {
  const head = readRange(disk, file, { position, length: CHUNK_HEAD_BYTES });
  if (head.length < CHUNK_HEAD_BYTES) return undefined;
  const count = head.readUInt32LE(0);
  const length = head.readUInt32LE(4);
  if (count === 0 || count > CHUNK_RECORDS || length > MAX_CHUNK_BYTES) return undefined;
  const records = readRange(disk, file, { position: position + CHUNK_HEAD_BYTES, length });
  if (records.length < length || crc32(records) !== head.readUInt32LE(8)) return undefined;
  return { count, records };
}

/**
 * Appends chunks to the valid bytes of the index, and returns the new length. Does not sync the chunks. If a power loss
 * removes or garbles them, their checksums do not match, and the lines are read from the log.
 */
export function extendIndex(
  disk: Disk,
  places: SessionPlaces,
  addition: { readonly sound: number; readonly chunks: readonly Buffer[] },
): number {
  const { chunks } = addition;
  const size = disk.stat(places.index)?.size ?? 0;
  if (size < addition.sound) throw new Error("The index is shorter than expected.");
  const isFresh = addition.sound === 0;
  if (isFresh) removeFile(disk, places.index);
  const file = disk.open(places.index, isFresh ? "create" : "append");
  try {
    if (!isFresh && size > addition.sound) disk.truncate(file, addition.sound);
    const bytes = Buffer.concat(isFresh ? [headLine(places), ...chunks] : [...chunks]);
    writeAll(disk, file, bytes);
    return (isFresh ? 0 : addition.sound) + bytes.length;
  } finally {
    disk.close(file);
  }
}

/**
 * Checks whether the log matches the index. Compares only the last entry. Logs only grow, so if the end of an index is
 * correct, the part before it is correct as well. Lines that were damaged later are detected when they are read.
 */
export function isTrueOf(
  disk: Disk,
  files: readonly LogFile[],
  found: { readonly index: IndexEnd; readonly outline: Outline },
): boolean {
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
