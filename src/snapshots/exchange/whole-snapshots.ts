import { isWorldlineError } from "../../record/error.ts";
import type { ObjectHash, SnapshotId } from "../../record/ids.ts";
import type { FolderCache } from "../objects/folder-cache.ts";
import type { Folder } from "../objects/folder-object.ts";
import { settleFromBelow } from "../objects/folders-from-below.ts";
import { EMPTY_TREE, excessOf, type TreeSize, withEntry } from "../objects/limits.ts";
import { readSnapshot, type Snapshot } from "../objects/snapshot-object.ts";

/** Which snapshots can be walked to their last folder, and are within the limits. Each folder is read once, however many share it. */
export class WholeSnapshots {
  readonly #folders: FolderCache;
  readonly #known = new Map<ObjectHash, TreeSize | "broken">();

  constructor(folders: FolderCache) {
    this.#folders = folders;
  }

  /** Undefined when it is gone, or some folder of it is, or no capture can have made it. */
  read(id: SnapshotId): Snapshot | undefined {
    const snapshot = orUndefined(() => readSnapshot(this.#folders.objects, id));
    if (snapshot === undefined) return undefined;
    const size = this.#folder(snapshot.root.hash);
    return size === "broken" || excessOf(size) !== undefined ? undefined : snapshot;
  }

  #folder(root: ObjectHash): TreeSize | "broken" {
    settleFromBelow(root, {
      isSettled: (hash) => this.#known.has(hash),
      read: (hash) => orUndefined(() => this.#folders.read(hash)),
      foldersIn: (folder) =>
        folder?.entries.flatMap(({ state }) => (state.kind === "folder" ? state.hash : [])) ?? [],
      settle: (hash, folder) => this.#known.set(hash, this.#sizeOf(folder)),
    });
    return this.#known.get(root) ?? "broken";
  }

  /** The folders in it are known by then. */
  #sizeOf(folder: Folder | undefined): TreeSize | "broken" {
    if (folder === undefined) return "broken";
    let size = EMPTY_TREE;
    for (const { name, state } of folder.entries) {
      const below = state.kind === "folder" ? (this.#known.get(state.hash) ?? "broken") : EMPTY_TREE;
      if (below === "broken") return "broken";
      size = withEntry(size, name.length, below);
    }
    return size;
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
