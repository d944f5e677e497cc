import { crc32 } from "node:zlib";
import type { ObjectsCheck } from "../../../ports/snapshot-objects.ts";
import { decodeLine, encodeEntry } from "../../../record/codec.ts";
import type { Entry } from "../../../record/entry.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { BlobHash } from "../../../record/ids.ts";
import type { JsonObject } from "../../../record/json.ts";
import { hashOf } from "../../writing/blobs.ts";
import { isNestedDeeper } from "../nesting.ts";
import { type BundleFault, bundleInvalid } from "./bundle-error.ts";
import { type BundleFiles, type ObjectLimits, ObjectsReading } from "./read-objects.ts";
import { Pieces } from "./read-pieces.ts";
import {
  type BlobRecord,
  BUNDLE_VERSION,
  type HeaderRecord,
  isBlob,
  isHeader,
  isObjectLine,
  openRecord,
} from "./records.ts";
import { BundleBytes, type BundleSource } from "./unpack.ts";

/** What a bundle holds, every record of it checked by itself. */
export interface Bundle {
  readonly header: HeaderRecord;
  readonly entries: readonly Entry[];
  readonly blobs: ReadonlyMap<BlobHash, Uint8Array>;
  /** What there is of files, checked and not held; undefined where there is none. */
  readonly files: BundleFiles | undefined;
  /** Records of sorts that this version does not know, by how often they occur. */
  readonly passedOver: ReadonlyMap<string, number>;
}

const LOG_LINE = Buffer.from('{"seq":');
/** Far beyond what a tool is called with; deeper values would overflow the stack of whoever walks them. */
const DEEPEST = 500;
/** Entries take several times as much memory as their lines. No session comes near. */
const MAX_ENTRIES = 2_000_000;
/** Of records that this version does not know. */
const MAX_UNKNOWN_SORTS = 100;
const MAX_SORT_CHARACTERS = 64;

export interface ReadRequest extends ObjectLimits {
  /** The most that log and blobs may take: they are held in memory until they are written. */
  readonly maxBytes: number;
  /** Without this, objects are only counted. */
  readonly check: ObjectsCheck | undefined;
}

export interface ReadBundle {
  readonly bundle: Bundle;
  /** The sha256 of all of it, by which it is known again. */
  readonly seal: string;
}

export async function readBundle(source: BundleSource, request: ReadRequest): Promise<ReadBundle> {
  const reading = new BundleReading(new ObjectsReading(request.check, request));
  const bytes = new BundleBytes(source);
  const lines = bytes.lines({ maxBytes: request.maxBytes, isStreamed: isObjectLine });
  let next = await lines.next();
  for (; next.done !== true; next = await lines.next()) reading.take(next.value);
  const bundle = reading.finish(next.value);
  return { bundle, seal: bytes.checkSeal() };
}

class BundleReading {
  readonly #entries: Entry[] = [];
  readonly #blobs = new Map<BlobHash, Uint8Array>();
  readonly #passedOver = new Map<string, number>();
  readonly #objects: ObjectsReading;
  readonly #pieces = new Pieces();
  #header: HeaderRecord | undefined;
  #count = 0;
  #ended = false;

  constructor(objects: ObjectsReading) {
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

  /** Written again, an entry must give the very same bytes; whatever else a line says is not ours. */
  #takeEntry(line: Buffer): void {
    if (this.#count === 1) throw this.#fault({ why: "header-not-once" });
    if (this.#entries.length >= MAX_ENTRIES) throw this.#fault({ why: "lines", most: MAX_ENTRIES });
    const decoded = decodeLine(line, crc32);
    if (!decoded.ok) throw this.#fault({ why: "line-unreadable", fault: decoded.fault });
    if (isNestedDeeper(decoded.entry, DEEPEST)) throw this.#fault({ why: "nesting", most: DEEPEST });
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
