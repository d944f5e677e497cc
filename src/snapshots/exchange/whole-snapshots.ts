import { isWorldlineError } from "../../record/error.ts";
import type { ObjectHash, SnapshotId } from "../../record/ids.ts";
import type { FolderCache } from "../objects/folder-cache.ts";
import type { Folder } from "../objects/folder-object.ts";
import { settleFromBelow } from "../objects/folders-from-below.ts";
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

  #folder(root: ObjectHash): "whole" | "broken" {
    settleFromBelow(root, {
      isSettled: (hash) => this.#known.has(hash),
      read: (hash) => orUndefined(() => this.#folders.read(hash)),
      foldersIn,
      settle: (hash, folder) => {
        const isWhole =
          folder !== undefined && foldersIn(folder).every((each) => this.#known.get(each) === "whole");
        this.#known.set(hash, isWhole ? "whole" : "broken");
      },
    });
    return this.#known.get(root) ?? "broken";
  }
}

function foldersIn(folder: Folder | undefined): readonly ObjectHash[] {
  return folder?.entries.flatMap(({ state }) => (state.kind === "folder" ? state.hash : [])) ?? [];
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
