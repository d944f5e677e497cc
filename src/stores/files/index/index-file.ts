import { crc32 } from "node:zlib";
import type { Row } from "../../../timeline/outline.ts";
import { type Disk, isMissing } from "../disk/disk.ts";
import { readRange, removeFile, writeAll } from "../disk/durable-files.ts";
import type { LogReading } from "../loading/log-reading.ts";
import type { Place } from "../log/positions.ts";
import type { SessionPlaces } from "../places.ts";
import { CHUNK_HEAD_BYTES, CHUNK_RECORDS } from "./draft.ts";
import { KINDS, RECORD_BYTES, type RecordReader, readRecords } from "./record.ts";

const INDEX_VERSION = 1;

/** How far an index goes. */
export interface IndexEnd {
  /** The bytes of the file that are sound; 0 when there is no index that can be used. */
  readonly bytes: number;
  /** Where the log is to be read on from. */
  readonly file: number;
  readonly offset: number;
  /** The last entry it holds, to be compared with the log. */
  readonly last?: { readonly row: Row; readonly place: Place };
}

export const NO_INDEX: IndexEnd = { bytes: 0, file: 0, offset: 0 };

/** An index of another session, layout or order of kinds is none of ours. */
function headLine(places: SessionPlaces): Buffer {
  const kinds = crc32(KINDS.join(" ")).toString(16).padStart(8, "0");
  return Buffer.from(`worldline-index ${INDEX_VERSION} ${kinds} ${places.session}\n`);
}

/** Reads the index's sound chunks into `reading`. Whether they tell the truth is for the caller to compare. */
export function readIndex(disk: Disk, places: SessionPlaces, reading: LogReading): IndexEnd {
  let file: number;
  try {
    file = disk.open(places.index, "read");
  } catch (error) {
    if (isMissing(error)) return NO_INDEX;
    throw error;
  }
  try {
    return readChunks(disk, { file, head: headLine(places) }, reading);
  } finally {
    disk.close(file);
  }
}

function readChunks(disk: Disk, index: { file: number; head: Buffer }, reading: LogReading): IndexEnd {
  const head = readRange(disk, index.file, { position: 0, length: index.head.length });
  if (!head.equals(index.head)) return NO_INDEX;
  let bytes = head.length;
  let lastRow: Row | undefined;
  let lastPlace: Place | undefined;
  let covered: Place = { file: 0, offset: 0, length: 0 };
  const reader: RecordReader = {
    row: (row, place) => {
      reading.takeRow(row, place);
      covered = place;
      lastPlace = place;
      lastRow = row;
    },
    gap: () => reading.takeIndexedGap(),
    fault: (fault) => {
      reading.faults.push(fault);
      covered = fault;
    },
  };
  for (;;) {
    const chunk = readChunk(disk, index.file, bytes);
    if (chunk === undefined) break;
    if (!readRecords(chunk, reading.outline.nextSeq, reader)) return NO_INDEX;
    bytes += CHUNK_HEAD_BYTES + chunk.length;
  }
  const end = { bytes, file: covered.file, offset: covered.offset + covered.length };
  if (lastRow === undefined || lastPlace === undefined) return end;
  return { ...end, last: { row: lastRow, place: lastPlace } };
}

/** The records of the chunk at `position`; undefined at the end, and where a crash left half a chunk. */
function readChunk(disk: Disk, file: number, position: number): Buffer | undefined {
  const head = readRange(disk, file, { position, length: CHUNK_HEAD_BYTES });
  if (head.length < CHUNK_HEAD_BYTES) return undefined;
  const count = head.readUInt32LE(0);
  if (count === 0 || count > CHUNK_RECORDS) return undefined;
  const length = count * RECORD_BYTES;
  const records = readRange(disk, file, { position: position + CHUNK_HEAD_BYTES, length });
  if (records.length < length || crc32(records) !== head.readUInt32LE(4)) return undefined;
  return records;
}

/**
 * Adds chunks behind the sound bytes; returns how many there are then. Not synced: what the
 * loss of power takes or garbles is found by the chunks' checksums, and read from the log.
 */
export function extendIndex(
  disk: Disk,
  places: SessionPlaces,
  addition: { readonly sound: number; readonly chunks: readonly Buffer[] },
): number {
  const { chunks } = addition;
  const size = disk.stat(places.index)?.size ?? 0;
  if (size < addition.sound) throw new Error("The index is shorter than it was.");
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
