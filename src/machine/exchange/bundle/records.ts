import { crc32 } from "node:zlib";
import type { SnapshotObject, WhyAbsent } from "../../../ports/snapshot-objects.ts";
import { SEAL_LENGTH, SEAL_START } from "../../../record/codec.ts";
import {
  type BlobHash,
  isBlobHash,
  isSessionId,
  isSnapshotId,
  type ObjectHash,
  type SessionId,
  type SnapshotId,
} from "../../../record/ids.ts";
import { isJsonObject, type JsonObject } from "../../../record/json.ts";

/** The version of the container in docs/guide/export-import.md. */
export const BUNDLE_VERSION = 1;

export interface HeaderRecord {
  readonly record: "header";
  readonly version: number;
  readonly session: SessionId;
  /** How many lines of the log follow, and the places of those that could not be read any more. */
  readonly entries: number;
  readonly lost: readonly number[];
  readonly blobs: number;
  readonly lostBlobs: readonly BlobHash[];
  /** Whether the contents of files that the workspace ignores are in it. */
  readonly ignored: "left-out" | "included";
}

/** A part of something longer. Pieces keep every line short, and follow each other. */
export interface Piece {
  readonly size: number;
  readonly offset: number;
  /** Base64. */
  readonly data: string;
}

export interface BlobRecord extends Piece {
  readonly record: "blob";
  readonly hash: BlobHash;
}

/** Which snapshots the objects that follow are of, and which could not be taken along. */
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

/** A content that folders name and the bundle has not. */
export interface AbsentRecord {
  readonly record: "absent";
  readonly hash: ObjectHash;
  readonly why: WhyAbsent;
}

/** The last record. A bundle without it was cut. */
interface EndRecord {
  readonly record: "end";
  /** How many records stand before this one, lines of the log included. */
  readonly records: number;
}

export type BundleRecord = HeaderRecord | BlobRecord | FilesRecord | ObjectRecord | AbsentRecord | EndRecord;

const PIECE_BYTES = 768 * 1024;
const OBJECT_LINE = Buffer.from('{"record":"object"');

/** Whether a line is a piece of an object: those are limited by themselves. */
export function isObjectLine(line: Buffer): boolean {
  return line.subarray(0, OBJECT_LINE.length).equals(OBJECT_LINE);
}

/** Lines for something of any length, each made when it is wanted. */
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

/** One line, sealed as the lines of the log are: a checksum over all bytes before it. */
export function sealRecord(record: BundleRecord | JsonObject): Buffer {
  const body = Buffer.from(JSON.stringify(record).slice(0, -1));
  return Buffer.concat([body, Buffer.from(`${sealOf(body)}\n`)]);
}

/** The record of a line without its newline; undefined when the seal does not fit or it is no record. */
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
