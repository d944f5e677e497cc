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

  /** A stack and not recursion: folders may be nested thousands deep. */
  #folder(root: ObjectHash): "whole" | "broken" {
    const waiting = [root];
    for (let hash = waiting.at(-1); hash !== undefined; hash = waiting.at(-1)) {
      const below = this.#known.has(hash) ? [] : this.#foldersIn(hash);
      const unknown = below?.filter((each) => !this.#known.has(each)) ?? [];
      for (const each of unknown) waiting.push(each);
      if (unknown.length > 0) continue;
      waiting.pop();
      if (this.#known.has(hash)) continue;
      const isWhole = below?.every((each) => this.#known.get(each) === "whole") === true;
      this.#known.set(hash, isWhole ? "whole" : "broken");
    }
    return this.#known.get(root) ?? "broken";
  }

  #foldersIn(hash: ObjectHash): readonly ObjectHash[] | undefined {
    const folder = orUndefined(() => this.#folders.read(hash));
    return folder?.entries.flatMap(({ state }) => (state.kind === "folder" ? state.hash : []));
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
