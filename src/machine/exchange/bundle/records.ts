import { crc32 } from "node:zlib";
import { SEAL_LENGTH, SEAL_START } from "../../../record/codec.ts";
import { type BlobHash, isBlobHash, isSessionId, type SessionId } from "../../../record/ids.ts";
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
  /** Whether files that the workspace ignores are among the snapshots. */
  readonly ignored: "left-out" | "included";
}

/** A piece of a blob. Pieces keep every line short, however long the blob. */
export interface BlobRecord {
  readonly record: "blob";
  readonly hash: BlobHash;
  readonly size: number;
  readonly offset: number;
  /** Base64. */
  readonly data: string;
}

/** The last record. A bundle without it was cut. */
interface EndRecord {
  readonly record: "end";
  /** How many records stand before this one, lines of the log included. */
  readonly records: number;
}

export type BundleRecord = HeaderRecord | BlobRecord | EndRecord;

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

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isListOf(value: unknown, check: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(check);
}

function sealOf(body: Uint8Array): string {
  return `${SEAL_START}${crc32(body).toString(16).padStart(8, "0")}"}`;
}
