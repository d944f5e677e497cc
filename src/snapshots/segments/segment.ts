import { randomUUID } from "node:crypto";
import type { Disk } from "../../disk/disk.ts";
import { readWhole, tryToRemove, writeNew } from "../../disk/durable-files.ts";
import type { ObjectHash } from "../../record/ids.ts";
import { type ReadAt, type ScanRange, type Stretch, stretchesIn } from "./format/scan.ts";
import { encodeIndex, type Key, SegmentIndex } from "./format/segment-index.ts";
import { HEADER_BYTES, readHeader, SEGMENT_MAGIC } from "./format/segment-record.ts";
import { type Row, type Rows, settle } from "./format/settled.ts";
import type { SegmentPlaces } from "./segment-places.ts";

/** A tail shorter than this is scanned faster than an index is written. */
const UNINDEXED_RECORDS = 200;
const UNINDEXED_BYTES = 256 * 1024;

/** One segment, as far as this store knows it: what its index covers, and what stands behind that. */
export class Segment {
  readonly places: SegmentPlaces;
  readonly #disk: Disk;
  readonly read: ReadAt;
  #index: SegmentIndex | undefined;
  #sure: Rows = new Map();
  #doubtful: Rows = new Map();
  #loose: Rows = new Map();
  /** Up to here everything is settled. */
  #settledEnd = 0;
  #size = 0;
  #lock: "free" | "held" | "ours" = "held";
  #isLoaded = false;

  constructor(disk: Disk, places: SegmentPlaces, read: ReadAt) {
    this.#disk = disk;
    this.places = places;
    this.read = read;
  }

  get id(): string {
    return this.places.id;
  }

  get size(): number {
    return this.#size;
  }

  get lock(): "free" | "held" | "ours" {
    return this.#lock;
  }

  get records(): number {
    return (this.#index?.count ?? 0) + this.#sure.size + this.#doubtful.size + this.#loose.size;
  }

  /** Whether it is there for good, so that it need not be written again. */
  holds(key: Key): boolean {
    return this.#sure.has(key.hash) || this.#index?.find(key, "sure") !== undefined;
  }

  /** Where it is, sure or not. */
  find(key: Key): Row | undefined {
    const { hash } = key;
    const behind = this.#sure.get(hash) ?? this.#loose.get(hash) ?? this.#doubtful.get(hash);
    return behind ?? this.#index?.find(key, "any");
  }

  each(visit: (hash: ObjectHash, row: Row) => void): void {
    this.#index?.each(visit);
    for (const rows of [this.#sure, this.#doubtful, this.#loose]) {
      for (const [hash, row] of rows) visit(hash, row);
    }
  }

  /** Looks at what was added. Costs one or two looks at the folder when nothing was. Throws ENOENT when it is gone. */
  refresh(): void {
    if (this.#lock === "ours") return;
    const size = this.#sizeNow();
    if (!this.#isLoaded) this.#load(size);
    if (size < this.#settledEnd) this.#forget(size);
    if (this.#lock === "free" && size === this.#size && size === this.#settledEnd) return;
    const stretches = stretchesIn(this.read, { from: this.#settledEnd, to: size });
    // Looked at after reading: whoever wrote what was read and is gone by now has synced it, or cut it off again.
    const isFree = this.#disk.stat(this.places.lock) === undefined && this.#sizeNow() >= size;
    this.#lock = isFree ? "free" : "held";
    this.#take(stretches);
    this.#size = size;
  }

  /** What stands behind what is settled, for one who has the lock. */
  unsettled(): { readonly stretches: readonly Stretch[]; readonly range: ScanRange } {
    const to = this.#sizeNow();
    if (!this.#isLoaded) this.#load(to);
    if (to < this.#settledEnd) this.#forget(to);
    const range = { from: this.#settledEnd, to };
    return { stretches: stretchesIn(this.read, range), range };
  }

  /** Whether it begins as ours do: what a newer program has written may not be judged, and so not be cut. */
  isOurFormat(): boolean {
    const begin = this.read(0, SEGMENT_MAGIC.length);
    return begin.equals(SEGMENT_MAGIC.subarray(0, begin.length));
  }

  /** From now on only this store writes to it; its tail was cut at `end` and is durable. */
  own(end: number, stretches: readonly Stretch[]): void {
    this.#lock = "free";
    this.#take(stretches.filter((each) => each.end <= end));
    this.#settledEnd = end;
    this.#lock = "ours";
    this.#isLoaded = true;
    this.#size = end;
  }

  /** What this store has written to its end and synced. */
  add(rows: Iterable<readonly [ObjectHash, Row]>, end: number): void {
    for (const [hash, row] of rows) this.#sure.set(hash, row);
    this.#settledEnd = end;
    this.#size = end;
  }

  disown(): void {
    this.#lock = "free";
  }

  /** Writes the index anew when enough stands behind it. A failure costs only time, later. */
  writeIndex(when: "always" | "worthwhile"): void {
    if (this.#lock === "held" || !this.#isIndexWanted(when)) return;
    const [sure, doubtful] = [new Map(this.#sure), new Map(this.#doubtful)];
    this.#index?.each((hash, row, trust) => {
      if (!sure.has(hash)) (trust === "sure" ? sure : doubtful).set(hash, row);
    });
    const bytes = encodeIndex({ covered: this.#settledEnd, sure, doubtful });
    const temporary = `${this.places.index}.${randomUUID()}`;
    try {
      writeNew(this.#disk, temporary, bytes);
      this.#disk.rename(temporary, this.places.index);
    } catch {
      tryToRemove(this.#disk, temporary);
      return;
    }
    this.#index = SegmentIndex.of(bytes);
    this.#sure = new Map();
    this.#doubtful = new Map();
  }

  #isIndexWanted(when: "always" | "worthwhile"): boolean {
    const records = this.#sure.size + this.#doubtful.size;
    if (when === "always" || records === 0) return records > 0;
    return records > UNINDEXED_RECORDS || this.#settledEnd - (this.#index?.covered ?? 0) > UNINDEXED_BYTES;
  }

  #take(stretches: readonly Stretch[]): void {
    const lock = this.#lock === "free" ? "free" : "held";
    const { sure, doubtful, loose, end } = settle(stretches, this.#settledEnd, lock);
    for (const [hash, row] of sure) this.#sure.set(hash, row);
    for (const [hash, row] of doubtful) this.#doubtful.set(hash, row);
    this.#loose = loose;
    this.#settledEnd = end;
  }

  /** It is shorter than what was durable, which nobody of ours does: what is known of it means nothing any more. */
  #forget(size: number): void {
    this.#index = undefined;
    this.#sure = new Map();
    this.#doubtful = new Map();
    this.#settledEnd = 0;
    this.#load(size);
  }

  #load(size: number): void {
    const index = this.#readIndex(size);
    this.#index = index;
    this.#settledEnd = index?.covered ?? 0;
    this.#isLoaded = true;
  }

  /** The index, if it fits: whole, not longer than the segment, and its last record stands where it says. */
  #readIndex(size: number): SegmentIndex | undefined {
    let bytes: Buffer;
    try {
      bytes = readWhole(this.#disk, this.places.index);
    } catch {
      // Without it, the segment itself says the same.
      return undefined;
    }
    const index = SegmentIndex.of(bytes);
    if (index === undefined || index.covered > size) return undefined;
    const last = readHeader(this.read(index.lastAt, HEADER_BYTES));
    if (last === undefined) return undefined;
    const row = index.find({ hash: last.hash, bytes: Buffer.from(last.hash, "hex") }, "any");
    return row?.at === index.lastAt ? index : undefined;
  }

  #sizeNow(): number {
    const stat = this.#disk.stat(this.places.segment);
    if (stat !== undefined) return stat.size;
    throw Object.assign(new Error(`ENOENT: ${this.places.segment}`), { code: "ENOENT" });
  }
}
