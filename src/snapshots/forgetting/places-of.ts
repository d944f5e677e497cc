import { type PathBytes, pathIn, textOfPath } from "../../record/files.ts";
import type { ObjectHash } from "../../record/ids.ts";
import { MAX_PATH_BYTES } from "../objects/object.ts";
import type { FolderCache, FolderEntry } from "../objects/tree-objects.ts";
import { orUndefined, settleFromBelow } from "../objects/tree-sizes.ts";

/**
 * How many places were found at or below a folder. The numbers are capped, because a few objects can produce 2^60
 * paths.
 */
export interface PlaceCounts {
  readonly paths: number;
  readonly names: number;
}

/** Places that have been found, as paths within the workspace. */
export interface ListedPlaces {
  readonly paths: Set<PathBytes>;
  readonly names: Set<PathBytes>;
  /**
   * Folders that have already been listed at their paths. A place shared by several snapshots is therefore listed only
   * once.
   */
  readonly listed: Set<string>;
}

interface Visit {
  readonly path: PathBytes;
  readonly hash: ObjectHash;
}

export interface PlacesRequest {
  readonly contents: ReadonlySet<ObjectHash>;
  readonly inName: (name: string) => boolean;
}

const NONE: PlaceCounts = { paths: 0, names: 0 };
/**
 * The limits for listing places: the number of places in one snapshot, and the number of entries that are read for all
 * snapshots together.
 */
const MAX_PLACES = 100_000;
const MAX_LOOKED_AT = 50_000_000;

/**
 * Finds where contents occur. Counting reads each folder only once, even if many snapshots and paths share it. Listing
 * visits each path separately. It enters only folders that contain one of the contents, and stops if a snapshot has too
 * many places.
 */
export class Places {
  readonly #folders: FolderCache;
  readonly #request: PlacesRequest;
  readonly #counts = new Map<ObjectHash, PlaceCounts>();
  #left = MAX_LOOKED_AT;
  /** Number of folders that could not be read. */
  unreadable = 0;

  constructor(folders: FolderCache, request: PlacesRequest) {
    this.#folders = folders;
    this.#request = request;
  }

  countBelow(root: ObjectHash): PlaceCounts {
    settleFromBelow(root, {
      isSettled: (hash) => this.#counts.has(hash),
      read: (hash) => orUndefined(() => this.#folders.read(hash))?.entries,
      foldersIn: (entries = []) =>
        entries.flatMap(({ state }) => (state.kind === "folder" ? state.hash : [])),
      settle: (hash, entries) => {
        if (entries === undefined) this.unreadable += 1;
        this.#counts.set(hash, this.#countIn(entries ?? []));
      },
    });
    return this.#counts.get(root) ?? NONE;
  }

  /**
   * Adds the places below `root`, which must already have been counted. Returns "some" if there are more places than
   * can be listed.
   */
  listBelow(root: ObjectHash, places: ListedPlaces): "all" | "some" {
    const before = placesIn(places);
    let which: "all" | "some" = "all";
    const waiting: Visit[] = [{ path: "", hash: root }];
    for (let visit = waiting.pop(); visit !== undefined; visit = waiting.pop()) {
      if (this.#left < 0 || placesIn(places) - before >= MAX_PLACES) return "some";
      if (visit.path.length > MAX_PATH_BYTES) which = "some";
      else for (const below of this.#list(visit, places)) waiting.push(below);
    }
    return which;
  }

  /** Adds the places in one folder. Returns its subfolders that contain more places. */
  #list({ path: folder, hash }: Visit, { paths, names, listed }: ListedPlaces): Visit[] {
    const key = `${hash} ${folder}`;
    if (listed.has(key)) return [];
    listed.add(key);
    const entries = orUndefined(() => this.#folders.read(hash))?.entries ?? [];
    this.#left -= entries.length;
    const below: Visit[] = [];
    for (const entry of entries) {
      const path = pathIn(folder, entry.name);
      if (this.#isHolding(entry)) paths.add(path);
      if (this.#isNamed(entry)) names.add(path);
      if (entry.state.kind === "folder" && this.#hasAny(entry.state.hash))
        below.push({ path, hash: entry.state.hash });
    }
    return below;
  }

  /** Counts the places at or below a folder. The counts for its subfolders are already known. */
  #countIn(entries: readonly FolderEntry[]): PlaceCounts {
    let { paths, names } = NONE;
    for (const entry of entries) {
      const { state } = entry;
      const below = state.kind === "folder" ? (this.#counts.get(state.hash) ?? NONE) : NONE;
      paths += below.paths + (this.#isHolding(entry) ? 1 : 0);
      names += below.names + (this.#isNamed(entry) ? 1 : 0);
    }
    return paths + names === 0
      ? NONE
      : {
          paths: Math.min(paths, Number.MAX_SAFE_INTEGER),
          names: Math.min(names, Number.MAX_SAFE_INTEGER),
        };
  }

  #hasAny(folder: ObjectHash): boolean {
    const { paths, names } = this.#counts.get(folder) ?? NONE;
    return paths + names > 0;
  }

  #isHolding({ state }: FolderEntry): boolean {
    return state.kind === "file" && this.#request.contents.has(state.hash);
  }

  #isNamed({ name, state }: FolderEntry): boolean {
    const isIn = (path: PathBytes): boolean => this.#request.inName(textOfPath(path) ?? path);
    return isIn(name) || (state.kind === "link" && isIn(state.target));
  }
}

function placesIn({ paths, names }: ListedPlaces): number {
  return paths.size + names.size;
}
