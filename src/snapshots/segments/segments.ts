import type { Disk } from "../../disk/disk.ts";
import { DurableFolders } from "../../disk/durable-files.ts";
import type { Processes } from "../../disk/lock-owner.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Compression } from "./format/compression.ts";
import type { SegmentStore } from "./segment-store.ts";
import { StoredSegments } from "./stored-segments.ts";

export interface SegmentOptions {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly processes: Processes;
  /** Where the segments are. Made when the first object is synced. */
  readonly folder: string;
  readonly folders?: DurableFolders;
  /** A segment that has reached this is not added to any more. 64 MiB unless told. */
  readonly segmentBytes?: number;
  readonly compression?: Compression;
}

const SEGMENT_BYTES = 64 * 1024 * 1024;

/** Opens the store. Nothing is read before it is asked for, and nothing is made before something is put. */
export function openSegments(options: SegmentOptions): SegmentStore {
  const { disk, folder } = options;
  return new StoredSegments({
    ...options,
    folders: options.folders ?? new DurableFolders(disk, folder),
    segmentBytes: options.segmentBytes ?? SEGMENT_BYTES,
    compression: options.compression ?? "brotli",
  });
}
