import type { Disk } from "../../disk/disk.ts";
import { namesInOwn, readRange } from "../../disk/durable-files.ts";
import { isMissing } from "../../record/error.ts";
import type { ObjectHash } from "../../record/ids.ts";
import type { ObjectKind } from "../objects/object.ts";
import { type Key, keyOf, Segment } from "./segment.ts";
import {
  type Decoded,
  decodePayload,
  HEADER_BYTES,
  type Row,
  readHeader,
  segmentIds,
  segmentPlaces,
  setBatch,
} from "./segment-format.ts";

export interface Wanted {
  readonly hash: ObjectHash;
  /** The kind of the object. If undefined, the object may be of any kind. */
  readonly kind?: ObjectKind;
  /** A segment that is excluded from the search. */
  readonly except?: Segment;
}

export type Found = Decoded & { readonly where: string };

/** The segments in a folder, to the extent that they have been read. */
export class KnownSegments {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #files: SegmentFiles;
  readonly #byId = new Map<string, Segment>();
  /** All segments that have been read. The newest segment comes first, because most lookups succeed there. */
  #all: readonly Segment[] = [];
  #isLoaded = false;

  constructor(disk: Disk, folder: string) {
    this.#disk = disk;
    this.#folder = folder;
    this.#files = new SegmentFiles(disk, folder);
  }

  /** Reads the folder, unless it has already been read. */
  load(): void {
    if (!this.#isLoaded) this.refresh();
  }

  get all(): readonly Segment[] {
    return this.#all;
  }

  byId(id: string): Segment | undefined {
    return this.#byId.get(id);
  }

  refresh(): void {
    const ids = new Set(segmentIds(namesInOwn(this.#disk, this.#folder)));
    for (const id of [...this.#byId.keys()]) if (!ids.has(id)) this.#drop(id);
    for (const id of ids) this.#refreshOne(this.#byId.get(id) ?? this.segmentOf(id));
    this.#order();
    this.#isLoaded = true;
  }

  /** Creates the object for a segment. Does not read or add the segment. */
  segmentOf(id: string): Segment {
    const read = (position: number, length: number) => this.#files.read(id, position, length);
    return new Segment(this.#disk, segmentPlaces(this.#folder, id), read);
  }

  add(segment: Segment): void {
    this.#byId.set(segment.id, segment);
    this.#order();
  }

  remove(id: string): void {
    this.#drop(id);
    this.#order();
  }

  closeFiles(): void {
    this.#files.closeAll();
  }

  /** Checks whether the object is stored durably. */
  holds(hash: ObjectHash): boolean {
    if (this.#all.length === 0) return false;
    const key = keyOf(hash);
    for (const segment of this.#all) if (segment.holds(key)) return true;
    return false;
  }

  /** Reads the object from a segment with an intact copy. Returns undefined if the object is not in any segment. */
  read({ hash, kind, except }: Wanted): Found | undefined {
    const key = keyOf(hash);
    let damaged: Found | undefined;
    for (const segment of this.#all) {
      const row = isPassedOver(segment, key, except) ? undefined : segment.find(key);
      if (row === undefined) continue;
      const decoded = this.#readRow(segment, { ...key, kind: kind ?? row.kind }, row);
      if (decoded === undefined) continue;
      const where = `segment ${segment.id}, byte ${row.at}`;
      if ("bytes" in decoded) return { ...decoded, where };
      damaged ??= { ...decoded, where };
    }
    return damaged;
  }

  /** Returns the stored header and payload of the object. */
  record(segment: Segment, { at, packedBytes }: Row): Buffer {
    return this.#files.read(segment.id, at, HEADER_BYTES + packedBytes);
  }

  #readRow(segment: Segment, wanted: Key & { readonly kind: ObjectKind }, row: Row): Decoded | undefined {
    let record: Buffer;
    try {
      record = this.record(segment, row);
    } catch (error) {
      // The segment has been removed. Everything in it that was kept is now in another segment.
      if (isMissing(error)) return undefined;
      throw error;
    }
    const header = readHeader(record);
    if (header?.hash !== wanted.hash) return { why: "no-header" };
    if (header.kind !== wanted.kind) return { why: { isA: header.kind } };
    return decodePayload(header, record.subarray(HEADER_BYTES));
  }

  #refreshOne(segment: Segment): void {
    try {
      segment.refresh();
      this.#byId.set(segment.id, segment);
    } catch (error) {
      if (!isMissing(error)) throw error;
      this.#drop(segment.id);
    }
  }

  #drop(id: string): void {
    this.#files.close(id);
    this.#byId.delete(id);
  }

  #order(): void {
    this.#all = [...this.#byId.values()].sort((one, other) => (one.id < other.id ? 1 : -1));
  }
}

/**
 * Checks whether to skip a segment. A caller that excludes a segment needs a copy that is certain to be kept in another
 * segment. A copy in the torn data of a dead writer does not count.
 */
function isPassedOver(segment: Segment, key: Key, except: Segment | undefined): boolean {
  return segment === except || (except !== undefined && !segment.holds(key));
}

/**
 * Number of most recently used files that are kept open, because a restore reads thousands of objects from a few
 * segments.
 */
const MAX_OPEN = 16;

/** Segment files in a folder that are open for reading. */
class SegmentFiles {
  readonly #disk: Disk;
  readonly #folder: string;
  /** The open files. The most recently used file comes last. */
  readonly #open = new Map<string, number>();

  constructor(disk: Disk, folder: string) {
    this.#disk = disk;
    this.#folder = folder;
  }

  read(id: string, position: number, length: number): Buffer {
    return readRange(this.#disk, this.#file(id), { position, length });
  }

  close(id: string): void {
    const file = this.#open.get(id);
    if (file === undefined) return;
    this.#open.delete(id);
    this.#disk.close(file);
  }

  closeAll(): void {
    for (const id of [...this.#open.keys()]) this.close(id);
  }

  #file(id: string): number {
    const known = this.#open.get(id);
    const file = known ?? this.#disk.open(segmentPlaces(this.#folder, id).segment, "read");
    if (known !== undefined) this.#open.delete(id);
    this.#open.set(id, file);
    const [oldest] = this.#open.keys();
    if (this.#open.size > MAX_OPEN && oldest !== undefined) this.close(oldest);
    return file;
  }
}

/** Records that are waiting to be written, in order. A record remains pending until it is durable. */
export class PendingRecords {
  readonly #records = new Map<ObjectHash, Buffer>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get isEmpty(): boolean {
    return this.#records.size === 0;
  }

  has(hash: ObjectHash): boolean {
    return this.#records.has(hash);
  }

  add(hash: ObjectHash, record: Buffer): void {
    if (this.#records.has(hash)) return;
    this.#records.set(hash, record);
    this.#bytes += record.length;
  }

  remove(hash: ObjectHash): void {
    this.#bytes -= this.#records.get(hash)?.length ?? 0;
    this.#records.delete(hash);
  }

  /** Returns a pending object, or undefined if the object is not pending. */
  get(hash: ObjectHash, kind: ObjectKind): Decoded | undefined {
    const record = this.#records.get(hash);
    const header = record === undefined ? undefined : readHeader(record);
    if (record === undefined || header === undefined) return undefined;
    if (header.kind !== kind) return { why: { isA: header.kind } };
    const decoded = decodePayload(header, record.subarray(HEADER_BYTES));
    // The bytes are copied, because the caller may change them before they are written.
    return "bytes" in decoded ? { bytes: Buffer.from(decoded.bytes) } : decoded;
  }

  /** Returns all pending records as one batch. */
  batch(): Buffer {
    const records = [...this.#records.values()];
    const [first] = records;
    for (const record of records) setBatch(record, record === first ? "begins" : "goes-on");
    return records.length === 1 && first !== undefined ? first : Buffer.concat(records, this.#bytes);
  }

  /**
   * Returns the position of each record in a batch that was written at `start`. After this call, nothing is pending.
   */
  written(start: number): [ObjectHash, Row][] {
    let at = start;
    const rows: [ObjectHash, Row][] = [];
    for (const [hash, record] of this.#records) {
      const header = readHeader(record);
      if (header !== undefined) {
        const { kind, rawBytes, packedBytes } = header;
        rows.push([hash, { at, kind, rawBytes, packedBytes }]);
      }
      at += record.length;
    }
    this.#records.clear();
    this.#bytes = 0;
    return rows;
  }
}
