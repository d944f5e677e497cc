import { type EntryId, toSeq } from "../../../record/ids.ts";
import { shapes } from "../../../record/shape.ts";
import type { Row } from "../../../timeline/outline.ts";
import { FAULT_REASONS, type Fault } from "../loading/fault.ts";
import type { Place } from "../log/positions.ts";

/** The bytes of one record; their layout is in docs/format.md. */
export const RECORD_BYTES = 52;
const ID_LENGTH = 12;

/** Byte 0 of a record. Kinds begin at FIRST_KIND, in the order of KINDS. */
const GAP = 0;
const FAULT = 1;
const FIRST_KIND = 16;
/** The index's first line names their order, so that one of another order is not taken for ours. */
export const KINDS: readonly Row["kind"][] = [...(Object.keys(shapes) as (keyof typeof shapes)[]), "foreign"];
const CODES: ReadonlyMap<Row["kind"], number> = new Map(KINDS.map((kind, at) => [kind, at + FIRST_KIND]));

const UINT32 = 0xffff_ffff;
const INT48 = 0x7fff_ffff_ffff;

export interface RecordReader {
  row(row: Row, place: Place): void;
  gap(): void;
  fault(fault: Fault): void;
}

/** Writes a row's record; returns false, and writes nothing, when a value does not fit. */
export function writeRow(into: Buffer, at: number, { row, place }: { row: Row; place: Place }): boolean {
  const code = CODES.get(row.kind);
  const counted = row.kind === "reply" ? row.input : row.number;
  const words = [row.parent, counted, row.estimate, row.output, row.leg, place.length];
  if (code === undefined || !words.every(isUint32) || !fits(row.at, place)) return false;
  into[at] = code;
  into[at + 1] = 0;
  into.writeUInt16LE(place.file, at + 2);
  into.write(row.id, at + 4, ID_LENGTH, "latin1");
  into.writeUInt32LE(row.parent, at + 16);
  into.writeUInt32LE(counted, at + 20);
  into.writeUInt32LE(row.estimate, at + 24);
  into.writeUInt32LE(row.output, at + 28);
  into.writeUInt32LE(row.leg, at + 32);
  into.writeUInt32LE(place.length, at + 36);
  into.writeUIntLE(place.offset, at + 40, 6);
  into.writeIntLE(row.at, at + 46, 6);
  return true;
}

export function writeGap(into: Buffer, at: number): void {
  into.fill(0, at, at + RECORD_BYTES);
}

export function writeFault(into: Buffer, at: number, fault: Fault): void {
  into.fill(0, at, at + RECORD_BYTES);
  into[at] = FAULT;
  into[at + 1] = FAULT_REASONS.indexOf(fault.why);
  into.writeUInt16LE(fault.file, at + 2);
  into.writeUInt32LE(Math.min(fault.lines, UINT32), at + 20);
  into.writeUInt32LE(Math.min(fault.length, UINT32), at + 36);
  into.writeUIntLE(fault.offset, at + 40, 6);
}

/** Six bytes, unsigned. Node's own method checks its arguments anew for each of a million numbers. */
function readUint48(chunk: Buffer, at: number): number {
  return chunk.readUInt32LE(at) + chunk.readUInt16LE(at + 4) * 2 ** 32;
}

/** Reads the records of a chunk in order. Returns false at the first byte that no record begins with. */
export function readRecords(chunk: Buffer, firstSeq: number, reader: RecordReader): boolean {
  // One string for the chunk, cut into ids: a call into the engine per id was measured to be slower.
  const text = chunk.toString("latin1");
  let seq = firstSeq;
  for (let at = 0; at < chunk.length; at += RECORD_BYTES) {
    const code = chunk[at] ?? GAP;
    if (code === FAULT) {
      reader.fault(readFault(chunk, at));
      continue;
    }
    const kind = KINDS[code - FIRST_KIND];
    if (code === GAP) reader.gap();
    else if (kind === undefined) return false;
    else
      reader.row(
        readRow(chunk, at, { seq, kind, id: text.substring(at + 4, at + 4 + ID_LENGTH) }),
        readPlace(chunk, at),
      );
    seq += 1;
  }
  return true;
}

function readRow(chunk: Buffer, at: number, known: { seq: number; kind: Row["kind"]; id: string }): Row {
  const counted = chunk.readUInt32LE(at + 20);
  const isReply = known.kind === "reply";
  return {
    seq: toSeq(known.seq),
    id: known.id as EntryId,
    parent: chunk.readUInt32LE(at + 16),
    kind: known.kind,
    at: chunk.readUInt32LE(at + 46) + chunk.readInt16LE(at + 50) * 2 ** 32,
    number: isReply ? 0 : counted,
    estimate: chunk.readUInt32LE(at + 24),
    input: isReply ? counted : 0,
    output: chunk.readUInt32LE(at + 28),
    leg: chunk.readUInt32LE(at + 32),
  };
}

function readPlace(chunk: Buffer, at: number): Place {
  return {
    file: chunk.readUInt16LE(at + 2),
    offset: readUint48(chunk, at + 40),
    length: chunk.readUInt32LE(at + 36),
  };
}

function readFault(chunk: Buffer, at: number): Fault {
  const why = FAULT_REASONS[chunk[at + 1] ?? 0] ?? "checksum";
  return { ...readPlace(chunk, at), why, lines: chunk.readUInt32LE(at + 20) };
}

function isUint32(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= UINT32;
}

function fits(time: number, place: Place): boolean {
  return Number.isInteger(time) && Math.abs(time) <= INT48 && place.file <= 0xffff && place.offset <= INT48;
}
