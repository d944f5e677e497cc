import type { ObjectsCheck, SnapshotObject } from "../../ports/snapshot-objects.ts";
import { type ErrorParams, isWorldlineError } from "../../record/error.ts";
import { type FileState, shownPath } from "../../record/files.ts";
import { isGitName } from "../../record/git-name.ts";
import type { ObjectHash, SnapshotId } from "../../record/ids.ts";
import { snapshotExcess, unreadableObject } from "../../strings/errors/en/files.ts";
import { ObjectTable } from "../keeping/marking/object-table.ts";
import { decodeFolder, type FolderEntry } from "../objects/folder-object.ts";
import { hashObject } from "../objects/hash-object.ts";
import {
  excessOf,
  MAX_FOLDER_BYTES,
  MAX_FOLDER_ENTRIES,
  MAX_FOLDERS_NAMED,
  MAX_NAME_BYTES,
  MAX_OBJECTS,
  MAX_TARGET_BYTES,
} from "../objects/limits.ts";
import { asObjectHash, decodeSnapshot } from "../objects/snapshot-object.ts";
import { TreeSizes } from "./tree-sizes.ts";

/** What was seen of an object, as bits of its mark. */
const THERE = { content: 1, folder: 2, snapshot: 4 } as const;
const NEEDED = { content: 8, folder: 16 } as const;
const ABSENT = 32;
const ANY_THERE = THERE.content | THERE.folder | THERE.snapshot;

/** A snapshot object holds little more than the path of a workspace. */
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
 * Checks objects that somebody else has made: that each is what its hash says, that no folder says what a restore
 * must not do, that all of them belong together, and that no snapshot is larger than a capture makes them. Each object is
 * looked at once, at however many paths it is; holds 52 bytes for each, more for folders, and 8 for each folder in a folder.
 */
export class CheckingObjects implements ObjectsCheck {
  readonly #limits: CheckLimits;
  readonly #table = new ObjectTable();
  readonly #sizes = new TreeSizes();

  constructor(limits: Partial<CheckLimits> = {}) {
    this.#limits = { ...DEFAULT_CHECK_LIMITS, ...limits };
  }

  object({ kind, hash, bytes }: SnapshotObject): string | undefined {
    const tooLarge = excessOfBytes(kind, bytes.length);
    if (tooLarge !== undefined) return tooLarge;
    if (hashObject(kind, bytes) !== hash) return `the ${kind} is not what its hash says`;
    if ((this.#markOf(hash) & (ANY_THERE | ABSENT)) !== 0) return `the ${kind} stands in the bundle already`;
    this.#mark(hash, THERE[kind]);
    try {
      if (kind === "folder") return this.#readFolder(hash, bytes) ?? this.#excess();
      if (kind === "snapshot") return this.#readSnapshot(bytes) ?? this.#excess();
    } catch (error) {
      if (!isWorldlineError(error) || error.reason !== "object-unreadable") throw error;
      return unreadableObject(error.params as ErrorParams<"object-unreadable">);
    }
    return this.#excess();
  }

  absent(hash: ObjectHash): string | undefined {
    if ((this.#markOf(hash) & (ANY_THERE | ABSENT)) !== 0) return "what is said to be absent is there";
    this.#mark(hash, ABSENT);
    return this.#excess();
  }

  finish(snapshots: readonly SnapshotId[]): string | undefined {
    const wanted = new Set(snapshots);
    for (const id of wanted) {
      if ((this.#markOf(asObjectHash(id)) & THERE.snapshot) === 0) return `snapshot ${id} is missing`;
    }
    let count = 0;
    for (let object = 0; object < this.#table.size; object += 1) {
      const mark = this.#table.markOf(object);
      if ((mark & THERE.snapshot) !== 0) count += 1;
      const fault = faultOf(mark);
      if (fault !== undefined) return fault;
    }
    if (count !== wanted.size) return "it holds a snapshot that it does not announce";
    return this.#faultOfSizes();
  }

  /** Every folder belongs to a snapshot by then, so one that is too large makes a snapshot that is. */
  #faultOfSizes(): string | undefined {
    for (const size of this.#sizes.ofAll()) {
      const excess = excessOf(size);
      if (excess !== undefined)
        return `a snapshot is larger than any capture makes it: ${snapshotExcess(excess)}`;
    }
    return undefined;
  }

  #excess(): string | undefined {
    const { objects, foldersNamed } = this.#limits;
    if (this.#table.size > objects) return `it names more than ${objects.toLocaleString("en")} objects`;
    if (this.#sizes.named > foldersNamed)
      return `its folders name more than ${foldersNamed.toLocaleString("en")} folders`;
    return undefined;
  }

  #readFolder(hash: ObjectHash, bytes: Uint8Array): string | undefined {
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

  #readSnapshot(bytes: Uint8Array): string | undefined {
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

function excessOfBytes(kind: SnapshotObject["kind"], bytes: number): string | undefined {
  const most = kind === "folder" ? MAX_FOLDER_BYTES : MAX_SNAPSHOT_BYTES;
  if (kind === "content" || bytes <= most) return undefined;
  return `a ${kind} takes ${bytes.toLocaleString("en")} bytes, and may take ${most.toLocaleString("en")}`;
}

/** What `decodeFolder` lets pass, because the user's own files may be so, and others' must not. */
function refusalOf({ name, state }: FolderEntry): string | undefined {
  if (name.length > MAX_NAME_BYTES)
    return `a name has more than ${MAX_NAME_BYTES.toLocaleString("en")} bytes`;
  if (state.kind !== "left-out" && isGitName(name))
    return `it holds ${shownPath(name)}, which is .git on some file systems`;
  if (state.kind === "link" && state.target.length > MAX_TARGET_BYTES)
    return `the target of a link has more than ${MAX_TARGET_BYTES.toLocaleString("en")} bytes`;
  return refusalOfMode(name, state);
}

/** Such a program runs with the rights of the user who restored it. On folders the bit for the group gives no rights. */
function refusalOfMode(name: string, state: FileState): string | undefined {
  const isSet = (bits: number): boolean => "mode" in state && (state.mode & bits) !== 0;
  if (!isSet(state.kind === "file" ? SET_ID_BITS : SET_USER_ID_BIT)) return undefined;
  return `${name === "" ? "the workspace" : shownPath(name)} has a setuid or setgid bit`;
}

function faultOf(mark: number): string | undefined {
  const has = (bits: number): boolean => (mark & bits) !== 0;
  if (has(NEEDED.folder) !== has(THERE.folder))
    return has(THERE.folder)
      ? "no snapshot in it has one of its folders"
      : "a folder of a snapshot is missing";
  if (has(NEEDED.content) !== has(THERE.content | ABSENT))
    return has(NEEDED.content)
      ? "a content is neither there nor said to be absent"
      : "no snapshot in it has one of its contents";
  return undefined;
}
