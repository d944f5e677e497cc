import type { ObjectHash } from "../../record/ids.ts";
import type { Folder } from "./folder-object.ts";
import { settleFromBelow } from "./folders-from-below.ts";
import { EMPTY_TREE, type TreeSize, withEntry } from "./limits.ts";

/** How large folders are with everything below them. Each is read once, at however many paths it is. */
export class TreeMeasures {
  readonly #read: (hash: ObjectHash) => Folder | undefined;
  readonly #known = new Map<ObjectHash, TreeSize | "broken">();

  /** `read` gives undefined for a folder that cannot be read, or throws. */
  constructor(read: (hash: ObjectHash) => Folder | undefined) {
    this.#read = read;
  }

  /** "broken" where some folder cannot be read. */
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
