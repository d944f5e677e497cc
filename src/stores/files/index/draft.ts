import { crc32 } from "node:zlib";
import type { Row } from "../../../timeline/outline.ts";
import type { Fault } from "../loading/fault.ts";
import type { Place } from "../log/positions.ts";
import { RECORD_BYTES, writeFault, writeGap, writeRow } from "./record.ts";

/** Records per chunk. What a crash takes from the index is read from the log again: at most this many lines. */
export const CHUNK_RECORDS = 4096;
export const CHUNK_HEAD_BYTES = 8;

const CHUNK_BYTES = CHUNK_HEAD_BYTES + CHUNK_RECORDS * RECORD_BYTES;
/** Most sessions are small: the first piece of memory is too. */
const FIRST_BYTES = CHUNK_HEAD_BYTES + 64 * RECORD_BYTES;

/** Rows that are to be added to the index, as the chunks that will be written. */
export class IndexDraft {
  #full: Buffer[] = [];
  #open: Buffer = Buffer.alloc(0);
  #count = 0;
  #stopped = false;

  addRow(row: Row, place: Place): void {
    this.#add((into, at) => writeRow(into, at, { row, place }));
  }

  addGap(): void {
    this.#add((into, at) => {
      writeGap(into, at);
      return true;
    });
  }

  addFault(fault: Fault): void {
    this.#add((into, at) => {
      writeFault(into, at, fault);
      return true;
    });
  }

  /** The index never guesses: it ends before what it cannot hold, and an opening reads the log from there. */
  stop(): void {
    this.#stopped = true;
  }

  get hasFullChunk(): boolean {
    return this.#full.length > 0;
  }

  /** The chunks so far; they are no longer part of the draft. */
  takeChunks(): Buffer[] {
    if (this.#count > 0) this.#seal();
    const chunks = this.#full;
    this.#full = [];
    return chunks;
  }

  #add(write: (into: Buffer, at: number) => boolean): void {
    if (this.#stopped) return;
    const at = CHUNK_HEAD_BYTES + this.#count * RECORD_BYTES;
    if (at + RECORD_BYTES > this.#open.length) this.#grow();
    if (!write(this.#open, at)) {
      this.#stopped = true;
      return;
    }
    this.#count += 1;
    if (this.#count === CHUNK_RECORDS) this.#seal();
  }

  #grow(): void {
    const room = Math.min(CHUNK_BYTES, Math.max(FIRST_BYTES, this.#open.length * 4));
    const larger = Buffer.alloc(room);
    this.#open.copy(larger);
    this.#open = larger;
  }

  #seal(): void {
    const chunk = this.#open.subarray(0, CHUNK_HEAD_BYTES + this.#count * RECORD_BYTES);
    chunk.writeUInt32LE(this.#count, 0);
    chunk.writeUInt32LE(crc32(chunk.subarray(CHUNK_HEAD_BYTES)), 4);
    this.#full.push(chunk);
    this.#open = Buffer.alloc(0);
    this.#count = 0;
  }
}
