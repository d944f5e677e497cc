import { crc32 } from "node:zlib";
import type { ExportedPart, ObjectsCheck, ObjectsFault } from "../../../ports/snapshot-objects.ts";
import { decodeLine, encodeEntry } from "../../../record/codec.ts";
import type { Entry } from "../../../record/entry.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { BlobHash, SnapshotId } from "../../../record/ids.ts";
import { isDeeperThan, type JsonObject } from "../../../record/parts.ts";
import { hashOf } from "../../writer.ts";
import {
  type AbsentRecord,
  type BlobRecord,
  BUNDLE_VERSION,
  type BundleFault,
  bundleInvalid,
  type FilesRecord,
  type HeaderRecord,
  isAbsent,
  isBlob,
  isFiles,
  isHeader,
  isObject,
  isObjectLine,
  type ObjectRecord,
  openRecord,
  Pieces,
} from "./records.ts";
import { BundleBytes, type BundleSource } from "./unpack.ts";

/**
 * The contents of a bundle. Each record has been checked on its own, but the records have not been checked against each
 * other.
 */
export interface Bundle {
  readonly header: HeaderRecord;
  readonly entries: readonly Entry[];
  readonly blobs: ReadonlyMap<BlobHash, Uint8Array>;
  /**
   * A summary of the files; undefined if the bundle contains no files. The files were checked, but are not held in
   * memory.
   */
  readonly files: BundleFiles | undefined;
  /** The number of records of each kind that this version does not support. */
  readonly passedOver: ReadonlyMap<string, number>;
}

const LOG_LINE = Buffer.from('{"seq":');
/**
 * The maximum nesting depth of a value. The input of any tool is far less deeply nested. A deeper value would overflow
 * the stack of the code that traverses it.
 */
const DEEPEST = 500;
/**
 * The maximum number of entries. The number is limited because an entry takes up several times as much memory as its
 * line. No real session comes close to this limit.
 */
const MAX_ENTRIES = 2_000_000;
/** The maximum number of unknown record kinds in a bundle. */
const MAX_UNKNOWN_SORTS = 100;
const MAX_SORT_CHARACTERS = 64;

interface ReadRequest extends ObjectLimits {
  /** The maximum size of the log and blobs. These are held in memory until they are written. */
  readonly maxBytes: number;
  /** Checks the objects. If undefined, the objects are only counted. */
  readonly check: ObjectsCheck | undefined;
}

interface ReadBundle {
  readonly bundle: Bundle;
  /** The SHA-256 hash of the whole bundle, which lets the caller recognize the bundle later. */
  readonly seal: string;
}

export async function readBundle(source: BundleSource, request: ReadRequest): Promise<ReadBundle> {
  const reading = new BundleReader(new ObjectsReader(request.check, request));
  const bytes = new BundleBytes(source);
  const lines = bytes.lines({ maxBytes: request.maxBytes, isStreamed: isObjectLine });
  let next = await lines.next();
  for (; next.done !== true; next = await lines.next()) reading.take(next.value);
  const bundle = reading.finish(next.value);
  return { bundle, seal: bytes.checkSeal() };
}

class BundleReader {
  readonly #entries: Entry[] = [];
  readonly #blobs = new Map<BlobHash, Uint8Array>();
  readonly #passedOver = new Map<string, number>();
  readonly #objects: ObjectsReader;
  readonly #pieces = new Pieces();
  #header: HeaderRecord | undefined;
  #count = 0;
  #ended = false;

  constructor(objects: ObjectsReader) {
    this.#objects = objects;
  }

  take(line: Buffer): void {
    this.#count += 1;
    if (this.#ended) throw this.#fault({ why: "after-its-end" });
    if (line.subarray(0, LOG_LINE.length).equals(LOG_LINE)) {
      this.#takeEntry(line);
      return;
    }
    const record = openRecord(line);
    if (record === undefined) throw this.#fault({ why: "damaged" });
    if ((record.record === "header") !== (this.#count === 1)) throw this.#fault({ why: "header-not-once" });
    this.#takeRecord(record);
  }

  finish(cut: "within" | "after"): Bundle {
    if (cut === "within" || !this.#ended || this.#header === undefined) {
      throw bundleInvalid({ why: "cut", cut, record: this.#count + (cut === "within" ? 1 : 0) });
    }
    return {
      header: this.#header,
      entries: this.#entries,
      blobs: this.#blobs,
      files: this.#objects.files,
      passedOver: this.#passedOver,
    };
  }

  #takeRecord(record: JsonObject & { readonly record: string }): void {
    switch (record.record) {
      case "header":
        this.#takeHeader(record);
        break;
      case "blob":
        this.#takeBlob(record);
        break;
      case "files":
        this.#refuse(this.#objects.announced(record));
        break;
      case "object":
        this.#refuse(this.#objects.object(record));
        break;
      case "absent":
        this.#refuse(this.#objects.absent(record));
        break;
      case "end":
        this.#takeEnd(record);
        break;
      default:
        this.#passOver(record.record.slice(0, MAX_SORT_CHARACTERS));
    }
  }

  #passOver(sort: string): void {
    this.#passedOver.set(sort, (this.#passedOver.get(sort) ?? 0) + 1);
    if (this.#passedOver.size > MAX_UNKNOWN_SORTS)
      throw this.#fault({ why: "sorts", most: MAX_UNKNOWN_SORTS });
  }

  #takeHeader(record: JsonObject): void {
    const version = record["version"];
    if (typeof version === "number" && version > BUNDLE_VERSION) {
      throw new WorldlineError("bundle-newer", {});
    }
    if (!isHeader(record)) throw this.#fault({ why: "header-wrong" });
    this.#header = record as unknown as HeaderRecord;
  }

  /**
   * Adds an entry. Encoding the entry again must produce exactly the same bytes. Otherwise, the line contains something
   * that Worldline did not write.
   */
  #takeEntry(line: Buffer): void {
    if (this.#count === 1) throw this.#fault({ why: "header-not-once" });
    if (this.#entries.length >= MAX_ENTRIES) throw this.#fault({ why: "lines", most: MAX_ENTRIES });
    const decoded = decodeLine(line, crc32);
    if (!decoded.ok) throw this.#fault({ why: "line-unreadable", fault: decoded.fault });
    if (isDeeperThan(decoded.entry, DEEPEST)) throw this.#fault({ why: "nesting", most: DEEPEST });
    if (!line.equals(encodeEntry(decoded.entry, crc32).subarray(0, -1))) {
      throw this.#fault({ why: "line-not-as-written" });
    }
    this.#entries.push(decoded.entry);
  }

  #takeBlob(record: JsonObject): void {
    if (!isBlob(record)) throw this.#fault({ why: "blob-wrong" });
    const blob = record as unknown as BlobRecord;
    const pieced = this.#pieces.take(blob);
    if (pieced === undefined) return;
    if ("fault" in pieced) throw this.#fault(pieced.fault);
    if (hashOf(pieced.bytes) !== blob.hash) throw this.#fault({ why: "blob-not-its-hash" });
    if (this.#blobs.has(blob.hash)) throw this.#fault({ why: "blob-twice" });
    this.#blobs.set(blob.hash, pieced.bytes);
  }

  #takeEnd(record: JsonObject): void {
    if (this.#pieces.isOpen) throw this.#fault({ why: "blob-incomplete" });
    if (record["records"] !== this.#count - 1) throw this.#fault({ why: "records-count" });
    this.#refuse(this.#objects.finish());
    this.#ended = true;
  }

  #refuse(fault: BundleFault | undefined): void {
    if (fault !== undefined) throw this.#fault(fault);
  }

  #fault(fault: BundleFault): WorldlineError {
    return new WorldlineError("bundle-invalid", { fault, record: this.#count });
  }
}

/** A summary of the session's files in a bundle. */
interface BundleFiles {
  readonly snapshots: readonly SnapshotId[];
  readonly missing: readonly SnapshotId[];
  readonly objects: number;
  readonly absent: number;
}

/**
 * The maximum size of one object. Each object is held in memory as a whole. By default, captures leave out files larger
 * than this.
 */
const MAX_OBJECT_BYTES = 1024 ** 3;

/**
 * The maximum length of a line when the objects are read again. The bundle has already been checked, so none of its
 * lines exceed this length.
 */
const MAX_LINE_BYTES = 2 * 1024 ** 3;

interface ObjectLimits {
  /** The maximum total size of all objects. */
  readonly maxFilesBytes: number;
}

/**
 * Reads the file records one after another without keeping the objects in memory. Each method returns the fault that it
 * found, or undefined.
 */
class ObjectsReader {
  readonly #check: ObjectsCheck | undefined;
  readonly #limits: ObjectLimits;
  readonly #pieces = new Pieces();
  #announced: FilesRecord | undefined;
  #objects = 0;
  #absent = 0;
  #bytes = 0;

  constructor(check: ObjectsCheck | undefined, limits: ObjectLimits) {
    this.#check = check;
    this.#limits = limits;
  }

  /** The summary; undefined for a bundle without files. */
  get files(): BundleFiles | undefined {
    if (this.#announced === undefined) return undefined;
    const { snapshots, missing } = this.#announced;
    return { snapshots, missing, objects: this.#objects, absent: this.#absent };
  }

  announced(record: JsonObject): BundleFault | undefined {
    if (!isFiles(record) || this.#announced !== undefined) return { why: "snapshots-wrong" };
    this.#announced = record as unknown as FilesRecord;
    return undefined;
  }

  object(record: JsonObject): BundleFault | undefined {
    if (!isObject(record) || this.#announced === undefined) return { why: "object-wrong" };
    const piece = record as unknown as ObjectRecord;
    const tooLarge = this.#weigh(piece);
    if (tooLarge !== undefined) return tooLarge;
    const pieced = this.#pieces.take(piece);
    if (pieced === undefined) return undefined;
    if ("fault" in pieced) return pieced.fault;
    this.#objects += 1;
    const { kind, hash } = piece;
    return asFault(this.#check?.object({ kind, hash, bytes: pieced.bytes }));
  }

  absent(record: JsonObject): BundleFault | undefined {
    if (!isAbsent(record) || this.#announced === undefined) return { why: "absent-wrong" };
    this.#absent += 1;
    return asFault(this.#check?.absent((record as unknown as AbsentRecord).hash));
  }

  finish(): BundleFault | undefined {
    if (this.#pieces.isOpen) return { why: "object-incomplete" };
    return this.#announced === undefined
      ? undefined
      : asFault(this.#check?.finish(this.#announced.snapshots));
  }

  #weigh({ offset, size }: ObjectRecord): BundleFault | undefined {
    if (size > MAX_OBJECT_BYTES) return { why: "object-size", size };
    if (offset === 0) this.#bytes += size;
    const { maxFilesBytes } = this.#limits;
    return this.#bytes > maxFilesBytes ? { why: "files-size", most: maxFilesBytes } : undefined;
  }
}

function asFault(fault: ObjectsFault | undefined): BundleFault | undefined {
  return fault === undefined ? undefined : { why: "objects", fault };
}

type Part = Exclude<ExportedPart, { readonly part: "snapshots" }>;

/** Reads the objects a second time in order to import them. `seal` must be the seal of the bundle that was checked. */
export async function* objectsOf(source: BundleSource, seal: string): AsyncGenerator<Part> {
  const bytes = new BundleBytes(source);
  const pieces = new Pieces();
  for await (const line of bytes.lines({ maxBytes: MAX_LINE_BYTES, isStreamed: () => true })) {
    const part = partIn(line, pieces);
    if (part !== undefined) yield part;
  }
  if (bytes.checkSeal() !== seal) throw bundleInvalid({ why: "changed-meanwhile" });
}

function partIn(line: Buffer, pieces: Pieces): Part | undefined {
  if (!isObjectLine(line) && !line.subarray(0, ABSENT_LINE.length).equals(ABSENT_LINE)) return undefined;
  const record = openRecord(line);
  if (record === undefined) throw bundleInvalid({ why: "changed-meanwhile" });
  if (record.record === "absent") {
    const { hash, why } = record as unknown as AbsentRecord;
    return { part: "absent", hash, why };
  }
  const piece = record as unknown as ObjectRecord;
  const pieced = pieces.take(piece);
  if (pieced === undefined || "fault" in pieced) return undefined;
  return { part: "object", kind: piece.kind, hash: piece.hash, bytes: pieced.bytes };
}

const ABSENT_LINE = Buffer.from('{"record":"absent"');
