import type { Checksum, LineFault } from "./codec.ts";
import { decodeLine, NEWLINE, SEAL_LENGTH, SEAL_START } from "./codec.ts";
import type { Entry } from "./entry.ts";

/** One stretch of bytes of a log: an entry, or bytes that are none. */
export type Stretch =
  | { readonly entry: Entry; readonly start: number; readonly length: number }
  | {
      readonly entry?: undefined;
      readonly fault: LineFault;
      readonly start: number;
      readonly length: number;
    };

export interface ReadLines {
  readonly stretches: readonly Stretch[];
  /** How many bytes were whole lines; what follows has no newline yet. */
  readonly consumed: number;
}

/** More beginnings than this in one damaged line are not ours, and looking for them costs squares. */
const MOST_GLUED = 64;
const BEGINNING = bytesOf('{"seq":');
const SEAL = bytesOf(SEAL_START);
const MARK = bytesOf("\ufeff");
const RETURN = 0x0d;

/**
 * Reads all whole lines of `bytes`. Lines end at `\n` and nowhere else: U+2028 is text. What an editor
 * or a transfer puts around a line, a byte order mark before it and a `\r` behind it, is no part of it.
 */
export function readLines(bytes: Uint8Array, checksum: Checksum): ReadLines {
  const stretches: Stretch[] = [];
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
    readLine(bytes, { start, end, checksum }, stretches);
    start = end + 1;
  }
  return { stretches, consumed: start };
}

/**
 * What a log ends with after its last newline: nothing, a whole entry that lacks only its
 * newline, entries glued to a stump, or torn bytes.
 */
export function readTail(tail: Uint8Array, checksum: Checksum): "empty" | "unended" | "torn" {
  if (tail.length === 0) return "empty";
  const stretches: Stretch[] = [];
  readLine(tail, { start: 0, end: tail.length, checksum }, stretches);
  return stretches.some((stretch) => stretch.entry !== undefined) ? "unended" : "torn";
}

interface Line {
  readonly start: number;
  readonly end: number;
  readonly checksum: Checksum;
}

function readLine(bytes: Uint8Array, line: Line, into: Stretch[]): void {
  const { checksum } = line;
  const start = line.start + (startsWith(bytes, MARK, line.start) ? MARK.length : 0);
  const end = line.end > start && bytes[line.end - 1] === RETURN ? line.end - 1 : line.end;
  const content = bytes.subarray(start, end);
  if (isBlank(content)) return;
  const decoded = decodeLine(content, checksum);
  if (decoded.ok) {
    into.push({ entry: decoded.entry, start, length: end - start });
    return;
  }
  const found = splitGlued(content, checksum);
  if (found.length === 0) {
    into.push({ fault: decoded.fault, start, length: end - start });
    return;
  }
  into.push(
    ...withGaps(found, content.length).map((stretch) => ({ ...stretch, start: stretch.start + start })),
  );
}

/** Entries that were written without the newline between them, or behind a stump. */
function splitGlued(line: Uint8Array, checksum: Checksum): Stretch[] {
  const found: Stretch[] = [];
  const ends = positionsOf(line, SEAL).map((seal) => seal + SEAL_LENGTH);
  let from = 0;
  for (const start of positionsOf(line, BEGINNING)) {
    if (start < from) continue;
    for (const end of ends) {
      if (end <= start || end > line.length) continue;
      const decoded = decodeLine(line.subarray(start, end), checksum);
      if (!decoded.ok) continue;
      found.push({ entry: decoded.entry, start, length: end - start });
      from = end;
      break;
    }
  }
  return found;
}

/** The bytes between the entries are damage, and are reported as such. */
function withGaps(found: readonly Stretch[], length: number): Stretch[] {
  const all: Stretch[] = [];
  let at = 0;
  for (const stretch of found) {
    if (stretch.start > at) all.push({ fault: "checksum", start: at, length: stretch.start - at });
    all.push(stretch);
    at = stretch.start + stretch.length;
  }
  if (at < length) all.push({ fault: "checksum", start: at, length: length - at });
  return all;
}

function positionsOf(line: Uint8Array, wanted: Uint8Array): number[] {
  const positions: number[] = [];
  const first = wanted[0] ?? 0;
  for (
    let at = line.indexOf(first);
    at !== -1 && positions.length < MOST_GLUED;
    at = line.indexOf(first, at + 1)
  ) {
    if (startsWith(line, wanted, at)) positions.push(at);
  }
  return positions;
}

function startsWith(bytes: Uint8Array, wanted: Uint8Array, at: number): boolean {
  return wanted.every((byte, offset) => bytes[at + offset] === byte);
}

function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
