import type { Disk } from "../disk/disk.ts";
import { DurableFolders } from "../disk/durable-files.ts";
import type { Processes } from "../disk/lock-owner.ts";
import type { Clock } from "../ports/clock.ts";
import { Refs } from "./keeping/refs.ts";
import { FolderCache } from "./objects/folder-cache.ts";
import { type SnapshotPlaces, snapshotPlaces } from "./places.ts";
import type { SegmentStore } from "./segments/segment-store.ts";
import { openSegments } from "./segments/segments.ts";

/** The snapshot store, opened: what all workspaces stand on. */
export interface SnapshotGround {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly processes: Processes;
  readonly places: SnapshotPlaces;
  readonly objects: SegmentStore;
  readonly folders: FolderCache;
  readonly refs: Refs;
  readonly durable: DurableFolders;
}

export interface SnapshotGroundOptions {
  /** The home of Worldline, which the store is a folder of. */
  readonly home: string;
  readonly disk: Disk;
  readonly clock: Clock;
  readonly processes: Processes;
}

/** Opening makes nothing: the first capture does. */
export function openSnapshotGround({ home, disk, clock, processes }: SnapshotGroundOptions): SnapshotGround {
  const places = snapshotPlaces(home);
  const objects = openSegments({ disk, clock, processes, folder: places.segments });
  return {
    disk,
    clock,
    processes,
    places,
    objects,
    folders: new FolderCache(objects),
    refs: new Refs(disk, places.refs),
    // The home too: whoever made it may have failed right after.
    durable: new DurableFolders(disk, home),
  };
}
