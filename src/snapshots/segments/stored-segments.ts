import type { Disk } from "../../disk/disk.ts";
import { readError, writeError } from "../../disk/disk.ts";
import { DurableFolders } from "../../disk/durable-files.ts";
import type { Processes } from "../../disk/lock-owner.ts";
import type { Clock } from "../../ports/clock.ts";
import { WorldlineError } from "../../record/error.ts";
import type { ObjectHash } from "../../record/ids.ts";
import type { Stored } from "../../strings/errors/facts.ts";
import { hashObject, type ObjectKind } from "../objects/object.ts";
import { type Found, KnownSegments, PendingRecords, type Wanted } from "./known-segments.ts";
import {
  beginWriting,
  finish,
  type LiveSegment,
  resumeWriting,
  type WritingContext,
} from "./live-segment.ts";
import { type Compression, encodeRecord, HEADER_BYTES } from "./segment-format.ts";
import type { OnVerified, RecordInfo, SegmentDamage, SegmentInfo, SegmentStore } from "./segment-store.ts";
import { rewriteSegment, verifySegment } from "./segment-upkeep.ts";

export interface SegmentOptions {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly processes: Processes;
  /** The folder that contains the segments. It is created when the first object is synced. */
  readonly folder: string;
  readonly folders?: DurableFolders;
  /** Size at which a segment is full and nothing more is appended to it. The default is 64 MiB. */
  readonly segmentBytes?: number;
  readonly compression?: Compression;
}

const SEGMENT_BYTES = 64 * 1024 * 1024;

/**
 * Opens the store. Does not read anything until it is needed, and does not create anything until the first object is
 * synced.
 */
export function openSegments(options: SegmentOptions): SegmentStore {
  const { disk, folder } = options;
  return new StoredSegments({
    ...options,
    folders: options.folders ?? new DurableFolders(disk, folder),
    segmentBytes: options.segmentBytes ?? SEGMENT_BYTES,
    compression: options.compression ?? "brotli",
  });
}

/**
 * Number of pending bytes at which objects are written even before `sync` is called, so that a first capture does not
 * use up all memory.
 */
const MAX_PENDING_BYTES = 8 * 1024 * 1024;

const SNAPSHOTS: Stored = { what: "snapshots" };

class StoredSegments implements SegmentStore {
  readonly #context: WritingContext;
  readonly #compression: Compression;
  readonly #known: KnownSegments;
  readonly #pending = new PendingRecords();
  /** Objects that were found to be damaged. Damaged objects are treated as missing until they are put again. */
  readonly #damaged = new Set<ObjectHash>();
  #live: LiveSegment | undefined;

  constructor({ compression, ...context }: WritingContext & { readonly compression: Compression }) {
    this.#context = context;
    this.#compression = compression;
    this.#known = new KnownSegments(context.disk, context.folder);
  }

  has(hash: ObjectHash): boolean {
    if (this.#pending.has(hash)) return true;
    this.#reading(() => this.#known.load());
    return this.#known.holds(hash) && !this.#damaged.has(hash);
  }

  get(hash: ObjectHash, kind: ObjectKind): Buffer {
    const waiting = this.#pending.get(hash, kind);
    const found = waiting === undefined ? this.#find({ hash, kind }) : { ...waiting, where: "memory" };
    if (found === undefined) throw new WorldlineError("object-missing", { kind, hash });
    if ("why" in found) {
      this.#damaged.add(hash);
      throw new WorldlineError("object-damaged", { kind, hash, where: found.where, fault: found.why });
    }
    return found.bytes;
  }

  put(kind: ObjectKind, bytes: Uint8Array): ObjectHash {
    const hash = hashObject(kind, bytes);
    if (this.has(hash)) return hash;
    this.#pending.add(hash, encodeRecord({ hash, kind, bytes }, this.#compression));
    if (this.#pending.bytes >= MAX_PENDING_BYTES) this.sync();
    return hash;
  }

  sync(): void {
    if (this.#pending.isEmpty) return;
    try {
      this.#live ??= this.#begin();
      const start = this.#live.append(this.#pending.batch());
      const rows = this.#pending.written(start);
      for (const [hash] of rows) this.#damaged.delete(hash);
      this.#live.segment.add(rows, this.#live.end);
    } catch (error) {
      throw writeError(error, SNAPSHOTS);
    }
    if (this.#live.end < this.#context.segmentBytes) return;
    finish(this.#live);
    this.#live = undefined;
  }

  refresh(): void {
    this.#reading(() => this.#known.refresh());
    // A segment with a holder should never be removed. If it was removed anyway, it must no longer be used, because
    // everything that is written to it would be lost.
    if (this.#live === undefined || this.#known.byId(this.#live.segment.id) !== undefined) return;
    finish(this.#live);
    this.#live = undefined;
  }

  close(): void {
    try {
      this.sync();
    } finally {
      this.#letGo();
    }
  }

  segments(): readonly SegmentInfo[] {
    this.#reading(() => this.#known.load());
    return this.#known.all.map(({ id, size, records }) => ({ id, bytes: size, records }));
  }

  each(segment: string, visit: (record: RecordInfo) => void): void {
    this.#reading(() => this.#known.load());
    this.#known.byId(segment)?.each((hash, { kind, rawBytes, packedBytes }) => {
      visit({ hash, kind, rawBytes, storedBytes: HEADER_BYTES + packedBytes });
    });
  }

  verify(onProgress?: OnVerified): readonly SegmentDamage[] {
    this.refresh();
    const of = this.storedBytes();
    const found: SegmentDamage[] = [];
    let before = 0;
    for (const segment of this.#known.all) {
      const progress = (bytes: number) => onProgress?.({ bytes: before + bytes, of });
      found.push(...this.#reading(() => verifySegment(segment, progress)));
      before += segment.size;
    }
    for (const { hash } of found) {
      // Another segment may have an intact copy.
      const copy = hash === undefined ? undefined : this.#reading(() => this.#known.read({ hash }));
      if (hash !== undefined && copy !== undefined && "why" in copy) this.#damaged.add(hash);
    }
    return found;
  }

  rewrite(id: string, isKept: (hash: ObjectHash) => boolean): { readonly freed: number } {
    this.sync();
    this.refresh();
    if (this.#live?.segment.id === id) this.#release(this.#live);
    const segment = this.#known.byId(id);
    if (segment === undefined) return { freed: 0 };
    const [known, pending] = [this.#known, this.#pending];
    const sync = (when: "now" | "in-time") => {
      if (when === "now" || pending.bytes >= MAX_PENDING_BYTES) this.sync();
    };
    try {
      return rewriteSegment({ ...this.#context, segment, known, pending, sync, isKept });
    } catch (error) {
      throw writeError(error, SNAPSHOTS);
    }
  }

  storedBytes(): number {
    return this.segments().reduce((sum, { bytes }) => sum + bytes, 0);
  }

  #find(wanted: Wanted): Found | undefined {
    return this.#reading(() => {
      this.#known.load();
      const found = this.#known.read(wanted);
      if (found !== undefined && "bytes" in found) return found;
      this.refresh();
      return this.#known.read(wanted);
    });
  }

  #begin(): LiveSegment {
    this.#known.refresh();
    const known = resumeWriting(this.#context, this.#known.all);
    if (known !== undefined) return known;
    const live = beginWriting(this.#context, (id) => this.#known.segmentOf(id));
    this.#known.add(live.segment);
    return live;
  }

  /** Releases the segment, even if some data could not be written, so that other processes can append to it. */
  #letGo(): void {
    try {
      if (this.#live !== undefined) {
        for (const segment of this.#known.all) segment.writeIndex("worthwhile");
        this.#release(this.#live);
      }
    } finally {
      this.#known.closeFiles();
    }
  }

  #release(live: LiveSegment): void {
    try {
      live.release();
    } catch (error) {
      throw writeError(error, SNAPSHOTS);
    }
    this.#live = undefined;
  }

  #reading<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw readError(error, SNAPSHOTS);
    }
  }
}
