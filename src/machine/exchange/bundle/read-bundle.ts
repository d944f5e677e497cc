import { crc32 } from "node:zlib";
import { decodeLine, encodeEntry, NEWLINE } from "../../../record/codec.ts";
import type { Entry } from "../../../record/entry.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { BlobHash } from "../../../record/ids.ts";
import type { JsonObject } from "../../../record/json.ts";
import { hashOf } from "../../writing/blobs.ts";
import { isNestedDeeper } from "../nesting.ts";
import { bundleInvalid } from "./bundle-error.ts";
import {
  type BlobRecord,
  BUNDLE_VERSION,
  type HeaderRecord,
  isBlob,
  isHeader,
  openRecord,
} from "./records.ts";
import { checkSeal, unpack } from "./unpack.ts";

/** What a bundle holds, every record of it checked by itself. */
export interface Bundle {
  readonly header: HeaderRecord;
  readonly entries: readonly Entry[];
  readonly blobs: ReadonlyMap<BlobHash, Uint8Array>;
  /** Records of sorts that this version does not know, by how often they occur. */
  readonly passedOver: ReadonlyMap<string, number>;
}

const LOG_LINE = Buffer.from('{"seq":');
/** Far beyond what a tool is called with; deeper values would overflow the stack of whoever walks them. */
const DEEPEST = 500;

export async function readBundle(bytes: Uint8Array, maxBytes: number): Promise<Bundle> {
  const reading = new BundleReading();
  const content = await unpack(bytes, maxBytes);
  let start = 0;
  for (let end = content.indexOf(NEWLINE); end !== -1; end = content.indexOf(NEWLINE, start)) {
    reading.take(content.subarray(start, end));
    start = end + 1;
  }
  const bundle = reading.finish(start < content.length ? "within" : "after");
  checkSeal(bytes);
  return bundle;
}

class BundleReading {
  readonly #entries: Entry[] = [];
  readonly #blobs = new Map<BlobHash, Uint8Array>();
  readonly #passedOver = new Map<string, number>();
  #header: HeaderRecord | undefined;
  #open: { readonly blob: BlobRecord; readonly pieces: Buffer[]; length: number } | undefined;
  #count = 0;
  #ended = false;

  take(line: Buffer): void {
    this.#count += 1;
    if (this.#ended) throw this.#fault("there is something behind its end");
    if (line.subarray(0, LOG_LINE.length).equals(LOG_LINE)) {
      this.#takeEntry(line);
      return;
    }
    const record = openRecord(line);
    if (record === undefined) throw this.#fault("it is damaged");
    if ((record.record === "header") !== (this.#count === 1))
      throw this.#fault("a header must come first, and once");
    this.#takeRecord(record);
  }

  finish(cut: "within" | "after"): Bundle {
    if (cut === "within" || !this.#ended || this.#header === undefined) {
      throw bundleInvalid(`it was cut: it ends ${cut} record ${this.#count + (cut === "within" ? 1 : 0)}`);
    }
    return {
      header: this.#header,
      entries: this.#entries,
      blobs: this.#blobs,
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
      case "end":
        if (this.#open !== undefined) throw this.#fault("a blob before it is incomplete");
        if (record["records"] !== this.#count - 1) throw this.#fault("it does not fit the number of records");
        this.#ended = true;
        break;
      default:
        this.#passedOver.set(record.record, (this.#passedOver.get(record.record) ?? 0) + 1);
    }
  }

  #takeHeader(record: JsonObject): void {
    const version = record["version"];
    if (typeof version === "number" && version > BUNDLE_VERSION) {
      throw new WorldlineError("FORMAT_NEWER", "The bundle was made by a newer Worldline.", {
        hint: "Nothing was imported. Update Worldline, then import it again.",
      });
    }
    if (!isHeader(record)) throw this.#fault("the header is not as it must be");
    this.#header = record as unknown as HeaderRecord;
  }

  /** Written again, an entry must give the very same bytes; whatever else a line says is not ours. */
  #takeEntry(line: Buffer): void {
    if (this.#count === 1) throw this.#fault("a header must come first, and once");
    const decoded = decodeLine(line, crc32);
    if (!decoded.ok) throw this.#fault(`this line of the log cannot be read (${decoded.fault})`);
    if (isNestedDeeper(decoded.entry, DEEPEST)) throw this.#fault(`it is nested more than ${DEEPEST} deep`);
    if (!line.equals(encodeEntry(decoded.entry, crc32).subarray(0, -1))) {
      throw this.#fault("this line of the log is not as Worldline writes it");
    }
    this.#entries.push(decoded.entry);
  }

  #takeBlob(record: JsonObject): void {
    if (!isBlob(record)) throw this.#fault("the blob is not as it must be");
    const blob = record as unknown as BlobRecord;
    this.#open ??= { blob, pieces: [], length: 0 };
    const open = this.#open;
    const isNext =
      blob.hash === open.blob.hash && blob.size === open.blob.size && blob.offset === open.length;
    if (!isNext) throw this.#fault("this piece does not follow the one before it");
    const piece = Buffer.from(blob.data, "base64");
    open.pieces.push(piece);
    open.length += piece.length;
    if (open.length < blob.size && piece.length > 0) return;
    const bytes = Buffer.concat(open.pieces);
    if (bytes.length !== blob.size || hashOf(bytes) !== blob.hash)
      throw this.#fault("the blob is not what its hash says");
    if (this.#blobs.has(blob.hash)) throw this.#fault("the blob stands in the bundle already");
    this.#blobs.set(blob.hash, bytes);
    this.#open = undefined;
  }

  #fault(what: string): WorldlineError {
    return bundleInvalid(`record ${this.#count}: ${what}`);
  }
}
