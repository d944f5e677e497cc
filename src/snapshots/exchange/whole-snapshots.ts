import { isWorldlineError } from "../../record/error.ts";
import type { ObjectHash, SnapshotId } from "../../record/ids.ts";
import type { FolderCache } from "../objects/folder-cache.ts";
import { readSnapshot, type Snapshot } from "../objects/snapshot-object.ts";

/** Which snapshots can be walked to their last folder. Each folder is read once, however many share it. */
export class WholeSnapshots {
  readonly #folders: FolderCache;
  readonly #known = new Map<ObjectHash, "whole" | "broken">();

  constructor(folders: FolderCache) {
    this.#folders = folders;
  }

  /** Undefined when it is gone, or some folder of it is. */
  read(id: SnapshotId): Snapshot | undefined {
    const snapshot = orUndefined(() => readSnapshot(this.#folders.objects, id));
    if (snapshot === undefined || this.#folder(snapshot.root.hash) === "broken") return undefined;
    return snapshot;
  }

  #folder(hash: ObjectHash): "whole" | "broken" {
    const known = this.#known.get(hash);
    if (known !== undefined) return known;
    const folder = orUndefined(() => this.#folders.read(hash));
    const isWhole = folder?.entries.every(
      ({ state }) => state.kind !== "folder" || this.#folder(state.hash) === "whole",
    );
    const found = isWhole === true ? "whole" : "broken";
    this.#known.set(hash, found);
    return found;
  }
}

/** What is gone or damaged is undefined; other errors are the caller's. */
export function orUndefined<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (isWorldlineError(error, "SNAPSHOT_MISSING") || isWorldlineError(error, "SNAPSHOT_DAMAGED"))
      return undefined;
    throw error;
  }
}
