import { isWorldlineError } from "../../record/error.ts";
import type { ObjectHash, SnapshotId } from "../../record/ids.ts";
import { EMPTY_TREE, excessOf, type TreeSize, withEntry } from "./object.ts";
import { type Folder, type FolderCache, readSnapshot, type Snapshot } from "./tree-objects.ts";

/** Reads snapshots, provided that all of their folders can be read and that they are within the limits. */
export class WholeSnapshots {
  readonly #folders: FolderCache;
  readonly #measures: TreeMeasures;

  constructor(folders: FolderCache) {
    this.#folders = folders;
    this.#measures = new TreeMeasures((hash) => orUndefined(() => folders.read(hash)));
  }

  /**
   * Reads a snapshot. Returns undefined if the snapshot or one of its folders cannot be read, or if no capture could
   * have created the snapshot.
   */
  read(id: SnapshotId): Snapshot | undefined {
    const snapshot = orUndefined(() => readSnapshot(this.#folders.objects, id));
    if (snapshot === undefined) return undefined;
    const size = this.#measures.of(snapshot.root.hash);
    return size === "broken" || excessOf(size) !== undefined ? undefined : snapshot;
  }
}

/**
 * Reads an object. Returns undefined if the object is missing, is damaged, or has a newer format. Throws all other
 * errors.
 */
export function orUndefined<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (UNUSABLE.some((code) => isWorldlineError(error, code))) return undefined;
    throw error;
  }
}

const UNUSABLE = ["SNAPSHOT_MISSING", "SNAPSHOT_DAMAGED", "FORMAT_NEWER"] as const;

/** Measures folders, including everything below them. Reads each folder only once, even if it is at several paths. */
export class TreeMeasures {
  readonly #read: (hash: ObjectHash) => Folder | undefined;
  readonly #known = new Map<ObjectHash, TreeSize | "broken">();

  /**
   * Creates an object that calls `read` to read folders. For a folder that cannot be read, `read` must either return
   * undefined or throw.
   */
  constructor(read: (hash: ObjectHash) => Folder | undefined) {
    this.#read = read;
  }

  /** Returns the size of a folder, or "broken" if the folder or a folder below it cannot be read. */
  of(root: ObjectHash): TreeSize | "broken" {
    settleFromBelow(root, {
      isSettled: (hash) => this.#known.has(hash),
      read: this.#read,
      foldersIn: (folder) =>
        folder?.entries.flatMap(({ state }) => (state.kind === "folder" ? state.hash : [])) ?? [],
      settle: (hash, folder) => this.#known.set(hash, this.#sizeOf(folder)),
    });
    return this.#known.get(root) ?? "broken";
  }

  /** Computes the size of a folder. The sizes of its subfolders are already known. */
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

interface FromBelow<Read> {
  isSettled(hash: ObjectHash): boolean;
  read(hash: ObjectHash): Read;
  /** Returns the subfolders of the folder that was read. */
  foldersIn(read: Read): readonly ObjectHash[];
  /** Settles the folder. Called when all of the folder's subfolders are settled. */
  settle(hash: ObjectHash, read: Read): void;
}

/**
 * Settles a folder and all folders below it, deepest first. Reads each folder only once. Uses a loop instead of
 * recursion, because a bundle may contain folders of any depth.
 */
export function settleFromBelow<Read>(root: ObjectHash, walk: FromBelow<Read>): void {
  const enter = (hash: ObjectHash): { hash: ObjectHash; read: Read; waiting: ObjectHash[] } => {
    const read = walk.read(hash);
    return { hash, read, waiting: walk.foldersIn(read).toReversed() };
  };
  const stack = walk.isSettled(root) ? [] : [enter(root)];
  for (let at = stack.at(-1); at !== undefined; at = stack.at(-1)) {
    const next = at.waiting.pop();
    if (next === undefined) {
      walk.settle(at.hash, at.read);
      stack.pop();
    } else if (!walk.isSettled(next)) stack.push(enter(next));
  }
}
