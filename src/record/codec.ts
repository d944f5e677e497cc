import type { Entry, Forgotten, Origin } from "./entry.ts";
import { type EntryId, isEntryId, type Seq } from "./ids.ts";
import { isJsonObject, type Json, type JsonObject } from "./parts.ts";
import { isKnownKind, misshapenField } from "./shape.ts";

/**
 * A function that computes the CRC32 checksum of the given bytes. The function is passed as an argument, because the
 * fast implementation depends on the platform.
 */
export type Checksum = (bytes: Uint8Array) => number;

/** The length of the seal at the end of every line. A seal consists of `,"sum":"`, eight hex digits, and `"}`. */
export const SEAL_LENGTH = 18;
export const SEAL_START = ',"sum":"';
export const NEWLINE = 0x0a;
const CLOSING_BRACE = 0x7d;

/** The maximum number of UTF-8 bytes for one UTF-16 code unit. */
const MAX_BYTES_A_UNIT = 3;
const scratch = new Uint8Array(64 * 1024);
const encoder = new TextEncoder();
/** The format of `toISOString`. `Date.parse` is slower and accepts other formats, such as times without a time zone. */
const TIME =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z$/;
const HEX = "0123456789abcdef";
const sealBytes = encoder.encode(`${SEAL_START}00000000"}`);
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reasons why a line could not be decoded. */
export type LineFault = "checksum" | "not-json" | "not-utf8" | "shape";

export type DecodedLine =
  | { readonly ok: true; readonly entry: Entry }
  | { readonly ok: false; readonly fault: LineFault };

/** Encodes one entry as a line, including its newline. */
export function encodeEntry(entry: Entry, checksum: Checksum): Uint8Array {
  return encodeEntries([entry], checksum).bytes.slice();
}

export interface EncodedEntries {
  /**
   * The bytes of all lines, one after another. The bytes are valid only until the next call, which reuses the memory.
   */
  readonly bytes: Uint8Array;
  /** The length of each line, including its newline. */
  readonly lengths: readonly number[];
}

/** Encodes entries that are written together. Each string is copied only once, directly into the output buffer. */
export function encodeEntries(entries: readonly Entry[], checksum: Checksum): EncodedEntries {
  const texts = entries.map((entry) => JSON.stringify(lineOf(entry)));
  const bytes = roomFor(texts);
  const lengths: number[] = [];
  let start = 0;
  for (const text of texts) {
    // The seal replaces the object's closing brace and ends with a brace itself.
    const sealAt = start + encoder.encodeInto(text, bytes.subarray(start)).written - 1;
    bytes.set(encodeSeal(checksum(bytes.subarray(start, sealAt))), sealAt);
    bytes[sealAt + SEAL_LENGTH] = NEWLINE;
    const end = sealAt + SEAL_LENGTH + 1;
    lengths.push(end - start);
    start = end;
  }
  return { bytes: bytes.subarray(0, start), lengths };
}

/**
 * Returns a buffer that is large enough for the lines, regardless of the characters that they contain. A buffer that is
 * larger than usual is not kept for the next call.
 */
function roomFor(texts: readonly string[]): Uint8Array {
  let room = 0;
  for (const text of texts) room += text.length * MAX_BYTES_A_UNIT + SEAL_LENGTH + 1;
  return room <= scratch.length ? scratch : new Uint8Array(room);
}

/**
 * Checks whether the entry could be read back from its line. For our own entries, the types ensure this. The check is
 * for entries that other programs wrote.
 */
export function isReadable(entry: Entry): boolean {
  const line = entry as unknown as JsonObject;
  if (entry.kind === "foreign") return isEnvelope(line) && !isKnownKind(entry.foreignKind);
  return isEnvelope(line) && isKnownKind(entry.kind) && misshapenField(entry.kind, line) === undefined;
}

/**
 * Decodes one line, passed without its newline. Each line is decoded independently, so damaged bytes affect only their
 * own line.
 */
export function decodeLine(line: Uint8Array, checksum: Checksum): DecodedLine {
  const body = line.subarray(0, Math.max(0, line.length - SEAL_LENGTH));
  if (!isSealed(line, body, checksum)) return { ok: false, fault: "checksum" };
  const entry = entryWithoutSeal(line);
  return entry === undefined ? { ok: false, fault: faultOf(line) } : { ok: true, entry };
}

/**
 * Parses a sealed line without its seal. Parsing the seal as a field and then deleting it took a sixth of the parsing
 * time, because the seal is different in each line. Returns undefined if the line is not a valid entry.
 */
function entryWithoutSeal(line: Uint8Array): Entry | undefined {
  const sealAt = line.length - SEAL_LENGTH;
  const comma = line[sealAt] as number;
  line[sealAt] = CLOSING_BRACE;
  const text = decodeText(line.subarray(0, sealAt + 1));
  line[sealAt] = comma;
  const fields = text === undefined ? undefined : parse(text);
  return fields === undefined ? undefined : entryOf(fields);
}

/** The reason why a sealed line is not an entry. */
function faultOf(line: Uint8Array): LineFault {
  const text = decodeText(line);
  if (text === undefined) return "not-utf8";
  return parse(text) === undefined ? "not-json" : "shape";
}

/** Puts the fields in an order that is easy for people to read: first the entry's position, then its content. */
function lineOf(entry: Entry): JsonObject {
  const { seq, id, parent, at, origin, forgotten } = entry;
  const body: object = entry.kind === "foreign" ? { kind: entry.foreignKind, ...entry.fields } : entry;
  // Spreading the body does not move keys that are already set, such as `kind`.
  return { seq, id, parent, at, kind: entry.kind, origin, forgotten, ...body } as unknown as JsonObject;
}

/**
 * Turns the parsed line itself into the entry, without its seal. Measurements showed that copying the fields of each
 * line costs more than parsing them.
 */
function entryOf(line: Record<string, Json>): Entry | undefined {
  if (!isEnvelope(line)) return undefined;
  const kind = line["kind"] as string;
  if (Object.hasOwn(line, "sum")) delete line["sum"];
  if (!isKnownKind(kind)) return foreignOf(line);
  return misshapenField(kind, line) === undefined ? (line as unknown as Entry) : undefined;
}

function foreignOf(line: JsonObject): Entry {
  const { seq, id, parent, at, kind, origin, forgotten, ...fields } = line;
  const base = {
    seq: seq as Seq,
    id: id as EntryId,
    parent: parent as EntryId | null,
    at: at as string,
    ...(origin === undefined ? {} : { origin: origin as unknown as Origin }),
    ...(forgotten === undefined ? {} : { forgotten: forgotten as unknown as Forgotten }),
  };
  return { ...base, kind: "foreign", foreignKind: kind as string, fields };
}

function isEnvelope(line: JsonObject): boolean {
  return (
    Number.isSafeInteger(line["seq"]) &&
    (line["seq"] as number) >= 1 &&
    isEntryId(line["id"]) &&
    (line["parent"] === null || isEntryId(line["parent"])) &&
    typeof line["at"] === "string" &&
    TIME.test(line["at"]) &&
    typeof line["kind"] === "string" &&
    (line["origin"] === undefined || isOrigin(line["origin"]))
  );
}

function isOrigin(value: Json): boolean {
  return Array.isArray(value) && value.length === 2 && value.every((line) => Number.isSafeInteger(line));
}

function isSealed(line: Uint8Array, body: Uint8Array, checksum: Checksum): boolean {
  if (body.length === 0) return false;
  const seal = encodeSeal(checksum(body));
  for (let at = 0; at < SEAL_LENGTH; at += 1) {
    if (line[body.length + at] !== seal[at]) return false;
  }
  return true;
}

/** Encodes a checksum as a seal. The next call overwrites the returned bytes. */
function encodeSeal(sum: number): Uint8Array {
  for (let digit = 0; digit < 8; digit += 1) {
    sealBytes[SEAL_START.length + digit] = HEX.charCodeAt((sum >>> (28 - 4 * digit)) & 0xf);
  }
  return sealBytes;
}

function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

function parse(text: string): Record<string, Json> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A range of bytes in a log that contains either an entry or damaged bytes. */
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
  /** The number of bytes in complete lines. The remaining bytes contain no newline. */
  readonly consumed: number;
}

/**
 * The maximum number of possible entry starts to try in a damaged line, because the search takes quadratic time. Lines
 * that Worldline wrote do not contain more.
 */
const MAX_GLUED = 64;
const BEGINNING = bytesOf('{"seq":');
const SEAL = bytesOf(SEAL_START);
const MARK = bytesOf("\ufeff");
const RETURN = 0x0d;

/**
 * Reads all complete lines in `bytes`. Only `\n` ends a line, because a string may contain U+2028. Ignores a byte order
 * mark before a line and a `\r` at its end, because editors and file transfers add them.
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
 * Classifies the bytes after the last newline of a log. "unended": the bytes contain at least one entry. Either only
 * the newline is missing, or complete entries are directly followed by the start of a torn entry. "torn": the bytes
 * contain no complete entry.
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
  // If the line is empty, the byte at this position is a newline or part of a mark, so it cannot be `\r`.
  const end = bytes[line.end - 1] === RETURN ? line.end - 1 : line.end;
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

/** Finds entries that were written without a newline between them or directly after a torn entry. */
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

/** Adds the bytes between the entries as damaged ranges. */
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
    at !== -1 && positions.length < MAX_GLUED;
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
