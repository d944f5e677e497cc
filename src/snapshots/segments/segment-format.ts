import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, constants, crc32 } from "node:zlib";
import type { Clock } from "../../ports/clock.ts";
import type { ObjectHash } from "../../record/ids.ts";
import type { RecordFault } from "../../strings/errors/facts.ts";
import { hashObject, type ObjectKind } from "../objects/object.ts";

export interface SegmentPlaces {
  readonly id: string;
  readonly segment: string;
  readonly index: string;
  readonly lock: string;
}

const ENDING = ".seg";
const CHANCE_BYTES = 8;
const TIME_DIGITS = 9;

export function segmentPlaces(folder: string, id: string): SegmentPlaces {
  return {
    id,
    segment: join(folder, `${id}${ENDING}`),
    index: join(folder, `${id}.idx`),
    lock: join(folder, `${id}.lock`),
  };
}

/**
 * Returns a name for a new segment. Names are never reused. Names sort in order of creation, so that objects that were
 * written together are found together.
 */
export function newSegmentId(clock: Clock): string {
  const time = clock.now().toString(36).padStart(TIME_DIGITS, "0");
  return `${time}-${Buffer.from(clock.random(CHANCE_BYTES)).toString("hex")}`;
}

/** Returns the segment ids among the names in a folder. */
export function segmentIds(names: readonly string[]): string[] {
  return names.filter((name) => name.endsWith(ENDING)).map((name) => name.slice(0, -ENDING.length));
}

/** The first bytes of a segment. They are written together with the segment's first records. */
export const SEGMENT_MAGIC: Buffer = Buffer.from("wlseg 1\n", "latin1");

/**
 * A record consists of a 56-byte header and a payload. Numbers are little-endian.
 *
 * | at | bytes | |
 * |---|---|---|
 * | 0 | 4 | `wlr` and 1 |
 * | 4 | 1 | kind |
 * | 5 | 1 | encoding |
 * | 6 | 1 | 1 if the record begins a batch |
 * | 7 | 1 | 0 |
 * | 8 | 4 | length of the object |
 * | 12 | 4 | length of the payload |
 * | 16 | 32 | the object's hash |
 * | 48 | 4 | crc32 of the payload |
 * | 52 | 4 | crc32 of the header up to here |
 *
 * The header has its own checksum, so that a damaged payload does not hide the records after it.
 */
export const HEADER_BYTES = 56;
const RECORD_MARKER: Buffer = Buffer.from("wlr\u0001", "latin1");

const MARKER = RECORD_MARKER.readUInt32LE(0);
const KINDS: readonly (ObjectKind | undefined)[] = [undefined, "content", "folder", "snapshot"];
const RAW = 0;
const BROTLI = 1;

interface RecordHeader {
  readonly hash: ObjectHash;
  readonly kind: ObjectKind;
  readonly encoding: number;
  /**
   * "begins" marks the first of several records that are written together. A batch is written only after all earlier
   * records have been synced. The mark therefore tells other processes that everything before the record is durable.
   */
  readonly batch: Batch;
  readonly rawBytes: number;
  /** The stored length of the payload. */
  readonly packedBytes: number;
  readonly payloadSum: number;
}

type Batch = "begins" | "goes-on";

export function encodeRecord(
  { hash, kind, bytes }: { readonly hash: ObjectHash; readonly kind: ObjectKind; readonly bytes: Uint8Array },
  compression: Compression,
): Buffer {
  const packed = compression === "brotli" ? pack(bytes) : undefined;
  const payload = packed ?? bytes;
  const record = Buffer.allocUnsafe(HEADER_BYTES + payload.length);
  record.writeUInt32LE(MARKER, 0);
  record[4] = codeOfKind(kind);
  record[5] = packed === undefined ? RAW : BROTLI;
  record[7] = 0;
  record.writeUInt32LE(bytes.length, 8);
  record.writeUInt32LE(payload.length, 12);
  record.write(hash, 16, "hex");
  record.writeUInt32LE(crc32(payload), 48);
  record.set(payload, HEADER_BYTES);
  setBatch(record, "goes-on");
  return record;
}

export function setBatch(record: Buffer, batch: Batch): void {
  record[6] = batch === "begins" ? 1 : 0;
  record.writeUInt32LE(crc32(record.subarray(0, 52)), 52);
}

/** Decodes a header. Returns undefined if there is no header at this position, or if the header has a newer format. */
export function readHeader(bytes: Buffer, at = 0): RecordHeader | undefined {
  if (bytes.length - at < HEADER_BYTES || bytes.readUInt32LE(at) !== MARKER) return undefined;
  if (crc32(bytes.subarray(at, at + 52)) !== bytes.readUInt32LE(at + 52)) return undefined;
  const kind = kindOfCode(bytes[at + 4] ?? 0);
  if (kind === undefined) return undefined;
  return {
    hash: bytes.toString("hex", at + 16, at + 48) as ObjectHash,
    kind,
    encoding: bytes[at + 5] ?? RAW,
    batch: bytes[at + 6] === 1 ? "begins" : "goes-on",
    rawBytes: bytes.readUInt32LE(at + 8),
    packedBytes: bytes.readUInt32LE(at + 12),
    payloadSum: bytes.readUInt32LE(at + 48),
  };
}

/** An object's bytes, or the reason why a payload does not contain the object that its header names. */
export type Decoded = { readonly bytes: Buffer } | { readonly why: RecordFault };

export function decodePayload(header: RecordHeader, payload: Buffer): Decoded {
  if (payload.length !== header.packedBytes) return { why: "cut-short" };
  const bytes = unpacked(header, payload);
  if (bytes === undefined) return { why: "cannot-be-unpacked" };
  if (hashObject(header.kind, bytes) !== header.hash) return { why: "other-bytes" };
  return { bytes };
}

function unpacked({ encoding, rawBytes }: RecordHeader, payload: Buffer): Buffer | undefined {
  if (encoding === RAW) return payload;
  if (encoding !== BROTLI) return undefined;
  try {
    return unpack(payload, rawBytes);
  } catch {
    // Brotli reported an error. The caller decides what the error means.
    return undefined;
  }
}

export function codeOfKind(kind: ObjectKind): number {
  return KINDS.indexOf(kind);
}

export function kindOfCode(code: number): ObjectKind | undefined {
  return KINDS[code];
}

export type Compression = "brotli" | "none";

/**
 * The minimum size at which compression pays off. For a folder with three names, compression takes more time than the
 * saved bytes are worth.
 */
const MIN_BYTES = 128;

/**
 * Measured on 4 KB source files: quality 0 compresses 185 MB/s to 39% of the original size, quality 1 compresses 140
 * MB/s to 38%, and quality 2 compresses 96 MB/s to 36%. Compression accounts for the largest part of a first capture,
 * so the fastest quality is used. A window of fewer than 15 bits makes the result larger, and a larger window makes no
 * difference.
 */
const QUALITY = 0;
const WINDOW_BITS = 18;

/** Returns the compressed bytes, or undefined if the bytes should be stored uncompressed. */
function pack(bytes: Uint8Array): Buffer | undefined {
  if (bytes.length < MIN_BYTES) return undefined;
  const packed = brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
  return packed.length < bytes.length ? packed : undefined;
}

/**
 * Decompresses bytes. Throws if the bytes are not compressed data or expand to more than `rawBytes`, because damaged
 * bytes must not use up all memory.
 */
function unpack(packed: Uint8Array, rawBytes: number): Buffer {
  return brotliDecompressSync(packed, { maxOutputLength: Math.max(1, rawBytes) });
}

/** Reads from a segment. At the end of the segment, returns fewer bytes than requested. */
export type ReadAt = (position: number, length: number) => Buffer;

/** A part of a segment, which is either a record or bytes that are not a record. */
export type Stretch = RecordStretch | { readonly is: "gap"; readonly at: number; readonly end: number };

interface RecordStretch {
  readonly is: "record";
  readonly at: number;
  readonly end: number;
  readonly header: RecordHeader;
  readonly payload: "whole" | "damaged";
  /** "found" means that the record comes after a gap and was recognized only by its shape. */
  readonly reached: "in-order" | "found";
}

export interface ScanRange {
  readonly from: number;
  readonly to: number;
}

const BLOCK_BYTES = 1024 * 1024;

/** Scans a part of a segment. The part must begin at a record or at position 0. */
export function scan(
  read: ReadAt,
  { from, to }: ScanRange,
  visit: (stretch: Stretch, payload: Buffer) => void,
): void {
  const block = new Block(read, to);
  const nothing = Buffer.alloc(0);
  let reached: RecordStretch["reached"] = "in-order";
  let at = from;
  if (from === 0 && block.bytes(0, SEGMENT_MAGIC.length).equals(SEGMENT_MAGIC)) at = SEGMENT_MAGIC.length;
  while (at < to) {
    const header = readHeader(block.bytes(at, HEADER_BYTES));
    const start = at + HEADER_BYTES;
    const end = start + (header?.packedBytes ?? 0);
    if (header !== undefined && end <= to) {
      const bytes = block.bytes(start, header.packedBytes);
      const payload = crc32(bytes) === header.payloadSum ? "whole" : "damaged";
      visit({ is: "record", at, end, header, payload, reached }, bytes);
      at = end;
      continue;
    }
    // Nothing follows a truncated record. Bytes in its payload that look like a record are file content.
    const next = header === undefined ? nextHeader(block, at + 1) : to;
    visit({ is: "gap", at, end: next }, nothing);
    reached = "found";
    at = next;
  }
}

export function stretchesIn(read: ReadAt, range: ScanRange): Stretch[] {
  const stretches: Stretch[] = [];
  scan(read, range, (stretch) => stretches.push(stretch));
  return stretches;
}

/** Returns the position of the next header, or the end of the range if there is no other header. */
function nextHeader(block: Block, from: number): number {
  for (let at = from; at < block.end; ) {
    const bytes = block.bytes(at, Math.min(BLOCK_BYTES, block.end - at));
    const found = bytes.indexOf(RECORD_MARKER);
    if (found >= 0) {
      if (readHeader(block.bytes(at + found, HEADER_BYTES)) !== undefined) return at + found;
      at += found + 1;
    } else {
      at += Math.max(1, bytes.length - RECORD_MARKER.length + 1);
    }
  }
  return block.end;
}

/** Reads large blocks, and serves small reads from these blocks. */
class Block {
  readonly end: number;
  readonly #read: ReadAt;
  #start = 0;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(read: ReadAt, end: number) {
    this.#read = read;
    this.end = end;
  }

  /** Returns the requested bytes, or fewer if the range ends earlier. */
  bytes(at: number, length: number): Buffer {
    const wanted = Math.min(length, this.end - at);
    if (at < this.#start || at + wanted > this.#start + this.#bytes.length) {
      this.#start = at;
      this.#bytes = this.#read(at, Math.min(Math.max(wanted, BLOCK_BYTES), this.end - at));
    }
    return this.#bytes.subarray(at - this.#start, at - this.#start + wanted);
  }
}

/** A record's position, kind, and sizes. */
export interface Row {
  readonly at: number;
  readonly kind: ObjectKind;
  readonly rawBytes: number;
  readonly packedBytes: number;
}

export type Rows = Map<ObjectHash, Row>;

/**
 * The records in a part of a segment, grouped by how reliable they are. Only a settled record can keep another process
 * from writing the object again. Data that was written but not synced may still be truncated or lost in a power loss.
 * An unsettled record can be read as long as it exists.
 */
interface Settled {
  readonly sure: Rows;
  /** Settled records that are damaged or come after damage. */
  readonly doubtful: Rows;
  /** Records that are not settled and must therefore be checked again. */
  readonly loose: Rows;
  /** The position where the next scan continues. */
  readonly end: number;
}

/**
 * Groups the results of a scan. "free" means that no process holds the segment, so its last writer has synced it, or
 * its data has survived a power loss. "held" means that the last batch in the segment may not be durable yet.
 */
export function settle(stretches: readonly Stretch[], from: number, lock: "free" | "held"): Settled {
  const end =
    (lock === "free" ? stretches.findLast((each) => each.is === "record")?.end : lastBatch(stretches)?.at) ??
    from;
  const settled = { sure: new Map(), doubtful: new Map(), loose: new Map(), end } satisfies Settled;
  for (const stretch of stretches) {
    if (stretch.is === "gap") continue;
    rowsFor(settled, stretch).set(stretch.header.hash, rowOf(stretch));
  }
  return settled;
}

function rowsFor(settled: Settled, { at, payload, reached }: RecordStretch): Rows {
  if (at >= settled.end) return settled.loose;
  return payload === "whole" && reached === "in-order" ? settled.sure : settled.doubtful;
}

function rowOf({ at, header: { kind, rawBytes, packedBytes } }: RecordStretch): Row {
  return { at, kind, rawBytes, packedBytes };
}

/** Returns the first record of the last batch. Everything before this record is durable. */
function lastBatch(stretches: readonly Stretch[]): Stretch | undefined {
  return stretches.findLast(
    (each) => each.is === "record" && each.header.batch === "begins" && each.reached === "in-order",
  );
}

/**
 * Checks whether bytes that are not a complete record may come from an unfinished write that was never acknowledged.
 */
export function isUnfinished(stretch: Stretch, stretches: readonly Stretch[]): boolean {
  return stretch.at >= (lastBatch(stretches)?.at ?? 0);
}

/**
 * Returns the position where a writer can continue after it truncates the segment there. Returns undefined if
 * truncating the segment could lose data. The segment must not be changed in that case. Only torn bytes at the end of
 * the last batch are ever removed, because a torn batch was never acknowledged. A complete record after the damage may
 * have been acknowledged, and must not be lost because of one bad byte.
 */
export function endToGoOnFrom(stretches: readonly Stretch[], { from, to }: ScanRange): number | undefined {
  const bad = stretches.findIndex(isBad);
  const torn = stretches[bad];
  if (torn === undefined) return stretches.at(-1)?.end ?? Math.min(from, to);
  const settledEnd = lastBatch(stretches)?.at ?? from;
  const isCut = torn.at >= settledEnd && stretches.slice(bad).every(isBad);
  return isCut ? torn.at : undefined;
}

function isBad(stretch: Stretch): boolean {
  return stretch.is === "gap" || stretch.payload === "damaged";
}
