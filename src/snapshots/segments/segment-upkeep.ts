import { dirname } from "node:path";
import { removeFile, tryToRemove } from "../../disk/durable-files.ts";
import type { LockContext } from "../../disk/lock.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { ObjectHash } from "../../record/ids.ts";
import { segmentFault } from "../../strings/en/errors/files.ts";
import type { SegmentFault } from "../../strings/errors/facts.ts";
import type { KnownSegments, PendingRecords } from "./known-segments.ts";
import { makeDurable, trySegmentLock } from "./live-segment.ts";
import type { Segment } from "./segment.ts";
import {
  decodePayload,
  HEADER_BYTES,
  isUnfinished,
  type Row,
  type Rows,
  readHeader,
  type Stretch,
  scan,
} from "./segment-format.ts";
import type { SegmentDamage } from "./segment-store.ts";

interface RewriteRequest extends LockContext {
  readonly segment: Segment;
  readonly known: KnownSegments;
  readonly pending: PendingRecords;
  /**
   * Writes pending objects. "now" returns when all pending objects are durable. "in-time" writes only if many bytes are
   * pending.
   */
  readonly sync: (when: "now" | "in-time") => void;
  readonly isKept: (hash: ObjectHash) => boolean;
}

const NOTHING = { freed: 0 } as const;

/**
 * Copies the objects that are kept and removes the segment. The copies are durable before the segment is removed. In
 * the worst case, a crash therefore leaves two copies of some objects.
 */
export function rewriteSegment(rewriting: RewriteRequest): { readonly freed: number } {
  const { segment, known, disk } = rewriting;
  // If another process holds the segment, that process would keep writing to it after it was removed.
  const lock = trySegmentLock(rewriting, segment.places.lock);
  if (lock === undefined) return NOTHING;
  try {
    if (lock.takenFrom === "dead") makeDurable(rewriting, segment);
    const before = segment.size;
    const needed = neededOf(rewriting);
    const copied = needed === undefined ? before : sizeOf(needed);
    if (needed === undefined || !isWorthIt(segment, needed)) return NOTHING;
    try {
      copy(rewriting, needed);
    } catch (error) {
      if (!isWorldlineError(error, "STORE_FULL")) throw error;
      return shrinkFromEnd(rewriting);
    }
    removeFile(disk, segment.places.segment);
    known.remove(segment.id);
    tryToRemove(disk, segment.places.index);
    // Without this sync, a power loss could bring the segment back, including data that was released or forgotten.
    disk.syncFolder(dirname(segment.places.segment));
    return { freed: before - copied };
  } finally {
    lock.release();
  }
}

/**
 * Returns the objects that are kept and that no other segment contains. Returns undefined if any of these objects is
 * damaged.
 */
function neededOf({ segment, known, isKept }: RewriteRequest): Rows | undefined {
  const rows = new Map<ObjectHash, Row>();
  segment.each((hash, row) => {
    if (isKept(hash) && !rows.has(hash)) rows.set(hash, row);
  });
  for (const [hash, row] of rows) {
    const other = known.read({ hash, except: segment });
    if (other !== undefined && "bytes" in other) rows.delete(hash);
    else if (!isWhole(known.record(segment, row), hash)) return undefined;
  }
  return rows;
}

function isWhole(record: Buffer, hash: ObjectHash): boolean {
  const header = readHeader(record);
  return header?.hash === hash && "bytes" in decodePayload(header, record.subarray(HEADER_BYTES));
}

function isWorthIt(segment: Segment, needed: Rows): boolean {
  return needed.size < segment.records;
}

function sizeOf(rows: Rows): number {
  let size = 0;
  for (const { packedBytes } of rows.values()) size += HEADER_BYTES + packedBytes;
  return size;
}

function copy({ segment, known, pending, sync }: RewriteRequest, needed: Rows): void {
  const inOrder = [...needed].sort(([, one], [, other]) => one.at - other.at);
  try {
    for (const [hash, row] of inOrder) {
      pending.add(hash, Buffer.from(known.record(segment, row)));
      sync("in-time");
    }
    sync("now");
  } catch (error) {
    // The pending copies are dropped, because the objects are still in the old segment.
    for (const [hash] of inOrder) pending.remove(hash);
    throw error;
  }
}

/**
 * Shortens a segment if there is not enough space to copy everything in it that is kept. Works backward from the end of
 * the segment to the first record that is not kept. Copies each record that is kept, and truncates the segment after
 * each step. The procedure never takes more extra space than the largest copied record.
 */
function shrinkFromEnd(rewriting: RewriteRequest): { readonly freed: number } {
  const { segment, disk, known, isKept } = rewriting;
  const before = segment.size;
  const rows: (Row & { readonly hash: ObjectHash })[] = [];
  segment.each((hash, row) => rows.push({ hash, ...row }));
  rows.sort((one, other) => other.at - one.at);
  const firstDead = rows.findLast(({ hash }) => !isKept(hash))?.at ?? before;
  let copied = 0;
  tryToRemove(disk, segment.places.index);
  const file = disk.open(segment.places.segment, "append");
  try {
    for (const row of rows) {
      if (row.at < firstDead) break;
      if (isKept(row.hash)) copied += copyOne(rewriting, row);
      disk.truncate(file, row.at);
      disk.sync(file);
    }
  } finally {
    disk.close(file);
    known.refresh();
  }
  return { freed: before - firstDead - copied };
}

/** Copies an object durably. Returns the size of the copy, or 0 if another segment contains the object. */
function copyOne(
  { segment, known, pending, sync }: RewriteRequest,
  row: Row & { readonly hash: ObjectHash },
): number {
  const { hash } = row;
  const other = known.read({ hash, except: segment });
  if (other !== undefined && "bytes" in other) return 0;
  try {
    pending.add(hash, Buffer.from(known.record(segment, row)));
    sync("now");
    return HEADER_BYTES + row.packedBytes;
  } catch (error) {
    pending.remove(hash);
    throw error;
  }
}

/**
 * Reads every record in a segment. Data that the segment's writer may still be writing, or was writing when it died, is
 * not reported as damage.
 */
export function verifySegment(segment: Segment, onProgress: (bytes: number) => void): SegmentDamage[] {
  const stretches: Stretch[] = [];
  const found: { readonly stretch: Stretch; readonly fault: SegmentFault }[] = [];
  scan(segment.read, { from: 0, to: segment.size }, (stretch, payload) => {
    stretches.push(stretch);
    const fault = faultOf(stretch, payload);
    if (fault !== undefined) found.push({ stretch, fault });
    onProgress(stretch.end);
  });
  const names = found.some(({ stretch }) => stretch.is === "gap") ? namesByPlace(segment) : new Map();
  return found
    .filter(({ stretch }) => segment.lock !== "held" || !isUnfinished(stretch, stretches))
    .map(({ stretch, fault }) => {
      const hash = stretch.is === "record" ? stretch.header.hash : names.get(stretch.at);
      const named = hash === undefined ? {} : { hash };
      return { segment: segment.id, offset: stretch.at, ...named, fault, why: segmentFault(fault) };
    });
}

function faultOf(stretch: Stretch, payload: Buffer): SegmentFault | undefined {
  if (stretch.is === "gap") return { noRecordBytes: stretch.end - stretch.at };
  const decoded = decodePayload(stretch.header, payload);
  if ("why" in decoded) return decoded.why;
  return stretch.payload === "damaged" ? "wrong-checksum" : undefined;
}

/**
 * Returns the hash of the object at each position. The index may contain objects at positions that can no longer be
 * read.
 */
function namesByPlace(segment: Segment): Map<number, ObjectHash> {
  const names = new Map<number, ObjectHash>();
  segment.each((hash, { at }) => names.set(at, hash));
  return names;
}
