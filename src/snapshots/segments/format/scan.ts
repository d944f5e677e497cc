import { crc32 } from "node:zlib";
import {
  HEADER_BYTES,
  RECORD_MARKER,
  type RecordHeader,
  readHeader,
  SEGMENT_MAGIC,
} from "./segment-record.ts";

/** Reads from a segment; fewer bytes than asked for where it ends. */
export type ReadAt = (position: number, length: number) => Buffer;

/** A part of a segment: a record, or bytes that are none. */
export type Stretch = RecordStretch | GapStretch;

export interface RecordStretch {
  readonly is: "record";
  readonly at: number;
  readonly end: number;
  readonly header: RecordHeader;
  readonly payload: "whole" | "damaged";
  /** "found": behind a gap, where only its looks say that it is a record. */
  readonly reached: "in-order" | "found";
}

export interface GapStretch {
  readonly is: "gap";
  readonly at: number;
  readonly end: number;
}

export interface ScanRange {
  readonly from: number;
  readonly to: number;
}

const BLOCK_BYTES = 1024 * 1024;

/** Goes through a part of a segment, which begins where a record does, or at 0. */
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
    // A record that is cut off has nothing behind it. What looks like a record inside its payload is a file's content.
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

/** Where the next header stands, or the end. */
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

/** Small reads out of large ones. */
class Block {
  readonly end: number;
  readonly #read: ReadAt;
  #start = 0;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(read: ReadAt, end: number) {
    this.#read = read;
    this.end = end;
  }

  /** Fewer where the range ends. */
  bytes(at: number, length: number): Buffer {
    const wanted = Math.min(length, this.end - at);
    if (at < this.#start || at + wanted > this.#start + this.#bytes.length) {
      this.#start = at;
      this.#bytes = this.#read(at, Math.min(Math.max(wanted, BLOCK_BYTES), this.end - at));
    }
    return this.#bytes.subarray(at - this.#start, at - this.#start + wanted);
  }
}
