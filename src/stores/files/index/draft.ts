import { crc32 } from "node:zlib";
import type { Row } from "../../../timeline/row.ts";
import type { Fault } from "../loading/fault.ts";
import type { Place } from "../log/positions.ts";
import { NumberWriter } from "./numbers.ts";
import { fits, freshBefore, writeFault, writeGap, writeRow } from "./record.ts";

/** Records per chunk. What a crash takes from the index is read from the log again: at most this many lines. */
export const CHUNK_RECORDS = 4096;
/** How many records, how many bytes, and the crc32 of these. */
export const CHUNK_HEAD_BYTES = 12;

/** Rows that are to be added to the index, as the chunks that will be written. */
export class IndexDraft {
  readonly #open = new NumberWriter();
  #full: Buffer[] = [];
  #before = freshBefore();
  #count = 0;
  #stopped = false;

  addRow(row: Row, place: Place): void {
    if (this.#stopped) return;
    if (!fits(row, place)) {
      this.stop();
      return;
    }
    writeRow(this.#open, this.#before, { row, place });
    this.#added();
  }

  addGap(): void {
    if (this.#stopped) return;
    writeGap(this.#open);
    this.#added();
  }

  addFault(fault: Fault): void {
    if (this.#stopped) return;
    writeFault(this.#open, this.#before, fault);
    this.#added();
  }

  /** The index never guesses: it ends before what it cannot hold, and an opening reads the log from there. */
  stop(): void {
    this.#stopped = true;
  }

  get isStopped(): boolean {
    return this.#stopped;
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

  #added(): void {
    this.#count += 1;
    if (this.#count === CHUNK_RECORDS) this.#seal();
  }

  #seal(): void {
    const records = this.#open.take();
    const head = Buffer.alloc(CHUNK_HEAD_BYTES);
    head.writeUInt32LE(this.#count, 0);
    head.writeUInt32LE(records.length, 4);
    head.writeUInt32LE(crc32(records), 8);
    this.#full.push(Buffer.concat([head, records]));
    this.#before = freshBefore();
    this.#count = 0;
  }
}
