import { constants, crc32, deflateRawSync, inflateRawSync } from "node:zlib";
import { type DecodedLine, decodeLine, encodeEntry, isReadable } from "../../../record/codec.ts";
import type { Entry } from "../../../record/entry.ts";
import { WorldlineError } from "../../../record/error.ts";

/** A line begins with a brace; what begins with this byte is one that was deflated. */
const DEFLATED = 1;
/** Below it, deflating saves less than the byte that says so and the time. */
const SHORTEST = 256;

/** The line of an entry as a row keeps it. A line that could not be read back is not written. */
export function packEntry(entry: Entry, seq: number): Uint8Array {
  if (entry.seq !== seq) throw new WorldlineError("entry-misplaced", { line: seq, seq: entry.seq });
  if (!isReadable(entry)) {
    throw new WorldlineError("entry-malformed", { seq: entry.seq, kind: entry.kind });
  }
  return pack(encodeEntry(entry, crc32));
}

/** The entries of consecutive lines, from `first` on. */
export function packEntries(entries: readonly Entry[], first: number): readonly Uint8Array[] {
  return entries.map((entry, at) => packEntry(entry, first + at));
}

/** The entry of a row, which must be the one of its line: rows can be put in another's place, too. */
export function unpackEntry(row: Uint8Array, seq: number): DecodedLine {
  const line = unpack(row);
  if (line === undefined) return { ok: false, fault: "checksum" };
  const decoded = decodeLine(line.subarray(0, -1), crc32);
  return decoded.ok && decoded.entry.seq !== seq ? { ok: false, fault: "shape" } : decoded;
}

/** What can still be made out of a row that is no entry. */
export function scrapOf(row: Uint8Array): Uint8Array {
  if (row[0] !== DEFLATED) return row;
  const whole = unpack(row);
  if (whole !== undefined) return whole;
  // Up to where the bytes stop making sense, which each longer piece does too.
  let [good, bad] = [1, row.length];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (inflate(row.subarray(1, middle), "a beginning") === undefined) bad = middle;
    else good = middle;
  }
  return inflate(row.subarray(1, good), "a beginning") ?? new Uint8Array();
}

/** Long lines are deflated: without that a table takes a third more than the texts in it (docs/decisions/0015). */
function pack(line: Uint8Array): Uint8Array {
  if (line.length < SHORTEST) return line;
  const deflated = deflateRawSync(line, { level: 1 });
  if (deflated.length + 1 >= line.length) return line;
  const packed = new Uint8Array(deflated.length + 1);
  packed[0] = DEFLATED;
  packed.set(deflated, 1);
  return packed;
}

function unpack(row: Uint8Array): Uint8Array | undefined {
  return row[0] === DEFLATED ? inflate(row.subarray(1), "all of it") : row;
}

function inflate(bytes: Uint8Array, what: "all of it" | "a beginning"): Uint8Array | undefined {
  try {
    const finishFlush = what === "all of it" ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
    return inflateRawSync(bytes, { finishFlush });
  } catch {
    return undefined;
  }
}
