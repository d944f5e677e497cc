import { type PathBytes, pathIn, textOfPath } from "../../record/files.ts";
import type { ObjectHash } from "../../record/ids.ts";
import { orUndefined } from "../exchange/whole-snapshots.ts";
import type { FolderCache } from "../objects/folder-cache.ts";
import type { FolderEntry } from "../objects/folder-object.ts";
import { settleFromBelow } from "../objects/folders-from-below.ts";

/** What was found below a folder, by paths within it. */
export interface FoundBelow {
  readonly paths: readonly PathBytes[];
  readonly names: readonly PathBytes[];
}

export interface PlacesWish {
  readonly contents: ReadonlySet<ObjectHash>;
  readonly inName: (name: string) => boolean;
}

const NOTHING: FoundBelow = { paths: [], names: [] };

/** Where contents lie. Each folder is read once, however many snapshots share it. */
export class Places {
  readonly #folders: FolderCache;
  readonly #wish: PlacesWish;
  readonly #known = new Map<ObjectHash, FoundBelow>();
  /** How many folders could not be read. */
  unreadable = 0;

  constructor(folders: FolderCache, wish: PlacesWish) {
    this.#folders = folders;
    this.#wish = wish;
  }

  below(hash: ObjectHash): FoundBelow {
    settleFromBelow(hash, {
      isSettled: (each) => this.#known.has(each),
      read: (each) => orUndefined(() => this.#folders.read(each))?.entries,
      foldersIn: (entries = []) =>
        entries.flatMap(({ state }) => (state.kind === "folder" ? state.hash : [])),
      settle: (each, entries) => {
        if (entries === undefined) this.unreadable += 1;
        this.#known.set(each, joined((entries ?? []).map((entry) => this.#entry(entry))));
      },
    });
    return this.#known.get(hash) ?? NOTHING;
  }

  /** The folders in its own are known by then. */

  #entry({ name, state }: FolderEntry): FoundBelow {
    const isNamed = this.#isNamed(name) || (state.kind === "link" && this.#isNamed(state.target));
    const own: FoundBelow = {
      paths: state.kind === "file" && this.#wish.contents.has(state.hash) ? [name] : [],
      names: isNamed ? [name] : [],
    };
    if (state.kind !== "folder") return own;
    const { paths, names } = this.#known.get(state.hash) ?? NOTHING;
    if (paths.length + names.length === 0) return own;
    const within = (path: PathBytes): PathBytes => pathIn(name, path);
    return joined([own, { paths: paths.map(within), names: names.map(within) }]);
  }

  #isNamed(name: PathBytes): boolean {
    return this.#wish.inName(textOfPath(name) ?? name);
  }
}

function joined(found: readonly FoundBelow[]): FoundBelow {
  const some = found.filter(({ paths, names }) => paths.length + names.length > 0);
  if (some.length === 0) return NOTHING;
  return { paths: some.flatMap(({ paths }) => paths), names: some.flatMap(({ names }) => names) };
}
