import type { ObjectHash } from "../../record/ids.ts";
import type { SegmentFault } from "../../strings/errors/facts.ts";
import type { ObjectKind, ObjectStore } from "../objects/object.ts";

export interface SegmentInfo {
  readonly id: string;
  /** As stored. */
  readonly bytes: number;
  readonly records: number;
}

export interface RecordInfo {
  readonly hash: ObjectHash;
  readonly kind: ObjectKind;
  /** What it takes in its segment, its header included. */
  readonly storedBytes: number;
  readonly rawBytes: number;
}

export interface SegmentDamage {
  readonly segment: string;
  readonly offset: number;
  /** Unknown where not even that can be read. */
  readonly hash?: ObjectHash;
  readonly fault: SegmentFault;
  /** The same in English, for scripts. */
  readonly why: string;
}

/** How much of all segments has been read. */
export type OnVerified = (done: { readonly bytes: number; readonly of: number }) => void;

/**
 * The object store on disk: append-only segments, each with one writer, any number of writers at once.
 *
 * - `has` counts what is durable, and what this store has put: not what another process has written and may not
 *   have synced. `get` reads that too.
 * - `put` keeps objects in memory, and writes them when `sync` says so or when they are several MiB; then it may
 *   throw what `sync` throws. The object is kept, and the next `sync` tries again.
 * - After somebody may have collected garbage, `refresh` comes before `has` and `put`: what was known to be there
 *   may be gone.
 */
export interface SegmentStore extends ObjectStore {
  segments(): readonly SegmentInfo[];
  /** The records of a segment, in no order. None for one that is not there. */
  each(segment: string, visit: (record: RecordInfo) => void): void;
  /** Reads everything. What is found damaged is no longer counted by `has`, so that it can be put again. */
  verify(onProgress?: OnVerified): readonly SegmentDamage[];
  /**
   * Frees what is not kept of one segment: copies the rest, makes the copies durable, and removes the segment.
   * Only for the holder of the exclusive lease. A segment that another process holds is left alone, and so is one in which
   * something kept is damaged.
   */
  rewrite(segment: string, isKept: (hash: ObjectHash) => boolean): { readonly freed: number };
  /** What all segments take. */
  storedBytes(): number;
}
