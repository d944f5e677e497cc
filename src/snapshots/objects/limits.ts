import { WorldlineError } from "../../record/error.ts";
import type { PathBytes } from "../../record/files.ts";
import type { SnapshotExcess } from "../../strings/errors/facts.ts";

/** No system takes a longer path, so no capture makes one. Folders can lie no deeper than half of this. */
export const MAX_PATH_BYTES = 4_095;
/** Of one snapshot, and of one comparison: more would not fit into the memory of a usual process. */
const MAX_PATHS = 5_000_000;

/** Of what comes from outside: of one folder, of its bytes, and of a name and the target of a link in it. */
export const MAX_FOLDER_ENTRIES = 1_000_000;
export const MAX_FOLDER_BYTES: number = 64 * 1024 * 1024;
export const MAX_NAME_BYTES = 1_024;
export const MAX_TARGET_BYTES = 4_095;
/** Of what comes from outside, all together: objects that are there or named, and folders named in folders. */
export const MAX_OBJECTS = 10_000_000;
export const MAX_FOLDERS_NAMED = 20_000_000;

/** How large a folder is with everything below it, where each path counts, however few objects they share. */
export interface TreeSize {
  /** Saturated: 61 objects can make 2^60 paths. */
  readonly paths: number;
  /** The length of the longest path within it. */
  readonly longest: number;
}

export const EMPTY_TREE: TreeSize = { paths: 0, longest: 0 };

/** The size with one more entry in it: `below` is what the entry holds, if it is a folder. */
export function withEntry(size: TreeSize, nameBytes: number, below: TreeSize = EMPTY_TREE): TreeSize {
  const length = below.paths === 0 ? nameBytes : nameBytes + 1 + below.longest;
  return {
    paths: Math.min(size.paths + 1 + below.paths, Number.MAX_SAFE_INTEGER),
    longest: Math.min(Math.max(size.longest, length), Number.MAX_SAFE_INTEGER),
  };
}

/** Which limit a snapshot exceeds; undefined for one that a capture can have made. */
export function excessOf(
  { paths, longest }: TreeSize,
  maxPaths: number = MAX_PATHS,
): SnapshotExcess | undefined {
  if (longest > MAX_PATH_BYTES) return { of: "path-bytes", most: MAX_PATH_BYTES };
  return paths > maxPaths ? { of: "paths", most: maxPaths } : undefined;
}

/** After so many paths it is worth to find out how many there are. */
const MANY_PATHS = 200_000;
/** A snapshot of so many times the limit is not gone through up to the limit; of others only some may be asked for. */
const FAR_TOO_MANY = 10;

/** Counts the paths that are enumerated, so that a made-up snapshot cannot make that endless. */
export class PathBudget {
  readonly #maxPaths: number;
  #taken = 0;

  constructor(maxPaths: number = MAX_PATHS) {
    this.#maxPaths = maxPaths;
  }

  /**
   * Throws SNAPSHOT_DAMAGED when the path, or one more path, is too much; `sizes`, which is called once there are many, may
   * say so sooner.
   */
  take(path: PathBytes, sizes: () => readonly (TreeSize | "broken")[]): void {
    this.#taken += 1;
    this.#require({ paths: this.#taken, longest: path.length });
    if (this.#taken !== MANY_PATHS) return;
    for (const size of sizes()) {
      if (size !== "broken") this.#require({ ...size, paths: size.paths / FAR_TOO_MANY });
    }
  }

  #require(size: TreeSize): void {
    const excess = excessOf(size, this.#maxPaths);
    if (excess !== undefined) throw new WorldlineError("snapshot-too-large", excess);
  }
}
