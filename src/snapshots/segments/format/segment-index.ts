import { crc32 } from "node:zlib";
import type { ObjectHash } from "../../../record/ids.ts";
import { codeOfKind, kindOfCode } from "./segment-record.ts";
import type { Row, Rows } from "./settled.ts";

/**
 * The index of a segment, a cache that covers a part from its beginning: a head of 40 bytes, 256 numbers (how
 * many hashes begin with up to that byte), the hashes in order, and a row of 16 bytes for each.
 *
 * | at | bytes | |
 * |---|---|---|
 * | 0 | 8 | `wlidx 1` and a line break |
 * | 8 | 6 | how many bytes of the segment it covers |
 * | 14 | 4 | how many records |
 * | 18 | 4 | where the last of them begins |
 * | 22 | 14 | 0 |
 * | 36 | 4 | crc32 of everything else |
 *
 * It is searched as it lies there: opening a store of 100,000 objects must not make 100,000 of anything.
 */
const MAGIC = Buffer.from("wlidx 1\n", "latin1");
const HEAD_BYTES = 40;
const SUM_AT = 36;
const FAN_BYTES = 256 * 4;
const HASHES_AT = HEAD_BYTES + FAN_BYTES;
const HASH_BYTES = 32;
const ROW_BYTES = 16;
/** Beside the kind's code: the record is damaged, or stands behind damage. */
const DOUBTFUL = 0x100;

/** A hash as text and as bytes. */
export interface Key {
  readonly hash: ObjectHash;
  readonly bytes: Buffer;
}

export function keyOf(hash: ObjectHash): Key {
  return { hash, bytes: Buffer.from(hash, "hex") };
}

export class SegmentIndex {
  readonly covered: number;
  readonly count: number;
  /** Where the last record begins that it covers. */
  readonly lastAt: number;
  readonly #bytes: Buffer;

  private constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.covered = bytes.readUIntLE(8, 6);
    this.count = bytes.readUInt32LE(14);
    this.lastAt = bytes.readUInt32LE(18);
  }

  /** Undefined when these bytes are not what was written. */
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

  /** Searches among those that begin with the same byte, comparing four bytes at a time. */
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

export interface Indexed {
  readonly covered: number;
  readonly sure: Rows;
  readonly doubtful: Rows;
}

export function encodeIndex({ covered, sure, doubtful }: Indexed): Buffer {
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
