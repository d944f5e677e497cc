import { crc32 } from "node:zlib";
import type { SnapshotObject, WhyAbsent } from "../../../ports/snapshot-objects.ts";
import { SEAL_LENGTH, SEAL_START } from "../../../record/codec.ts";
import { type ErrorParams, WorldlineError } from "../../../record/error.ts";
import {
  type BlobHash,
  isBlobHash,
  isSessionId,
  isSnapshotId,
  type ObjectHash,
  type SessionId,
  type SnapshotId,
} from "../../../record/ids.ts";
import { isJsonObject, type JsonObject } from "../../../record/parts.ts";

/** The version of the container format; see docs/guide/export-import.md. */
export const BUNDLE_VERSION = 1;

export interface HeaderRecord {
  readonly record: "header";
  readonly version: number;
  readonly session: SessionId;
  /** The number of log lines that follow, and the positions of the lines that could not be read. */
  readonly entries: number;
  readonly lost: readonly number[];
  readonly blobs: number;
  readonly lostBlobs: readonly BlobHash[];
  /** Whether the contents of files that the workspace ignores are included. */
  readonly ignored: "left-out" | "included";
}

/**
 * A piece of a long value. Splitting values into pieces keeps every line short. The pieces of a value directly follow
 * one another.
 */
interface Piece {
  readonly size: number;
  readonly offset: number;
  /** The bytes of the piece in Base64. */
  readonly data: string;
}

export interface BlobRecord extends Piece {
  readonly record: "blob";
  readonly hash: BlobHash;
}

/** The snapshots whose objects follow, and the snapshots that could not be included. */
export interface FilesRecord {
  readonly record: "files";
  readonly snapshots: readonly SnapshotId[];
  readonly missing: readonly SnapshotId[];
}

export interface ObjectRecord extends Piece {
  readonly record: "object";
  readonly kind: SnapshotObject["kind"];
  readonly hash: ObjectHash;
}

/** File contents that folders refer to but that are not in the bundle. */
export interface AbsentRecord {
  readonly record: "absent";
  readonly hash: ObjectHash;
  readonly why: WhyAbsent;
}

/** The last record. If this record is missing, the bundle was truncated. */
interface EndRecord {
  readonly record: "end";
  /** The number of records before this one, including the lines of the log. */
  readonly records: number;
}

type BundleRecord = HeaderRecord | BlobRecord | FilesRecord | ObjectRecord | AbsentRecord | EndRecord;

const PIECE_BYTES = 768 * 1024;
const OBJECT_LINE = Buffer.from('{"record":"object"');

/** Checks whether a line contains part of an object. Such lines have a separate size limit. */
export function isObjectLine(line: Buffer): boolean {
  return line.subarray(0, OBJECT_LINE.length).equals(OBJECT_LINE);
}

/** Generates the lines for a value of any length, one at a time as they are needed. */
export function* pieceLines(
  record: Omit<BlobRecord, keyof Piece> | Omit<ObjectRecord, keyof Piece>,
  bytes: Uint8Array,
): Generator<Buffer> {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let offset = 0; offset === 0 || offset < all.length; offset += PIECE_BYTES) {
    const data = all.toString("base64", offset, Math.min(all.length, offset + PIECE_BYTES));
    yield sealRecord({ ...record, size: all.length, offset, data });
  }
}

/** Creates a line that is sealed like the lines of a log: it ends with a checksum of all bytes before the checksum. */
export function sealRecord(record: BundleRecord | JsonObject): Buffer {
  const body = Buffer.from(JSON.stringify(record).slice(0, -1));
  return Buffer.concat([body, Buffer.from(`${sealOf(body)}\n`)]);
}

/**
 * Reads the record in a line that is passed without its newline. Returns undefined if the seal does not match or the
 * line is not a record.
 */
export function openRecord(line: Buffer): (JsonObject & { readonly record: string }) | undefined {
  const body = line.subarray(0, Math.max(0, line.length - SEAL_LENGTH));
  if (line.subarray(body.length).toString("latin1") !== sealOf(body)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line.toString("utf8"));
  } catch {
    return undefined;
  }
  if (!isJsonObject(value) || typeof value["record"] !== "string") return undefined;
  return value as JsonObject & { readonly record: string };
}

export function isHeader(value: JsonObject): boolean {
  return (
    isCount(value["version"]) &&
    isSessionId(value["session"]) &&
    isCount(value["entries"]) &&
    isListOf(value["lost"], isCount) &&
    isCount(value["blobs"]) &&
    isListOf(value["lostBlobs"], isBlobHash)
  );
}

export function isBlob(value: JsonObject): boolean {
  return (
    isBlobHash(value["hash"]) &&
    isCount(value["size"]) &&
    isCount(value["offset"]) &&
    typeof value["data"] === "string"
  );
}

export function isFiles(value: JsonObject): boolean {
  return isListOf(value["snapshots"], isSnapshotId) && isListOf(value["missing"], isSnapshotId);
}

export function isObject(value: JsonObject): boolean {
  return isBlob(value) && ["content", "folder", "snapshot"].includes(String(value["kind"]));
}

export function isAbsent(value: JsonObject): boolean {
  return isBlobHash(value["hash"]) && ["ignored", "forgotten", "missing"].includes(String(value["why"]));
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isListOf(value: unknown, check: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(check);
}

function sealOf(body: Uint8Array): string {
  return `${SEAL_START}${crc32(body).toString(16).padStart(8, "0")}"}`;
}

const GZIP_HEAD = Buffer.from("1f8b08000000000000ff", "hex");

/**
 * Creates the seal at the end of a bundle. The seal is a record with the SHA-256 hash of all bytes before it. The seal
 * has its own gzip member, so that `zcat` shows it as the last line. Gzip itself does not check some bits (its header
 * and the padding of the last block), but the seal detects every flipped bit. The member is built byte by byte rather
 * than compressed, so that it can be compared as a whole.
 */
export function sealMember(sha256: string): Buffer {
  const line = sealRecord({ record: "seal", sha256 });
  const block = Buffer.alloc(5);
  block.writeUInt8(1, 0);
  block.writeUInt16LE(line.length, 1);
  block.writeUInt16LE(0xffff - line.length, 3);
  const tail = Buffer.alloc(8);
  tail.writeUInt32LE(crc32(line), 0);
  tail.writeUInt32LE(line.length, 4);
  return Buffer.concat([GZIP_HEAD, block, line, tail]);
}

/** A complete value, or the fault in a piece; undefined while more pieces are expected. */
type Pieced = { readonly bytes: Buffer } | { readonly fault: BundleFault } | undefined;

/** Joins the pieces of values, one value at a time. */
export class Pieces {
  #open: { readonly name: string; readonly size: number } | undefined;
  #bytes = Buffer.alloc(0);
  #length = 0;

  /** Whether the current value is incomplete. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  take(piece: BlobRecord | ObjectRecord): Pieced {
    const name = `${piece.record} ${piece.hash}`;
    this.#open ??= { name, size: piece.size };
    const open = this.#open;
    if (name !== open.name || piece.size !== open.size || piece.offset !== this.#length)
      return { fault: { why: "piece-out-of-order" } };
    const bytes = Buffer.from(piece.data, "base64");
    const end = this.#length + bytes.length;
    if (end < piece.size && bytes.length > 0) {
      this.#append(bytes, piece.size);
      return undefined;
    }
    const whole = this.#length === 0 ? bytes : Buffer.concat([this.#bytes.subarray(0, this.#length), bytes]);
    this.#open = undefined;
    this.#length = 0;
    this.#bytes = Buffer.alloc(0);
    return whole.length === piece.size
      ? { bytes: whole }
      : { fault: { why: "piece-length", record: piece.record } };
  }

  /**
   * Copies pieces to a buffer that grows as needed. A million one-byte pieces therefore take up about a million bytes,
   * and a size that is only announced takes up no memory.
   */
  #append(bytes: Buffer, size: number): void {
    const end = this.#length + bytes.length;
    if (end > this.#bytes.length) {
      const larger = Buffer.alloc(Math.min(size, Math.max(2 * this.#bytes.length, end)));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    bytes.copy(this.#bytes, this.#length);
    this.#length = end;
  }
}

export type BundleFault = ErrorParams<"bundle-invalid">["fault"];

/**
 * The error for an invalid bundle. The error states what is wrong and where, and is thrown before anything is written.
 */
export function bundleInvalid(fault: BundleFault, cause?: unknown): WorldlineError {
  return new WorldlineError("bundle-invalid", { fault }, { cause });
}
