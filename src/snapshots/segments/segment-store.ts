import type { ObjectHash } from "../../record/ids.ts";
import type { SegmentFault } from "../../strings/errors/facts.ts";
import type { ObjectKind, ObjectStore } from "../objects/object.ts";

export interface SegmentInfo {
  readonly id: string;
  /** The stored size of the segment. */
  readonly bytes: number;
  readonly records: number;
}

export interface RecordInfo {
  readonly hash: ObjectHash;
  readonly kind: ObjectKind;
  /** The size of the object in its segment, including the header. */
  readonly storedBytes: number;
  readonly rawBytes: number;
}

export interface SegmentDamage {
  readonly segment: string;
  readonly offset: number;
  /** The hash of the damaged object. Absent if even the hash cannot be read. */
  readonly hash?: ObjectHash;
  readonly fault: SegmentFault;
  /** The kind of damage, described in English for scripts. */
  readonly why: string;
}

/** Receives the number of bytes that have been read, and the total size of all segments. */
export type OnVerified = (done: { readonly bytes: number; readonly of: number }) => void;

/**
 * The object store on disk. It consists of append-only segments, each with a single writer. Any number of processes may
 * write to the store at the same time.
 *
 * - `has` counts objects that are durable and objects that this store has put. `has` does not count objects that
 *   another process has written and may not have synced, although `get` reads them.
 * - `put` keeps objects in memory. The objects are written on `sync`, or by `put` itself once they reach several MiB.
 *   In that case, `put` may throw the same errors as `sync`. The object is kept in memory, and the next `sync` tries
 *   again.
 * - If another process may have run gc, call `refresh` before `has` and `put`, because objects that were known to exist
 *   may have been removed.
 */
export interface SegmentStore extends ObjectStore {
  segments(): readonly SegmentInfo[];
  /** Visits the records of a segment in no particular order. Does nothing if the segment does not exist. */
  each(segment: string, visit: (record: RecordInfo) => void): void;
  /**
   * Reads all segments. After the call, `has` no longer counts objects that were found to be damaged, so that they can
   * be put again.
   */
  verify(onProgress?: OnVerified): readonly SegmentDamage[];
  /**
   * Frees everything in one segment that is not kept. Copies what is kept, makes the copies durable, and removes the
   * segment. Only the holder of the exclusive lease may call this method. Does not change the segment if another
   * process holds it, or if an object in it that must be kept is damaged.
   */
  rewrite(segment: string, isKept: (hash: ObjectHash) => boolean): { readonly freed: number };
  /** Returns the total size of all segments. */
  storedBytes(): number;
}
