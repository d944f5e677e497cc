import type { Disk } from "../../disk/disk.ts";
import { namesInOwn } from "../../disk/durable-files.ts";
import { isMissing } from "../../record/error.ts";
import type { ObjectHash } from "../../record/ids.ts";
import type { ObjectKind } from "../objects/object-store.ts";
import { type Key, keyOf } from "./format/segment-index.ts";
import { type Decoded, decodePayload, HEADER_BYTES, readHeader } from "./format/segment-record.ts";
import type { Row } from "./format/settled.ts";
import { Segment } from "./segment.ts";
import { SegmentFiles } from "./segment-files.ts";
import { segmentIds, segmentPlaces } from "./segment-places.ts";

export interface Wanted {
  readonly hash: ObjectHash;
  /** Any, unless told. */
  readonly kind?: ObjectKind;
  /** A segment not to look in. */
  readonly except?: Segment;
}

export type Found = Decoded & { readonly where: string };

/** The segments of a folder, as far as they have been looked at. */
export class KnownSegments {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #files: SegmentFiles;
  readonly #byId = new Map<string, Segment>();
  /** The newest first: that is where what is looked for most often stands. */
  #all: readonly Segment[] = [];
  #isLoaded = false;

  constructor(disk: Disk, folder: string) {
    this.#disk = disk;
    this.#folder = folder;
    this.#files = new SegmentFiles(disk, folder);
  }

  /** Looks for the first time, if nobody has. */
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

  /** One that is not known yet. */
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

  /** Whether it is there for good. */
  holds(hash: ObjectHash): boolean {
    if (this.#all.length === 0) return false;
    const key = keyOf(hash);
    for (const segment of this.#all) if (segment.holds(key)) return true;
    return false;
  }

  /** The object out of whichever segment has it whole. Undefined when none has it at all. */
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

  /** Header and payload as they stand there. */
  record(segment: Segment, { at, packedBytes }: Row): Buffer {
    return this.#files.read(segment.id, at, HEADER_BYTES + packedBytes);
  }

  #readRow(segment: Segment, wanted: Key & { readonly kind: ObjectKind }, row: Row): Decoded | undefined {
    let record: Buffer;
    try {
      record = this.record(segment, row);
    } catch (error) {
      // Removed since we looked: then what is kept of it is somewhere else.
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

/** Who asks for another copy than this segment's wants one that stays: not one in what a dead writer has left torn. */
function isPassedOver(segment: Segment, key: Key, except: Segment | undefined): boolean {
  return segment === except || (except !== undefined && !segment.holds(key));
}
