import { crc32 } from "node:zlib";
import type { ObjectHash } from "../../../record/ids.ts";
import type { RecordFault } from "../../../strings/errors/facts.ts";
import { hashObject } from "../../objects/hash-object.ts";
import type { ObjectKind } from "../../objects/object-store.ts";
import { type Compression, pack, unpack } from "./compression.ts";

/** What a segment begins with. Written together with its first records. */
export const SEGMENT_MAGIC: Buffer = Buffer.from("wlseg 1\n", "latin1");

/**
 * A record is a header of 56 bytes and its payload. Numbers are little-endian.
 *
 * | at | bytes | |
 * |---|---|---|
 * | 0 | 4 | `wlr` and 1 |
 * | 4 | 1 | kind |
 * | 5 | 1 | encoding |
 * | 6 | 1 | 1 when it begins a batch |
 * | 7 | 1 | 0 |
 * | 8 | 4 | length of the object |
 * | 12 | 4 | length of the payload |
 * | 16 | 32 | the object's hash |
 * | 48 | 4 | crc32 of the payload |
 * | 52 | 4 | crc32 of the header up to here |
 *
 * The header has a checksum of its own, so that one damaged payload does not hide the records behind it.
 */
export const HEADER_BYTES = 56;
export const RECORD_MARKER: Buffer = Buffer.from("wlr\u0001", "latin1");

const MARKER = RECORD_MARKER.readUInt32LE(0);
const KINDS: readonly (ObjectKind | undefined)[] = [undefined, "content", "folder", "snapshot"];
const RAW = 0;
const BROTLI = 1;

export interface RecordHeader {
  readonly hash: ObjectHash;
  readonly kind: ObjectKind;
  readonly encoding: number;
  /**
   * The first of those that were written together. Nothing is written behind records that were not synced, so
   * everything before it is durable, which is how another process can tell.
   */
  readonly batch: Batch;
  readonly rawBytes: number;
  /** Of the payload. */
  readonly packedBytes: number;
  readonly payloadSum: number;
}

export type Batch = "begins" | "goes-on";

export interface StoredObject {
  readonly hash: ObjectHash;
  readonly kind: ObjectKind;
  readonly bytes: Uint8Array;
}

export function encodeRecord({ hash, kind, bytes }: StoredObject, compression: Compression): Buffer {
  const packed = compression === "brotli" ? pack(bytes) : undefined;
  const payload = packed ?? bytes;
  const record = Buffer.allocUnsafe(HEADER_BYTES + payload.length);
  record.writeUInt32LE(MARKER, 0);
  record[4] = codeOfKind(kind);
  record[5] = packed === undefined ? RAW : BROTLI;
  record[7] = 0;
  record.writeUInt32LE(bytes.length, 8);
  record.writeUInt32LE(payload.length, 12);
  record.write(hash, 16, "hex");
  record.writeUInt32LE(crc32(payload), 48);
  record.set(payload, HEADER_BYTES);
  setBatch(record, "goes-on");
  return record;
}

export function setBatch(record: Buffer, batch: Batch): void {
  record[6] = batch === "begins" ? 1 : 0;
  record.writeUInt32LE(crc32(record.subarray(0, 52)), 52);
}

/** Undefined where no header stands, a newer format's included. */
export function readHeader(bytes: Buffer, at = 0): RecordHeader | undefined {
  if (bytes.length - at < HEADER_BYTES || bytes.readUInt32LE(at) !== MARKER) return undefined;
  if (crc32(bytes.subarray(at, at + 52)) !== bytes.readUInt32LE(at + 52)) return undefined;
  const kind = kindOfCode(bytes[at + 4] ?? 0);
  if (kind === undefined) return undefined;
  return {
    hash: bytes.toString("hex", at + 16, at + 48) as ObjectHash,
    kind,
    encoding: bytes[at + 5] ?? RAW,
    batch: bytes[at + 6] === 1 ? "begins" : "goes-on",
    rawBytes: bytes.readUInt32LE(at + 8),
    packedBytes: bytes.readUInt32LE(at + 12),
    payloadSum: bytes.readUInt32LE(at + 48),
  };
}

/** The object, or why it is not the one that the hash names. */
export type Decoded = { readonly bytes: Buffer } | { readonly why: RecordFault };

export function decodePayload(header: RecordHeader, payload: Buffer): Decoded {
  if (payload.length !== header.packedBytes) return { why: "cut-short" };
  const bytes = unpacked(header, payload);
  if (bytes === undefined) return { why: "cannot-be-unpacked" };
  if (hashObject(header.kind, bytes) !== header.hash) return { why: "other-bytes" };
  return { bytes };
}

function unpacked({ encoding, rawBytes }: RecordHeader, payload: Buffer): Buffer | undefined {
  if (encoding === RAW) return payload;
  if (encoding !== BROTLI) return undefined;
  try {
    return unpack(payload, rawBytes);
  } catch {
    // Whatever it is that brotli does not like: the caller says what that means.
    return undefined;
  }
}

export function codeOfKind(kind: ObjectKind): number {
  return KINDS.indexOf(kind);
}

export function kindOfCode(code: number): ObjectKind | undefined {
  return KINDS[code];
}
