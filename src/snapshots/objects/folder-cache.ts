import type { ObjectHash } from "../../record/ids.ts";
import type { Folder } from "./folder-object.ts";
import { decodeFolder, encodeFolder } from "./folder-object.ts";
import type { ObjectStore } from "./object-store.ts";

/** In entries, of some 200 bytes each. */
const DEFAULT_LIMIT = 300_000;

/**
 * The folders that were used last, decoded, over the store that has them all. What a capture writes stays here, so
 * that the next one reads nothing from the disk.
 */
export class FolderCache {
  readonly objects: ObjectStore;
  readonly #limit: number;
  /** The first of them was not used for the longest time. */
  readonly #folders = new Map<ObjectHash, Folder>();
  #weight = 0;

  /** Holds up to `limit` entries of folders, and at least the folder used last. */
  constructor(objects: ObjectStore, limit: number = DEFAULT_LIMIT) {
    this.objects = objects;
    this.#limit = limit;
  }

  /** Throws SNAPSHOT_MISSING or SNAPSHOT_DAMAGED. */
  read(hash: ObjectHash): Folder {
    const known = this.#folders.get(hash);
    const folder = known ?? decodeFolder(this.objects.get(hash, "folder"));
    this.#keep(hash, folder);
    return folder;
  }

  /** Durable after `objects.sync`. */
  write(folder: Folder): ObjectHash {
    const hash = this.objects.put("folder", encodeFolder(folder));
    this.#keep(hash, folder);
    return hash;
  }

  /** For when objects may have gone, as after a gc: what is only remembered here must not pass for stored. */
  clear(): void {
    this.#folders.clear();
    this.#weight = 0;
  }

  #keep(hash: ObjectHash, folder: Folder): void {
    if (!this.#folders.delete(hash)) this.#weight += weightOf(folder);
    this.#folders.set(hash, folder);
    for (const [oldest, forgotten] of this.#folders) {
      if (this.#weight <= this.#limit || oldest === hash) break;
      this.#folders.delete(oldest);
      this.#weight -= weightOf(forgotten);
    }
  }
}

/** An empty folder takes room as well. */
function weightOf(folder: Folder): number {
  return folder.entries.length + 1;
}
