import type { Entry, Forgotten, Origin } from "./entry.ts";
import type { EntryId, Seq } from "./ids.ts";
import { isEntryId } from "./ids.ts";
import { isJsonObject, type Json, type JsonObject } from "./json.ts";
import { isKnownKind, misshapenField } from "./shape.ts";

/** crc32 of the bytes. It comes in as an argument: the fast one belongs to the platform. */
export type Checksum = (bytes: Uint8Array) => number;

/** `,"sum":"` + eight hex digits + `"}`: always the last bytes of a line. */
export const SEAL_LENGTH = 18;
export const SEAL_START = ',"sum":"';
export const NEWLINE = 0x0a;

const encoder = new TextEncoder();
/** What `toISOString` writes. `Date.parse` takes more, such as times of no zone, and takes longer. */
const TIME =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z$/;
const HEX = "0123456789abcdef";
const EMPTY_SEAL = `${SEAL_START}00000000"}`;
const sealBytes = encoder.encode(EMPTY_SEAL);
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Why a line could not be read. */
export type LineFault = "checksum" | "not-json" | "not-utf8" | "shape";

export type DecodedLine =
  | { readonly ok: true; readonly entry: Entry }
  | { readonly ok: false; readonly fault: LineFault };

/** The bytes of one entry, with the newline that ends it. */
export function encodeEntry(entry: Entry, checksum: Checksum): Uint8Array {
  const open = JSON.stringify(lineOf(entry)).slice(0, -1);
  // Encoded with an empty seal, which is then filled in: the text is copied once.
  const line = encoder.encode(`${open}${EMPTY_SEAL}\n`);
  const bodyLength = line.length - SEAL_LENGTH - 1;
  line.set(encodeSeal(checksum(line.subarray(0, bodyLength))), bodyLength);
  return line;
}

/** Whether the entry's line could be read back. Types say so too; this is for what comes from outside. */
export function isReadable(entry: Entry): boolean {
  const line = entry as unknown as JsonObject;
  if (entry.kind === "foreign") return isEnvelope(line) && !isKnownKind(entry.foreignKind);
  return isEnvelope(line) && misshapenField(entry.kind, line) === undefined;
}

/** Reads one line, without its newline. Decoding is per line, so bad bytes cost that line only. */
export function decodeLine(line: Uint8Array, checksum: Checksum): DecodedLine {
  const body = line.subarray(0, Math.max(0, line.length - SEAL_LENGTH));
  if (!isSealed(line, body, checksum)) return { ok: false, fault: "checksum" };
  const text = decodeText(line);
  if (text === undefined) return { ok: false, fault: "not-utf8" };
  const fields = parse(text);
  if (fields === undefined) return { ok: false, fault: "not-json" };
  const entry = entryOf(fields);
  return entry === undefined ? { ok: false, fault: "shape" } : { ok: true, entry };
}

/** The order matters to people who read the file: where the entry stands, then what it says. */
function lineOf(entry: Entry): JsonObject {
  const { seq, id, parent, at, origin, forgotten } = entry;
  const kind = entry.kind === "foreign" ? entry.foreignKind : entry.kind;
  const body = entry.kind === "foreign" ? entry.fields : entry;
  // A key that comes again keeps the place that it had first.
  return { seq, id, parent, at, kind, origin, forgotten, ...body } as unknown as JsonObject;
}

/**
 * The parsed line itself becomes the entry, less its seal: copying each line's fields was
 * measured to cost more than parsing them.
 */
function entryOf(line: Record<string, Json>): Entry | undefined {
  if (!isEnvelope(line)) return undefined;
  const kind = line["kind"] as string;
  delete line["sum"];
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

/** The seal of a sum. The returned bytes are used again by the next call. */
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
