import { randomUUID } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Disk } from "../../disk/disk.ts";
import { readWhole, tryToRemove, writeNew } from "../../disk/durable-files.ts";
import type { ObjectHash } from "../../record/ids.ts";
import {
  codeOfKind,
  HEADER_BYTES,
  kindOfCode,
  type ReadAt,
  type Row,
  type Rows,
  readHeader,
  type ScanRange,
  SEGMENT_MAGIC,
  type SegmentPlaces,
  type Stretch,
  settle,
  stretchesIn,
} from "./segment-format.ts";

/**
 * Limits for the part of a segment that is not indexed. Scanning a part within these limits takes less time than
 * writing an index.
 */
const UNINDEXED_RECORDS = 200;
const UNINDEXED_BYTES = 256 * 1024;

/** What this store has read from one segment: the part that the index covers, and the part after that. */
export class Segment {
  readonly places: SegmentPlaces;
  readonly #disk: Disk;
  readonly read: ReadAt;
  #index: SegmentIndex | undefined;
  #sure: Rows = new Map();
  #doubtful: Rows = new Map();
  #loose: Rows = new Map();
  /** The position up to which everything is settled. */
  #settledEnd = 0;
  #size = 0;
  #lock: "free" | "held" | "ours" = "held";
  #isLoaded = false;

  constructor(disk: Disk, places: SegmentPlaces, read: ReadAt) {
    this.#disk = disk;
    this.places = places;
    this.read = read;
  }

  get id(): string {
    return this.places.id;
  }

  get size(): number {
    return this.#size;
  }

  get lock(): "free" | "held" | "ours" {
    return this.#lock;
  }

  get records(): number {
    return (this.#index?.count ?? 0) + this.#sure.size + this.#doubtful.size + this.#loose.size;
  }

  /** Checks whether the object is stored durably and therefore need not be written again. */
  holds(key: Key): boolean {
    return this.#sure.has(key.hash) || this.#index?.find(key, "sure") !== undefined;
  }

  /** Returns the position of the object, whether or not the object is durable. */
  find(key: Key): Row | undefined {
    const { hash } = key;
    const unindexed = this.#sure.get(hash) ?? this.#loose.get(hash) ?? this.#doubtful.get(hash);
    return unindexed ?? this.#index?.find(key, "any");
  }

  each(visit: (hash: ObjectHash, row: Row) => void): void {
    this.#index?.each(visit);
    for (const rows of [this.#sure, this.#doubtful, this.#loose]) {
      for (const [hash, row] of rows) visit(hash, row);
    }
  }

  /**
   * Reads the data that was added since the last call. If no data was added, the call costs one or two stat calls.
   * Throws ENOENT if the segment no longer exists.
   */
  refresh(): void {
    if (this.#lock === "ours") return;
    const size = this.#sizeNow();
    if (!this.#isLoaded) this.#load(size);
    if (size < this.#settledEnd) this.#forget(size);
    if (this.#lock === "free" && size === this.#size && size === this.#settledEnd) return;
    const stretches = stretchesIn(this.read, { from: this.#settledEnd, to: size });
    // The lock is checked after reading, because a writer that has already ended has either synced or truncated what
    // was read.
    const isFree = this.#disk.stat(this.places.lock) === undefined && this.#sizeNow() >= size;
    this.#lock = isFree ? "free" : "held";
    this.#take(stretches);
    this.#size = size;
  }

  /** Reads everything after the settled part. Only the holder of the lock may call this method. */
  unsettled(): { readonly stretches: readonly Stretch[]; readonly range: ScanRange } {
    const to = this.#sizeNow();
    if (!this.#isLoaded) this.#load(to);
    if (to < this.#settledEnd) this.#forget(to);
    const range = { from: this.#settledEnd, to };
    return { stretches: stretchesIn(this.read, range), range };
  }

  /**
   * Checks whether the segment begins with our magic bytes. Data in a newer format cannot be interpreted and must not
   * be truncated.
   */
  isOurFormat(): boolean {
    const begin = this.read(0, SEGMENT_MAGIC.length);
    return begin.equals(SEGMENT_MAGIC.subarray(0, begin.length));
  }

  /**
   * Marks the segment as ours. Called when this store becomes the segment's only writer. By then, the segment is
   * durable and ends at `end`.
   */
  own(end: number, stretches: readonly Stretch[]): void {
    this.#lock = "free";
    this.#take(stretches.filter((each) => each.end <= end));
    this.#settledEnd = end;
    this.#lock = "ours";
    this.#isLoaded = true;
    this.#size = end;
  }

  /** Adds the records that this store has appended and synced. */
  add(rows: Iterable<readonly [ObjectHash, Row]>, end: number): void {
    for (const [hash, row] of rows) this.#sure.set(hash, row);
    this.#settledEnd = end;
    this.#size = end;
  }

  disown(): void {
    this.#lock = "free";
  }

  /**
   * Writes the index again if enough records are missing from it. Ignores failures, because a missing index only costs
   * time later.
   */
  writeIndex(when: "always" | "worthwhile"): void {
    if (this.#lock === "held" || !this.#isIndexWanted(when)) return;
    const [sure, doubtful] = [new Map(this.#sure), new Map(this.#doubtful)];
    this.#index?.each((hash, row, trust) => {
      if (!sure.has(hash)) (trust === "sure" ? sure : doubtful).set(hash, row);
    });
    const bytes = encodeIndex({ covered: this.#settledEnd, sure, doubtful });
    const temporary = `${this.places.index}.${randomUUID()}`;
    try {
      writeNew(this.#disk, temporary, bytes);
      this.#disk.rename(temporary, this.places.index);
    } catch {
      tryToRemove(this.#disk, temporary);
      return;
    }
    this.#index = SegmentIndex.of(bytes);
    this.#sure = new Map();
    this.#doubtful = new Map();
  }

  #isIndexWanted(when: "always" | "worthwhile"): boolean {
    const records = this.#sure.size + this.#doubtful.size;
    if (when === "always" || records === 0) return records > 0;
    return records > UNINDEXED_RECORDS || this.#settledEnd - (this.#index?.covered ?? 0) > UNINDEXED_BYTES;
  }

  #take(stretches: readonly Stretch[]): void {
    const lock = this.#lock === "free" ? "free" : "held";
    const { sure, doubtful, loose, end } = settle(stretches, this.#settledEnd, lock);
    for (const [hash, row] of sure) this.#sure.set(hash, row);
    for (const [hash, row] of doubtful) this.#doubtful.set(hash, row);
    this.#loose = loose;
    this.#settledEnd = end;
  }

  /**
   * Forgets everything about a segment whose file is now shorter than its durable part was. Our writers never shorten a
   * file in this way, so nothing that was read from the file is valid.
   */
  #forget(size: number): void {
    this.#index = undefined;
    this.#sure = new Map();
    this.#doubtful = new Map();
    this.#settledEnd = 0;
    this.#load(size);
  }

  #load(size: number): void {
    const index = this.#readIndex(size);
    this.#index = index;
    this.#settledEnd = index?.covered ?? 0;
    this.#isLoaded = true;
  }

  /**
   * Returns the index if it matches the segment. The index must be intact, it must not cover more than the segment, and
   * its last record must be at the recorded position.
   */
  #readIndex(size: number): SegmentIndex | undefined {
    let bytes: Buffer;
    try {
      bytes = readWhole(this.#disk, this.places.index);
    } catch {
      // The error is ignored, because the segment itself contains the same data.
      return undefined;
    }
    const index = SegmentIndex.of(bytes);
    if (index === undefined || index.covered > size) return undefined;
    const last = readHeader(this.read(index.lastAt, HEADER_BYTES));
    if (last === undefined) return undefined;
    const row = index.find({ hash: last.hash, bytes: Buffer.from(last.hash, "hex") }, "any");
    return row?.at === index.lastAt ? index : undefined;
  }

  #sizeNow(): number {
    const stat = this.#disk.stat(this.places.segment);
    if (stat !== undefined) return stat.size;
    throw Object.assign(new Error(`ENOENT: ${this.places.segment}`), { code: "ENOENT" });
  }
}

/**
 * The index of a segment is a cache that covers the first part of the segment. It consists of a 40-byte header, 256
 * numbers, the sorted hashes, and a 16-byte row for each hash. Number n counts the hashes whose first byte is at most
 * n.
 *
 * | at | bytes | |
 * |---|---|---|
 * | 0 | 8 | `wlidx 1` and a line break |
 * | 8 | 6 | how many bytes of the segment the index covers |
 * | 14 | 4 | how many records the index covers |
 * | 18 | 4 | where the last of these records begins |
 * | 22 | 14 | 0 |
 * | 36 | 4 | crc32 of everything else |
 *
 * The index is searched without being decoded, because opening a store with 100,000 objects must not create 100,000
 * JavaScript objects.
 */
const MAGIC = Buffer.from("wlidx 1\n", "latin1");
const HEAD_BYTES = 40;
const SUM_AT = 36;
const FAN_BYTES = 256 * 4;
const HASHES_AT = HEAD_BYTES + FAN_BYTES;
const HASH_BYTES = 32;
const ROW_BYTES = 16;
/** Flag that is added to the kind's code if the record is damaged or comes after damage. */
const DOUBTFUL = 0x100;

/** A hash, both as text and as bytes. */
export interface Key {
  readonly hash: ObjectHash;
  readonly bytes: Buffer;
}

export function keyOf(hash: ObjectHash): Key {
  return { hash, bytes: Buffer.from(hash, "hex") };
}

class SegmentIndex {
  readonly covered: number;
  readonly count: number;
  /** The position of the last record that the index covers. */
  readonly lastAt: number;
  readonly #bytes: Buffer;

  private constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.covered = bytes.readUIntLE(8, 6);
    this.count = bytes.readUInt32LE(14);
    this.lastAt = bytes.readUInt32LE(18);
  }

  /** Wraps the bytes of an index. Returns undefined if the bytes are not an intact index. */
  static of(bytes: Buffer): SegmentIndex | undefined {
    if (bytes.length < HASHES_AT || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
    if (sumOf(bytes) !== bytes.readUInt32LE(SUM_AT)) return undefined;
    const index = new SegmentIndex(bytes);
    const isWhole = bytes.length === HASHES_AT + index.count * (HASH_BYTES + ROW_BYTES);
    return isWhole ? index : undefined;
  }

  find(key: Key, which: "sure" | "any"): Row | undefined {
    const number = this.#numberOf(key.bytes);
    if (number === undefined) return undefined;
    return which === "any" || this.#isSure(number) ? this.#row(number) : undefined;
  }

  each(visit: (hash: ObjectHash, row: Row, trust: "sure" | "doubtful") => void): void {
    for (let number = 0; number < this.count; number += 1) {
      const at = HASHES_AT + number * HASH_BYTES;
      const hash = this.#bytes.toString("hex", at, at + HASH_BYTES) as ObjectHash;
      visit(hash, this.#row(number), this.#isSure(number) ? "sure" : "doubtful");
    }
  }

  /** Searches the hashes that begin with the same byte, comparing four bytes at a time. */
  #numberOf(key: Buffer): number | undefined {
    const bytes = this.#bytes;
    const first = key[0] ?? 0;
    const prefix = key.readUInt32BE(0);
    let low = first === 0 ? 0 : bytes.readUInt32LE(HEAD_BYTES + (first - 1) * 4);
    const end = bytes.readUInt32LE(HEAD_BYTES + first * 4);
    for (let high = end; low < high; ) {
      const middle = (low + high) >>> 1;
      if (bytes.readUInt32BE(HASHES_AT + middle * HASH_BYTES) < prefix) low = middle + 1;
      else high = middle;
    }
    for (; low < end; low += 1) {
      const at = HASHES_AT + low * HASH_BYTES;
      if (bytes.readUInt32BE(at) !== prefix) return undefined;
      if (key.compare(bytes, at, at + HASH_BYTES) === 0) return low;
    }
    return undefined;
  }

  #row(number: number): Row {
    const at = this.#rowAt(number);
    const bytes = this.#bytes;
    return {
      at: bytes.readUInt32LE(at),
      packedBytes: bytes.readUInt32LE(at + 4),
      rawBytes: bytes.readUInt32LE(at + 8),
      kind: kindOfCode(bytes.readUInt32LE(at + 12) & 0xff) ?? "content",
    };
  }

  #isSure(number: number): boolean {
    return (this.#bytes.readUInt32LE(this.#rowAt(number) + 12) & DOUBTFUL) === 0;
  }

  #rowAt(number: number): number {
    return HASHES_AT + this.count * HASH_BYTES + number * ROW_BYTES;
  }
}

function encodeIndex({
  covered,
  sure,
  doubtful,
}: {
  readonly covered: number;
  readonly sure: Rows;
  readonly doubtful: Rows;
}): Buffer {
  const rows = new Map([...doubtful, ...sure]);
  const hashes = [...rows.keys()].sort();
  const bytes = Buffer.alloc(HASHES_AT + hashes.length * (HASH_BYTES + ROW_BYTES));
  const fan = new Uint32Array(256);
  let lastAt = 0;
  for (const [number, hash] of hashes.entries()) {
    const row = rows.get(hash);
    if (row === undefined) continue;
    bytes.write(hash, HASHES_AT + number * HASH_BYTES, "hex");
    const first = bytes[HASHES_AT + number * HASH_BYTES] ?? 0;
    fan[first] = (fan[first] ?? 0) + 1;
    const at = HASHES_AT + hashes.length * HASH_BYTES + number * ROW_BYTES;
    bytes.writeUInt32LE(row.at, at);
    bytes.writeUInt32LE(row.packedBytes, at + 4);
    bytes.writeUInt32LE(row.rawBytes, at + 8);
    bytes.writeUInt32LE(codeOfKind(row.kind) | (sure.has(hash) ? 0 : DOUBTFUL), at + 12);
    lastAt = Math.max(lastAt, row.at);
  }
  let before = 0;
  for (const [first, count] of fan.entries()) {
    before += count;
    bytes.writeUInt32LE(before, HEAD_BYTES + first * 4);
  }
  bytes.set(MAGIC, 0);
  bytes.writeUIntLE(covered, 8, 6);
  bytes.writeUInt32LE(hashes.length, 14);
  bytes.writeUInt32LE(lastAt, 18);
  bytes.writeUInt32LE(sumOf(bytes), SUM_AT);
  return bytes;
}

function sumOf(bytes: Buffer): number {
  return crc32(bytes.subarray(HEAD_BYTES), crc32(bytes.subarray(0, SUM_AT)));
}
