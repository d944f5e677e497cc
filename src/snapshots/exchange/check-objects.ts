import type { ObjectsCheck, SnapshotObject } from "../../ports/snapshot-objects.ts";
import { type ErrorParams, isWorldlineError } from "../../record/error.ts";
import { type FileState, isGitName, shownPath } from "../../record/files.ts";
import type { ObjectHash, SnapshotId } from "../../record/ids.ts";
import type { ObjectsFault } from "../../strings/errors/facts.ts";
import { ObjectTable } from "../keeping/object-table.ts";
import {
  EMPTY_TREE,
  excessOf,
  hashObject,
  MAX_FOLDER_BYTES,
  MAX_FOLDER_ENTRIES,
  MAX_FOLDERS_NAMED,
  MAX_NAME_BYTES,
  MAX_OBJECTS,
  MAX_TARGET_BYTES,
  type TreeSize,
  withEntry,
} from "../objects/object.ts";
import { asObjectHash, decodeFolder, decodeSnapshot, type FolderEntry } from "../objects/tree-objects.ts";

/** Bits in an object's mark, which record what is known about the object. */
const THERE = { content: 1, folder: 2, snapshot: 4 } as const;
const NEEDED = { content: 8, folder: 16 } as const;
const ABSENT = 32;
const ANY_THERE = THERE.content | THERE.folder | THERE.snapshot;

/** A snapshot object contains little more than the path of a workspace. */
const MAX_SNAPSHOT_BYTES = 64 * 1024;
const SET_ID_BITS = 0o6000;
const SET_USER_ID_BIT = 0o4000;

export interface CheckLimits {
  readonly folderEntries: number;
  readonly objects: number;
  readonly foldersNamed: number;
}

const DEFAULT_CHECK_LIMITS: CheckLimits = {
  folderEntries: MAX_FOLDER_ENTRIES,
  objects: MAX_OBJECTS,
  foldersNamed: MAX_FOLDERS_NAMED,
};

/**
 * Checks objects from elsewhere. Each object must match its hash, no folder may contain anything that a restore must
 * not write, all objects must belong together, and no snapshot may be larger than the largest that a capture can
 * create. Each object is examined only once, even if it occurs at several paths. The check uses 52 bytes of memory for
 * each object, more for folders, and 8 bytes for each subfolder.
 */
export class CheckingObjects implements ObjectsCheck {
  readonly #limits: CheckLimits;
  readonly #table = new ObjectTable();
  readonly #sizes = new TreeSizes();

  constructor(limits: Partial<CheckLimits> = {}) {
    this.#limits = { ...DEFAULT_CHECK_LIMITS, ...limits };
  }

  object({ kind, hash, bytes }: SnapshotObject): ObjectsFault | undefined {
    const tooLarge = excessOfBytes(kind, bytes.length);
    if (tooLarge !== undefined) return tooLarge;
    if (hashObject(kind, bytes) !== hash) return { fault: "wrong-hash", kind };
    if ((this.#markOf(hash) & (ANY_THERE | ABSENT)) !== 0) return { fault: "repeated", kind };
    this.#mark(hash, THERE[kind]);
    try {
      if (kind === "folder") return this.#readFolder(hash, bytes) ?? this.#excess();
      if (kind === "snapshot") return this.#readSnapshot(bytes) ?? this.#excess();
    } catch (error) {
      if (!isWorldlineError(error) || error.reason !== "object-unreadable") throw error;
      return { fault: "unreadable", ...(error.params as ErrorParams<"object-unreadable">) };
    }
    return this.#excess();
  }

  absent(hash: ObjectHash): ObjectsFault | undefined {
    if ((this.#markOf(hash) & (ANY_THERE | ABSENT)) !== 0) return { fault: "absent-present" };
    this.#mark(hash, ABSENT);
    return this.#excess();
  }

  finish(snapshots: readonly SnapshotId[]): ObjectsFault | undefined {
    const wanted = new Set(snapshots);
    for (const id of wanted) {
      if ((this.#markOf(asObjectHash(id)) & THERE.snapshot) === 0)
        return { fault: "snapshot-missing", snapshot: id };
    }
    let count = 0;
    for (let object = 0; object < this.#table.size; object += 1) {
      const mark = this.#table.markOf(object);
      if ((mark & THERE.snapshot) !== 0) count += 1;
      const fault = faultOf(mark);
      if (fault !== undefined) return fault;
    }
    if (count !== wanted.size) return { fault: "snapshot-unannounced" };
    return this.#faultOfSizes();
  }

  /**
   * Checks the sizes of all folders. At this point, every folder is known to be part of a snapshot, so a folder that is
   * too large makes its snapshot too large.
   */
  #faultOfSizes(): ObjectsFault | undefined {
    for (const size of this.#sizes.ofAll()) {
      const excess = excessOf(size);
      if (excess !== undefined) return { fault: "snapshot-size", excess };
    }
    return undefined;
  }

  #excess(): ObjectsFault | undefined {
    const { objects, foldersNamed } = this.#limits;
    if (this.#table.size > objects) return { fault: "objects", most: objects };
    if (this.#sizes.named > foldersNamed) return { fault: "folders-named", most: foldersNamed };
    return undefined;
  }

  #readFolder(hash: ObjectHash, bytes: Uint8Array): ObjectsFault | undefined {
    const { entries } = decodeFolder(bytes, this.#limits.folderEntries);
    this.#sizes.begin(this.#numberOf(hash));
    for (const entry of entries) {
      const { name, state } = entry;
      const refusal = refusalOf(entry);
      if (refusal !== undefined) return refusal;
      if (state.kind === "file") this.#mark(state.hash, NEEDED.content);
      if (state.kind === "folder") {
        this.#mark(state.hash, NEEDED.folder);
        this.#sizes.addFolder(name.length, this.#numberOf(state.hash));
      } else this.#sizes.add(name.length);
    }
    return undefined;
  }

  #readSnapshot(bytes: Uint8Array): ObjectsFault | undefined {
    const { root, outsideRules } = decodeSnapshot(bytes);
    this.#mark(root.hash, NEEDED.folder);
    if (outsideRules !== undefined) this.#mark(outsideRules, NEEDED.content);
    return refusalOfMode("", root);
  }

  #markOf(hash: ObjectHash): number {
    const object = this.#table.find(hash);
    return object === undefined ? 0 : this.#table.markOf(object);
  }

  #mark(hash: ObjectHash, bit: number): void {
    const object = this.#numberOf(hash);
    this.#table.mark(object, this.#table.markOf(object) | bit);
  }

  #numberOf(hash: ObjectHash): number {
    const known = this.#table.find(hash);
    if (known !== undefined) return known;
    this.#table.add(hash, 0);
    return this.#table.size - 1;
  }
}

function excessOfBytes(kind: SnapshotObject["kind"], bytes: number): ObjectsFault | undefined {
  const most = kind === "folder" ? MAX_FOLDER_BYTES : MAX_SNAPSHOT_BYTES;
  if (kind === "content" || bytes <= most) return undefined;
  return { fault: "object-bytes", kind, bytes, most };
}

/**
 * Returns the reason for refusing an entry that `decodeFolder` accepts. The user's own folders may have such entries,
 * but folders from elsewhere must not.
 */
function refusalOf({ name, state }: FolderEntry): ObjectsFault | undefined {
  if (name.length > MAX_NAME_BYTES) return { fault: "name-bytes", most: MAX_NAME_BYTES };
  if (state.kind !== "left-out" && isGitName(name)) return { fault: "git-name", name: shownPath(name) };
  if (state.kind === "link" && state.target.length > MAX_TARGET_BYTES)
    return { fault: "target-bytes", most: MAX_TARGET_BYTES };
  return refusalOfMode(name, state);
}

/**
 * Refuses modes with the setuid or setgid bit, because a program with such a mode would run with the rights of the user
 * who restored it. On a folder, the setgid bit does not grant any permissions.
 */
function refusalOfMode(name: string, state: FileState): ObjectsFault | undefined {
  const isSet = (bits: number): boolean => "mode" in state && (state.mode & bits) !== 0;
  if (!isSet(state.kind === "file" ? SET_ID_BITS : SET_USER_ID_BIT)) return undefined;
  return { fault: "set-id", name: shownPath(name) };
}

function faultOf(mark: number): ObjectsFault | undefined {
  const has = (bits: number): boolean => (mark & bits) !== 0;
  if (has(NEEDED.folder) !== has(THERE.folder))
    return { fault: has(THERE.folder) ? "folder-unused" : "folder-missing" };
  if (has(NEEDED.content) !== has(THERE.content | ABSENT))
    return { fault: has(NEEDED.content) ? "content-missing" : "content-unused" };
  return undefined;
}

const FIRST_ROOM = 1_024;
const ENDLESS: TreeSize = { paths: Number.MAX_SAFE_INTEGER, longest: Number.MAX_SAFE_INTEGER };

/** The result of reading one folder. */
interface Read {
  /** The total size of the folder's entries that are not folders. */
  readonly own: TreeSize;
  /** The position of the folder's first subfolder in the list of all subfolders, and the number of its subfolders. */
  readonly from: number;
  readonly count: number;
}

/**
 * The sizes of folders, including everything below them. Folders can be added in any order, even before their
 * subfolders. A folder is identified by a number and examined only once, no matter how many paths it has.
 */
export class TreeSizes {
  readonly #read = new Map<number, Read>();
  /** Two numbers for each subfolder: the length of its name, and the number that identifies it. */
  #named = new Uint32Array(FIRST_ROOM);
  #namedCount = 0;
  #open: { folder: number; own: TreeSize; from: number } | undefined;

  /** The total number of subfolders. */
  get named(): number {
    return this.#namedCount;
  }

  /** Begins a folder. All entries that are added until the next call belong to this folder. */
  begin(folder: number): void {
    this.#close();
    this.#open = { folder, own: EMPTY_TREE, from: this.#namedCount };
  }

  add(nameBytes: number): void {
    if (this.#open !== undefined) this.#open.own = withEntry(this.#open.own, nameBytes);
  }

  addFolder(nameBytes: number, folder: number): void {
    const at = 2 * this.#namedCount;
    if (at === this.#named.length) {
      const larger = new Uint32Array(2 * at);
      larger.set(this.#named);
      this.#named = larger;
    }
    this.#named[at] = nameBytes;
    this.#named[at + 1] = folder;
    this.#namedCount += 1;
  }

  /**
   * Computes the sizes of all folders, deepest first. If two folders contained each other, the sizes could not be
   * computed, but hashes make such folders impossible.
   */
  *ofAll(): Generator<TreeSize> {
    this.#close();
    const sizes = new Map<number, TreeSize>();
    for (const root of this.#read.keys()) {
      const stack = sizes.has(root) ? [] : [{ folder: root, next: 0 }];
      const entered = new Set([root]);
      for (let at = stack.at(-1); at !== undefined; at = stack.at(-1)) {
        const below = this.#below(at.folder, at.next);
        if (below === undefined) {
          const size = this.#sizeOf(at.folder, sizes);
          sizes.set(at.folder, size);
          yield size;
          stack.pop();
          continue;
        }
        at.next += 1;
        if (sizes.has(below)) continue;
        if (entered.has(below)) {
          yield ENDLESS;
          return;
        }
        entered.add(below);
        stack.push({ folder: below, next: 0 });
      }
    }
  }

  /** Returns the subfolder at this position within a folder. */
  #below(folder: number, place: number): number | undefined {
    const read = this.#read.get(folder);
    return read === undefined || place >= read.count ? undefined : this.#named[2 * (read.from + place) + 1];
  }

  #sizeOf(folder: number, sizes: ReadonlyMap<number, TreeSize>): TreeSize {
    const read = this.#read.get(folder);
    if (read === undefined) return EMPTY_TREE;
    let size = read.own;
    for (let place = read.from; place < read.from + read.count; place += 1) {
      const below = sizes.get(this.#named[2 * place + 1] ?? 0);
      size = withEntry(size, this.#named[2 * place] ?? 0, below);
    }
    return size;
  }

  #close(): void {
    if (this.#open === undefined) return;
    const { folder, own, from } = this.#open;
    this.#read.set(folder, { own, from, count: this.#namedCount - from });
    this.#open = undefined;
  }
}
