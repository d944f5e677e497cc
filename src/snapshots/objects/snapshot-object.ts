import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { FolderState, PathBytes } from "../../record/files.ts";
import type { ObjectHash, SnapshotId } from "../../record/ids.ts";
import type { SnapshotExcess } from "../../strings/errors/facts.ts";
import { type Folder, type FolderCache, settleFromBelow } from "./folder-object.ts";
import { ByteReader, ByteWriter, expectVersion, OBJECT_VERSION, type ObjectStore } from "./object.ts";

/**
 * A workspace as it was. Nothing in it depends on when or by whom it was captured, so that an unchanged workspace
 * has the same id.
 */
export interface Snapshot {
  readonly root: FolderState;
  /** The real path of the workspace. */
  readonly workspace: string;
  /** The content of the ignore rules that stand outside of the workspace, where there are any. */
  readonly outsideRules: ObjectHash | undefined;
}

const HIGHEST_MODE = 0o7777;

export function encodeSnapshot({ root, workspace, outsideRules }: Snapshot): Buffer {
  const writer = new ByteWriter();
  writer.byte(OBJECT_VERSION);
  writer.number(root.mode);
  writer.hash(root.hash);
  writer.text(workspace, "utf8");
  writer.byte(outsideRules === undefined ? 0 : 1);
  if (outsideRules !== undefined) writer.hash(outsideRules);
  return writer.bytes();
}

/** Throws SNAPSHOT_DAMAGED for anything that `encodeSnapshot` did not write, FORMAT_NEWER for a later version. */
export function decodeSnapshot(bytes: Uint8Array): Snapshot {
  const reader = new ByteReader(bytes, "snapshot");
  expectVersion(reader, "snapshot");
  const mode = reader.number();
  if (mode > HIGHEST_MODE) throw reader.damaged("bad-mode");
  const root: FolderState = { kind: "folder", mode, hash: reader.hash() };
  const workspace = reader.text();
  const hasRules = reader.byte();
  if (hasRules > 1) throw reader.damaged("rules-flag");
  const outsideRules = hasRules === 1 ? reader.hash() : undefined;
  reader.end();
  return { root, workspace, outsideRules };
}

/** Durable after `objects.sync`. */
export function writeSnapshot(objects: ObjectStore, snapshot: Snapshot): SnapshotId {
  return asSnapshotId(objects.put("snapshot", encodeSnapshot(snapshot)));
}

/** Throws SNAPSHOT_MISSING, SNAPSHOT_DAMAGED or FORMAT_NEWER. */
export function readSnapshot(objects: ObjectStore, id: SnapshotId): Snapshot {
  return decodeSnapshot(objects.get(asObjectHash(id), "snapshot"));
}

/** A snapshot is known by the hash of its object. */
export function asSnapshotId(hash: ObjectHash): SnapshotId {
  return hash as string as SnapshotId;
}

export function asObjectHash(id: SnapshotId): ObjectHash {
  return id as string as ObjectHash;
}

/** Which snapshots can be walked to their last folder, and are within the limits. */
export class WholeSnapshots {
  readonly #folders: FolderCache;
  readonly #measures: TreeMeasures;

  constructor(folders: FolderCache) {
    this.#folders = folders;
    this.#measures = new TreeMeasures((hash) => orUndefined(() => folders.read(hash)));
  }

  /** Undefined when it is gone, or some folder of it is, or no capture can have made it. */
  read(id: SnapshotId): Snapshot | undefined {
    const snapshot = orUndefined(() => readSnapshot(this.#folders.objects, id));
    if (snapshot === undefined) return undefined;
    const size = this.#measures.of(snapshot.root.hash);
    return size === "broken" || excessOf(size) !== undefined ? undefined : snapshot;
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
