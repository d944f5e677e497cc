import { crc32 } from "node:zlib";
import { packId } from "../../record/ids.ts";
import { codeOf, KINDS, type PackedRow, type Row } from "../../timeline/row.ts";
import { FAULT_REASONS, type Fault, type Place } from "./places.ts";

/** First byte of a record that is not an entry. For an entry, the first byte is the code of the entry's kind. */
const GAP = 0;
const FAULT = 255;

const REPLY = codeOf("reply");
const NUMBERED: ReadonlySet<number> = new Set(
  (["checkpoint", "step", "snapshot", "session"] as const).map((kind) => codeOf(kind)),
);
const UINT32 = 0xffff_ffff;
const MAX_TIME = 2 ** 50;

/**
 * Values from which the next record's differences are computed. A record stores only differences from the previous
 * record. A record therefore takes up about 20 bytes, and an index stays small compared to its log. The values are
 * reset in each chunk, so that a chunk can be read by itself.
 */
interface Before {
  file: number;
  /** The position of the next line if it directly follows the previous line. */
  offset: number;
  at: number;
  number: number;
  leg: number;
}

function freshBefore(): Before {
  return { file: 0, offset: 0, at: 0, number: 0, leg: 0 };
}

/** Checks whether a record can store the row. The usage in a row comes from the provider and may be any number. */
function fits(row: Row, place: Place): boolean {
  return (
    isWhole(row.number) &&
    isWhole(row.estimate) &&
    isWhole(row.input) &&
    isWhole(row.output) &&
    isWhole(place.offset) &&
    isWhole(place.length) &&
    Number.isSafeInteger(row.at) &&
    Math.abs(row.at) < MAX_TIME &&
    row.seq <= UINT32
  );
}

function isWhole(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function writeRow(into: NumberWriter, before: Before, { row, place }: { row: Row; place: Place }): void {
  const { idHigh, idLow } = packId(row.id);
  const code = codeOf(row.kind);
  into.byte(code);
  into.uint32(idHigh);
  into.uint32(idLow);
  writePlace(into, before, place);
  into.whole(row.seq - row.parent);
  into.whole(row.leg === before.leg ? 0 : row.leg + 1);
  into.signed(row.at - before.at);
  into.whole(row.estimate);
  if (NUMBERED.has(code)) {
    into.signed(row.number - before.number);
    before.number = row.number;
  }
  if (code === REPLY) {
    into.whole(row.input);
    into.whole(row.output);
  }
  before.at = row.at;
  before.leg = row.leg;
}

function writeGap(into: NumberWriter): void {
  into.byte(GAP);
}

function writeFault(into: NumberWriter, before: Before, fault: Fault): void {
  into.byte(FAULT);
  into.byte(FAULT_REASONS.indexOf(fault.why));
  into.whole(fault.lines);
  writePlace(into, before, fault);
}

/**
 * Receives the records. Every call receives the same two objects with new values, because separate objects for 200,000
 * records would immediately become garbage.
 */
export interface RecordTaker {
  row(row: PackedRow, place: Place): void;
  gap(): void;
  fault(fault: Fault): void;
}

/** Reads `count` records, starting with the record for line `seq`. Returns false if the data is not valid. */
export function readRecords(
  from: NumberReader,
  first: { readonly seq: number; readonly count: number },
  taker: RecordTaker,
): boolean {
  const before = freshBefore();
  const row = emptyRow();
  const place = { file: 0, offset: 0, length: 0 };
  let { seq } = first;
  for (let index = 0; index < first.count; index += 1) {
    const code = from.byte();
    if (code === FAULT) {
      taker.fault(readFault(from, before));
      continue;
    }
    if (code > KINDS.length) return false;
    if (code === GAP) taker.gap();
    else {
      row.code = code;
      row.idHigh = from.uint32();
      row.idLow = from.uint32();
      readPlace(from, before, place);
      row.parent = seq - from.whole();
      readNumbers(from, before, row);
      taker.row(row, place);
    }
    seq += 1;
  }
  return from.isOver === "exactly";
}

type Writable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

function readNumbers(from: NumberReader, before: Before, row: Writable<PackedRow>): void {
  const leg = from.whole();
  row.leg = leg === 0 ? before.leg : leg - 1;
  row.at = before.at + from.signed();
  row.estimate = from.whole();
  row.number = 0;
  if (NUMBERED.has(row.code)) {
    row.number = before.number + from.signed();
    before.number = row.number;
  }
  row.input = row.code === REPLY ? from.whole() : 0;
  row.output = row.code === REPLY ? from.whole() : 0;
  before.at = row.at;
  before.leg = row.leg;
}

function readFault(from: NumberReader, before: Before): Fault {
  const why = FAULT_REASONS[from.byte()] ?? "checksum";
  const lines = from.whole();
  const place = { file: 0, offset: 0, length: 0 };
  readPlace(from, before, place);
  return { ...place, why, lines };
}

/** Writes a position. Most lines begin directly after the newline of the previous line, in the same file. */
function writePlace(into: NumberWriter, before: Before, place: Place): void {
  into.signed(place.file - before.file);
  into.signed(place.offset - (place.file === before.file ? before.offset : 0));
  into.whole(place.length);
  before.file = place.file;
  before.offset = place.offset + place.length + 1;
}

function readPlace(from: NumberReader, before: Before, into: Writable<Place>): void {
  const step = from.signed();
  into.file = before.file + step;
  into.offset = (step === 0 ? before.offset : 0) + from.signed();
  into.length = from.whole();
  before.file = into.file;
  before.offset = into.offset + into.length + 1;
}

function emptyRow(): Writable<PackedRow> {
  const zeros = { parent: 0, at: 0, number: 0, estimate: 0, input: 0, output: 0, leg: 0 };
  return { code: 0, idHigh: 0, idLow: 0, ...zeros };
}

/**
 * Number of records in a chunk. If a crash damages the last chunk, at most this many lines are read from the log again.
 */
export const CHUNK_RECORDS = 4096;
/**
 * Size of a chunk's header, which contains the number of records, the number of bytes, and the crc32 of these bytes.
 */
export const CHUNK_HEAD_BYTES = 12;

/** Collects rows for the index, and encodes them as chunks. */
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

  /**
   * Ends the index before an entry that cannot be stored in a record. The index never guesses. The next time the log is
   * opened, the log itself is read, starting with this entry.
   */
  stop(): void {
    this.#stopped = true;
  }

  get isStopped(): boolean {
    return this.#stopped;
  }

  get hasFullChunk(): boolean {
    return this.#full.length > 0;
  }

  /** Returns the collected chunks, and removes them from the draft. */
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

/**
 * Bit that is set in every byte of a number except the last. Numbers are stored with seven bits in each byte. Most
 * numbers are small and take one byte.
 */
const CONTINUES = 0x80;
const SEVEN_BITS = 0x80;
/** Maximum length of a number in bytes. 53 bits take at most eight bytes. */
const MAX_NUMBER_BYTES = 8;

/** Writes numbers one after another to a buffer that grows as needed. */
class NumberWriter {
  #bytes = Buffer.allocUnsafe(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  byte(value: number): void {
    this.#room(1);
    this.#bytes[this.#length] = value;
    this.#length += 1;
  }

  uint32(value: number): void {
    this.#room(4);
    this.#length = this.#bytes.writeUInt32LE(value, this.#length);
  }

  /** Writes an integer from 0 to 2^53 - 1. */
  whole(value: number): void {
    this.#room(MAX_NUMBER_BYTES);
    let rest = value;
    while (rest >= SEVEN_BITS) {
      this.#bytes[this.#length] = (rest % SEVEN_BITS) | CONTINUES;
      this.#length += 1;
      rest = Math.floor(rest / SEVEN_BITS);
    }
    this.#bytes[this.#length] = rest;
    this.#length += 1;
  }

  /** Writes an integer of either sign. 0, -1, 1, -2, … are stored as 0, 1, 2, 3, … */
  signed(value: number): void {
    this.whole(value < 0 ? -2 * value - 1 : 2 * value);
  }

  /** Returns a copy of the bytes that have been written, and starts over. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    return taken;
  }

  #room(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(this.#bytes.length * 2);
    this.#bytes.copy(larger);
    this.#bytes = larger;
  }
}

/**
 * Reads what a `NumberWriter` wrote. Every number that is read after the end is 0, so the caller must check `isOver`
 * when it has finished reading.
 */
export class NumberReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /**
   * Whether all bytes have been read. "exactly" means that every byte was read. "beyond" means that the reader went
   * past the end.
   */
  get isOver(): "not yet" | "exactly" | "beyond" {
    if (this.#at === this.#bytes.length) return "exactly";
    return this.#at < this.#bytes.length ? "not yet" : "beyond";
  }

  byte(): number {
    const value = this.#bytes[this.#at] ?? 0;
    this.#at += 1;
    return value;
  }

  uint32(): number {
    const bytes = this.#bytes;
    const at = this.#at;
    this.#at = at + 4;
    const low = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
    return low + (bytes[at + 3] ?? 0) * 0x100_0000;
  }

  whole(): number {
    const first = this.byte();
    return first < CONTINUES ? first : this.#longer(first);
  }

  /**
   * Reads a number that takes more than one byte. This is a separate method, so that `whole` stays small enough to be
   * inlined into its callers.
   */
  #longer(first: number): number {
    let byte = first;
    let value = byte - CONTINUES;
    let weight = SEVEN_BITS;
    do {
      byte = this.byte();
      value += (byte % SEVEN_BITS) * weight;
      weight *= SEVEN_BITS;
    } while (byte >= CONTINUES);
    return value;
  }

  signed(): number {
    const value = this.whole();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}
