import { packId } from "../../../record/ids.ts";
import type { Row } from "../../../timeline/row.ts";
import { codeOf, KINDS, type PackedRow } from "../../../timeline/row.ts";
import { FAULT_REASONS, type Fault } from "../loading/fault.ts";
import type { Place } from "../log/positions.ts";
import type { NumberReader, NumberWriter } from "./numbers.ts";

/** Byte 0 of a record; else the code of the entry's kind. */
const GAP = 0;
const FAULT = 255;

const REPLY = codeOf("reply");
const NUMBERED: ReadonlySet<number> = new Set(
  (["checkpoint", "step", "snapshot", "session"] as const).map((kind) => codeOf(kind)),
);
const UINT32 = 0xffff_ffff;
const MOST_TIME = 2 ** 50;

/**
 * What the next record is told against: each says only how it differs from the one before, so that a record
 * takes some 20 bytes and an index little beside its log. A chunk begins afresh, and can be read alone.
 */
export interface Before {
  file: number;
  /** Where the next line begins if nothing lies between. */
  offset: number;
  at: number;
  number: number;
  leg: number;
}

export function freshBefore(): Before {
  return { file: 0, offset: 0, at: 0, number: 0, leg: 0 };
}

/** Whether a record can hold the row: usage comes from providers, and may be any number. */
export function fits(row: Row, place: Place): boolean {
  return (
    isWhole(row.number) &&
    isWhole(row.estimate) &&
    isWhole(row.input) &&
    isWhole(row.output) &&
    isWhole(place.offset) &&
    isWhole(place.length) &&
    Number.isSafeInteger(row.at) &&
    Math.abs(row.at) < MOST_TIME &&
    row.seq <= UINT32
  );
}

function isWhole(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

export function writeRow(
  into: NumberWriter,
  before: Before,
  { row, place }: { row: Row; place: Place },
): void {
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

export function writeGap(into: NumberWriter): void {
  into.byte(GAP);
}

export function writeFault(into: NumberWriter, before: Before, fault: Fault): void {
  into.byte(FAULT);
  into.byte(FAULT_REASONS.indexOf(fault.why));
  into.whole(fault.lines);
  writePlace(into, before, fault);
}

/** Rows and places are the same two objects each time, with other numbers: 200,000 would be garbage at once. */
export interface RecordTaker {
  row(row: PackedRow, place: Place): void;
  gap(): void;
  fault(fault: Fault): void;
}

/** Reads `count` records, the first of them for line `seq`. False when they are not what they say they are. */
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

/** A line mostly begins right behind the newline of the one before it, in the same file. */
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
