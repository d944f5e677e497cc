import { WorldlineError } from "../../record/error.ts";
import {
  type FileState,
  type FolderState,
  isFailure,
  type LeftOut,
  type PathBytes,
} from "../../record/files.ts";
import type { ObjectHash, SnapshotId } from "../../record/ids.ts";
import type { FolderFault } from "../../strings/errors/facts.ts";
import { ByteReader, ByteWriter, expectVersion, OBJECT_VERSION, type ObjectStore } from "./object.ts";
/**
 * The state of a workspace. A snapshot does not record when or by which program it was captured, so that an unchanged
 * workspace has the same id.
 */
export interface Snapshot {
  readonly root: FolderState;
  /** The real path of the workspace. */
  readonly workspace: string;
  /** The content of the ignore rules outside the workspace. Absent if there were no such rules. */
  readonly outsideRules: ObjectHash | undefined;
}

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

/**
 * Decodes a snapshot. Throws SNAPSHOT_DAMAGED for bytes that `encodeSnapshot` did not write, and FORMAT_NEWER for a
 * later version.
 */
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

/** Writes a snapshot. It becomes durable with `objects.sync`. */
export function writeSnapshot(objects: ObjectStore, snapshot: Snapshot): SnapshotId {
  return asSnapshotId(objects.put("snapshot", encodeSnapshot(snapshot)));
}

/** Reads a snapshot. Throws SNAPSHOT_MISSING, SNAPSHOT_DAMAGED, or FORMAT_NEWER. */
export function readSnapshot(objects: ObjectStore, id: SnapshotId): Snapshot {
  return decodeSnapshot(objects.get(asObjectHash(id), "snapshot"));
}

/** Converts a hash to a snapshot id. The id of a snapshot is the hash of its object. */
export function asSnapshotId(hash: ObjectHash): SnapshotId {
  return hash as string as SnapshotId;
}

export function asObjectHash(id: SnapshotId): ObjectHash {
  return id as string as ObjectHash;
}

/**
 * The contents of a folder object. The contents consist of one entry for each name, in byte order, so that two folders
 * can be compared side by side.
 */
export interface Folder {
  /** Number of failures in the folder, at any depth. Only folders with failures must be visited to find gaps. */
  readonly failures: number;
  readonly entries: readonly FolderEntry[];
}

export interface FolderEntry {
  readonly name: PathBytes;
  readonly state: FileState;
  /**
   * Number of failures at or below the entry. The number is stored next to the hash of a folder, so that totals can be
   * computed without reading the folder.
   */
  readonly failures: number;
}

export const EMPTY_FOLDER: Folder = { failures: 0, entries: [] };

const FILE = 1;
const FOLDER = 2;
const LINK = 3;
const LEFT_OUT = 4;
/**
 * Reasons for leaving out a path. The index of a reason is stored in folder objects and manifests, so new reasons must
 * be added at the end.
 */
export const REASONS: readonly LeftOut[] = [
  "ignored",
  "too-large",
  "git",
  "own-store",
  "special",
  "unreadable",
  "changing",
  "path-too-long",
];
const HIGHEST_MODE = 0o7777;

/** Creates the entry for a state other than a folder. Such an entry has at most one failure, its own. */
export function entryOf(name: PathBytes, state: Exclude<FileState, { kind: "folder" }>): FolderEntry {
  return { name, state, failures: state.kind === "left-out" && isFailure(state.why) ? 1 : 0 };
}

/** Creates a folder from entries that are already sorted. */
export function folderWith(entries: readonly FolderEntry[]): Folder {
  return { failures: failuresOf(entries), entries };
}

/** Finds the entry with this name by binary search. */
export function entryNamed(folder: Folder, name: PathBytes): FolderEntry | undefined {
  let from = 0;
  let to = folder.entries.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const entry = folder.entries[middle];
    if (entry === undefined || entry.name === name) return entry;
    if (entry.name < name) from = middle + 1;
    else to = middle;
  }
  return undefined;
}

/**
 * Encodes a folder as its version, its number of failures, and its number of entries, followed by the entries. Each
 * entry consists of its kind, its name, and the data that the kind requires. Throws SNAPSHOT_DAMAGED for a folder that
 * `decodeFolder` would reject, so that such a folder is never written.
 */
export function encodeFolder(folder: Folder): Buffer {
  const writer = new ByteWriter();
  writer.byte(OBJECT_VERSION);
  writer.number(folder.failures);
  writer.number(folder.entries.length);
  for (const entry of folder.entries) writeEntry(writer, entry);
  const refusal = refusalOf(folder);
  if (refusal === undefined) return writer.bytes();
  throw new WorldlineError("folder-not-storable", { fault: refusal });
}

/**
 * Decodes a folder. Throws SNAPSHOT_DAMAGED for bytes that `encodeFolder` did not write and for a folder with more than
 * `maxEntries` entries. Throws FORMAT_NEWER for a later version.
 */
export function decodeFolder(bytes: Uint8Array, maxEntries: number = Number.MAX_SAFE_INTEGER): Folder {
  const reader = new ByteReader(bytes, "folder");
  expectVersion(reader, "folder");
  const failures = reader.number();
  const count = reader.number();
  if (count > maxEntries) {
    const damage = { damage: "too-many-entries", most: maxEntries } as const;
    throw new WorldlineError("object-unreadable", { kind: "folder", damage });
  }
  const entries: FolderEntry[] = [];
  for (let index = 0; index < count; index++) entries.push(readEntry(reader));
  reader.end();
  const folder = { failures, entries };
  const refusal = refusalOf(folder);
  if (refusal !== undefined) throw reader.damaged(refusal);
  return folder;
}

function writeEntry(writer: ByteWriter, { name, state, failures }: FolderEntry): void {
  switch (state.kind) {
    case "file":
      writer.byte(FILE);
      writer.text(name, "latin1");
      writer.number(state.mode);
      writer.number(state.size);
      writer.hash(state.hash);
      break;
    case "folder":
      writer.byte(FOLDER);
      writer.text(name, "latin1");
      writer.number(state.mode);
      writer.number(failures);
      writer.hash(state.hash);
      break;
    case "link":
      writer.byte(LINK);
      writer.text(name, "latin1");
      writer.text(state.target, "latin1");
      break;
    case "left-out":
      writer.byte(LEFT_OUT);
      writer.text(name, "latin1");
      writer.byte(REASONS.indexOf(state.why));
      break;
    default:
      state satisfies never;
  }
}

function readEntry(reader: ByteReader): FolderEntry {
  const kind = reader.byte();
  const name = reader.path();
  switch (kind) {
    case FILE: {
      const mode = reader.number();
      const size = reader.number();
      return { name, state: { kind: "file", mode, size, hash: reader.hash() }, failures: 0 };
    }
    case FOLDER: {
      const mode = reader.number();
      const failures = reader.number();
      return { name, state: { kind: "folder", mode, hash: reader.hash() }, failures };
    }
    case LINK:
      return entryOf(name, { kind: "link", target: reader.path() });
    case LEFT_OUT: {
      const why = REASONS[reader.byte()];
      if (why === undefined) throw reader.damaged("unknown-reason");
      return entryOf(name, { kind: "left-out", why });
    }
    default:
      throw reader.damaged("unknown-kind");
  }
}

/**
 * Returns the reason why a folder must be neither written nor trusted, or undefined if there is none. A restore writes
 * to the paths in a folder's entries, so an invalid name could lead out of the workspace.
 */
function refusalOf(folder: Folder): FolderFault | undefined {
  let previous = "";
  for (const { name, state } of folder.entries) {
    if (!isName(name)) return "bad-name";
    if (name <= previous) return "unordered";
    if (name === ".git" && state.kind !== "left-out") return "holds-git";
    const refusal = refusalOfState(state);
    if (refusal !== undefined) return refusal;
    previous = name;
  }
  if (folder.failures !== failuresOf(folder.entries)) return "failures-do-not-add-up";
  return undefined;
}

function refusalOfState(state: FileState): FolderFault | undefined {
  switch (state.kind) {
    case "file":
      if (!Number.isSafeInteger(state.size) || state.size < 0) return "bad-size";
      return refusalOfObject(state);
    case "folder":
      return refusalOfObject(state);
    case "link":
      return isPath(state.target) ? undefined : "bad-target";
    case "left-out":
      return undefined;
    default:
      return state satisfies never;
  }
}

function refusalOfObject({ mode, hash }: { mode: number; hash: ObjectHash }): FolderFault | undefined {
  if (!Number.isInteger(mode) || mode < 0 || mode > HIGHEST_MODE) return "bad-mode";
  return /^[0-9a-f]{64}$/.test(hash) ? undefined : "bad-hash";
}

function isName(name: PathBytes): boolean {
  return name !== "" && name !== "." && name !== ".." && !name.includes("/") && isPath(name);
}

/**
 * Checks whether the string is a path. A path has one character for each byte, and does not contain NUL, because the
 * system ends a path at the first NUL.
 */
function isPath(path: PathBytes): boolean {
  return !path.includes("\0") && !/[\u0100-\uffff]/.test(path);
}

function failuresOf(entries: readonly FolderEntry[]): number {
  let failures = 0;
  for (const entry of entries) failures += entry.failures;
  return failures;
}

/** Default limit of the cache, in entries. Each entry takes about 200 bytes. */
const DEFAULT_LIMIT = 300_000;

/**
 * Caches recently used folders in decoded form. Folders that a capture writes stay in the cache, so that the next
 * capture does not have to read folders from the disk.
 */
export class FolderCache {
  readonly objects: ObjectStore;
  readonly #limit: number;
  /** The cached folders. The least recently used folder comes first. */
  readonly #folders = new Map<ObjectHash, Folder>();
  #weight = 0;

  /**
   * Creates a cache for folders with up to `limit` entries in total. The most recently used folder is always cached.
   */
  constructor(objects: ObjectStore, limit: number = DEFAULT_LIMIT) {
    this.objects = objects;
    this.#limit = limit;
  }

  /** Reads a folder. Throws SNAPSHOT_MISSING or SNAPSHOT_DAMAGED. */
  read(hash: ObjectHash): Folder {
    const known = this.#folders.get(hash);
    const folder = known ?? decodeFolder(this.objects.get(hash, "folder"));
    this.#keep(hash, folder);
    return folder;
  }

  /** Writes a folder. It becomes durable with `objects.sync`. */
  write(folder: Folder): ObjectHash {
    const hash = this.objects.put("folder", encodeFolder(folder));
    this.#keep(hash, folder);
    return hash;
  }

  /**
   * Empties the cache. Must be called when objects may have been removed, for example, by a gc. A folder that is only
   * in the cache must not be treated as stored.
   */
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

/** Returns the weight of a folder. An empty folder takes up memory as well. */
function weightOf(folder: Folder): number {
  return folder.entries.length + 1;
}
