import { isWorldlineError } from "../../record/error.ts";
import type { SnapshotId } from "../../record/ids.ts";
import type { FolderCache } from "../objects/folder-cache.ts";
import { excessOf } from "../objects/limits.ts";
import { readSnapshot, type Snapshot } from "../objects/snapshot-object.ts";
import { TreeMeasures } from "../objects/tree-measures.ts";

/** Which snapshots can be walked to their last folder, and are within the limits. */
export class WholeSnapshots {
  readonly #folders: FolderCache;
  readonly #measures: TreeMeasures;

  constructor(folders: FolderCache) {
    this.#folders = folders;
    this.#measures = new TreeMeasures((hash) => orUndefined(() => folders.read(hash)));
  }

  /** Undefined when it is gone, or some folder of it is, or no capture can have made it. */
  read(id: SnapshotId): Snapshot | undefined {
    const snapshot = orUndefined(() => readSnapshot(this.#folders.objects, id));
    if (snapshot === undefined) return undefined;
    const size = this.#measures.of(snapshot.root.hash);
    return size === "broken" || excessOf(size) !== undefined ? undefined : snapshot;
  }
}

/** What is gone, damaged, or of a newer program is undefined; other errors are the caller's. */
export function orUndefined<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (UNUSABLE.some((code) => isWorldlineError(error, code))) return undefined;
    throw error;
  }
}

const UNUSABLE = ["SNAPSHOT_MISSING", "SNAPSHOT_DAMAGED", "FORMAT_NEWER"] as const;
