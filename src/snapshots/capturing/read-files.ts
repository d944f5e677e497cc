import { readdirSync, readFileSync, statfsSync } from "node:fs";
import { nodePath, PARENT_CHANGED } from "../../disk/held-folder.ts";
import {
  DATABASE_HEAD_BYTES,
  databaseBeside,
  holdsDatabases,
  isHeldDatabase,
  isOwnDatabase,
} from "../../disk/own-database.ts";
import { errnoOf, isMissing } from "../../record/error.ts";
import {
  BESIDE_DATABASE,
  type FileContent,
  type FolderState,
  folderOf,
  isGitName,
  type LeftOutState,
  type PathBytes,
} from "../../record/files.ts";
import { stateAt } from "../comparing/compare.ts";
import type { FolderEdit } from "../comparing/update-folders.ts";
import { isPassedOver, statOf, whyUnknown, whyUnreachable } from "../finding/coverage.ts";
import { isRacy, type Signature, signatureOf } from "../finding/findings.ts";
import { RULES_NAME } from "../finding/ignore-rules.ts";
import type { ObjectStore } from "../objects/object.ts";
import type { FolderCache } from "../objects/tree-objects.ts";
import type { PathStat, WorkspaceDisk } from "../workspace/workspace-disk.ts";
import type { StoredPath } from "./capture.ts";

export interface ReadContext extends StoreContext {
  /** The absolute path of the workspace. */
  readonly root: PathBytes;
}

/** Stores the content of the file at one path in the workspace. */
export function storePath(context: ReadContext, path: PathBytes): StoredPath {
  const { state, signature } = storeTrusted(context, path);
  return { path, state, signature };
}

interface StoredTrusted extends Stored {
  /**
   * The file's signature. Undefined if it is unknown, or if the file changed so recently that another change might not
   * show in its signature.
   */
  readonly signature: Signature | undefined;
}

function storeTrusted(context: ReadContext, path: PathBytes): StoredTrusted {
  // The time is recorded before the file is read, because a change after that moment may be missed. The time comes from
  // the system clock, which also sets the times of files.
  const at = Date.now();
  const stored = storeFile(context, `${context.root}/${path}`);
  const { stat } = stored;
  const signature = stat === undefined || isRacy(stat, at) ? undefined : signatureOf(stat);
  return { ...stored, signature };
}

interface StoreContext {
  readonly disk: WorkspaceDisk;
  readonly objects: ObjectStore;
  /** The size above which files are left out. */
  readonly maxFileBytes: number;
}

/** The result of storing a file. */
interface Stored {
  /** Undefined if the file no longer exists. */
  readonly state: FileContent | LeftOutState | undefined;
  /** The file's stat at the time when exactly these bytes were read. Absent if it is unknown. */
  readonly stat?: PathStat;
}

const TRIES = 3;
const OWN_STORE: LeftOutState = { kind: "left-out", why: "own-store" };

/** Reads a file and stores its content. Reads the file again if it changes while it is being read. */
function storeFile(context: StoreContext, path: PathBytes): Stored {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const stored = storeOnce(context, path);
    if (stored !== "changed") return stored;
  }
  return { state: { kind: "left-out", why: "changing" } };
}

function storeOnce({ disk, objects, maxFileBytes }: StoreContext, path: PathBytes): Stored | "changed" {
  try {
    if (isNotToBeRead(disk, path)) return { state: OWN_STORE, ...openedStat(disk, path) };
    const { bytes, before, after } = disk.readFile(path);
    // Session databases are left out. Restoring one would revert sessions, possibly while a program writes to them.
    if (isOwnDatabase(bytes)) return { state: OWN_STORE, stat: after };
    if (bytes.length > maxFileBytes) return { state: { kind: "left-out", why: "too-large" }, stat: after };
    if (bytes.length !== after.size || !isUntouched(before, after)) return "changed";
    const hash = objects.put("content", bytes);
    return { state: { kind: "file", mode: after.mode, size: bytes.length, hash }, stat: after };
  } catch (error) {
    if (isMissing(error)) return { state: undefined };
    if (isOtherKind(error)) return { state: { kind: "left-out", why: "changing" } };
    if (errnoOf(error) === undefined) throw error;
    return { state: { kind: "left-out", why: whyUnreachable(error) } };
  }
}

/**
 * Checks whether the file belongs to one of our session databases. If that database does not exist, a file with such a
 * name is treated like any other file.
 */
function isNotToBeRead(disk: WorkspaceDisk, path: PathBytes): boolean {
  if (isOpenHere(disk, path)) return true;
  const database = databaseBeside(path);
  if (database === undefined) return false;
  try {
    return isOwnDatabase(disk.readFile(database, DATABASE_HEAD_BYTES).bytes);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

function openedStat(disk: WorkspaceDisk, path: PathBytes): Pick<Stored, "stat"> {
  const stat = disk.stat(path);
  return stat === undefined ? {} : { stat };
}

function isUntouched(before: PathStat, after: PathStat): boolean {
  return (
    before.changedAt === after.changedAt &&
    before.modifiedAt === after.modifiedAt &&
    before.size === after.size
  );
}

/** Checks whether reading failed because a link, a folder, or a FIFO has replaced the file. */
function isOtherKind(error: unknown): boolean {
  return ["ELOOP", "EINVAL", "EISDIR", "ENXIO", "EMLINK", PARENT_CHANGED].includes(errnoOf(error) ?? "");
}

interface KnownPathsContext extends ReadContext {
  readonly folders: FolderCache;
  /** The root folder of the last capture. */
  readonly base: FolderState;
}

interface KnownPath {
  readonly path: PathBytes;
  readonly edit: FolderEdit;
  readonly signature: Signature | undefined;
}

/**
 * Checks files that the caller reported as written, without a search. Handles only changes to the content of a known
 * file and the removal of a known file. All other changes, such as new names, are left to a search. Only a search would
 * later notice that a new name no longer exists.
 */
export function lookAtKnown(
  context: KnownPathsContext,
  paths: readonly PathBytes[],
): { readonly known: readonly KnownPath[]; readonly unknown: readonly PathBytes[] } {
  const known: KnownPath[] = [];
  const unknown: PathBytes[] = [];
  for (const path of paths) {
    const looked = lookAt(context, path);
    if (looked === undefined) unknown.push(path);
    else known.push(looked);
  }
  return { known, unknown };
}

function lookAt(context: KnownPathsContext, path: PathBytes): KnownPath | undefined {
  const { disk, folders, root, base } = context;
  if (!isPlain(path) || stateAt(folders, base, path)?.kind !== "file") return undefined;
  if (!isInKnownFolder(context, path)) return undefined;
  const stat = statOf(disk, `${root}/${path}`);
  if (stat === undefined) return { path, edit: undefined, signature: undefined };
  if (whyUnknown(stat) !== undefined || stat.kind !== "file" || stat.size > context.maxFileBytes)
    return undefined;
  const { state, stat: read, signature } = storeTrusted(context, path);
  return read === undefined ? undefined : { path, edit: state, signature };
}

/**
 * Checks whether the path belongs to a file that does not affect other files. A `.gitignore` file, for example, affects
 * other files.
 */
function isPlain(path: PathBytes): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name !== "" && name !== RULES_NAME && !isGitName(name) && !isPassedOver(name);
}

/** Checks whether every folder above the path is in the snapshot and is a real folder on the disk, not a link. */
function isInKnownFolder({ disk, folders, root, base }: KnownPathsContext, path: PathBytes): boolean {
  for (let folder = folderOf(path); folder !== ""; folder = folderOf(folder)) {
    if (stateAt(folders, base, folder)?.kind !== "folder") return false;
    if (statOf(disk, `${root}/${folder}`)?.kind !== "folder") return false;
  }
  return true;
}

/**
 * Leaves out the files next to one of our databases if earlier captures treated the database as an ordinary file. Those
 * captures included the files next to it. A search does not report these files if they have not changed since.
 */
export function leaveOutBeside(
  edits: Map<PathBytes, FolderEdit>,
  folders: FolderCache,
  base: FolderState | undefined,
): void {
  if (base === undefined) return;
  for (const [path, edit] of [...edits]) {
    if (edit?.kind !== "left-out" || edit.why !== "own-store" || databaseBeside(path) !== undefined) continue;
    for (const beside of BESIDE_DATABASE.map((end) => `${path}${end}`)) {
      if (!edits.has(beside) && stateAt(folders, base, beside)?.kind === "file") edits.set(beside, edit);
    }
  }
}

/**
 * Checks whether an absolute path is a database that this process has open, or a file next to such a database. These
 * files must not be read.
 */
export function isOpenHere(disk: WorkspaceDisk, path: PathBytes, inode?: number): boolean {
  if (!holdsDatabases()) return false;
  const database = databaseBeside(path);
  if (database === undefined && inode !== undefined && !isHeldDatabase({ inode })) return false;
  const stat = statOf(disk, database ?? path);
  return stat !== undefined && isHeldDatabase(stat);
}

/**
 * Number of milliseconds after a change during which the times of a file cannot be trusted. A process that has mapped a
 * file writes to it without a system call. The system notices the first write to a page and updates the file's times.
 * It does not notice further writes until it has written the page to disk, which takes about 30 seconds on Linux.
 */
const SETTLED_AFTER_MS = 120_000;

/**
 * Maximum numbers of files and bytes that are read again each time. Beyond these limits, it is cheaper to ask the
 * system which files are mapped.
 */
const MAX_FILES_READ_AGAIN = 128;
const MAX_BYTES_READ_AGAIN = 8 * 1024 * 1024;

/**
 * The file system types of tmpfs and ramfs. These file systems never write to a disk, so writes through a memory
 * mapping never change a file's times.
 */
const MEMORY_FILE_SYSTEMS: ReadonlySet<number> = new Set([0x0102_1994, 0x8584_58f6]);

/** Information from the system about mapped files. */
export interface Mappings {
  /** "never" means that a write through a memory mapping does not change the file's times. */
  readonly timesMove: "once-a-page" | "never";
  /** Returns the inodes of files that are mapped for writing, or undefined if the system does not report them. */
  inodes(): ReadonlySet<number> | undefined;
}

export function mappingsAt(root: PathBytes): Mappings {
  return { timesMove: isInMemory(root) ? "never" : "once-a-page", inodes: mappedInodes };
}

function isInMemory(root: PathBytes): boolean {
  if (process.platform !== "linux") return false;
  try {
    return MEMORY_FILE_SYSTEMS.has(statfsSync(nodePath(root)).type);
  } catch (error) {
    // The capture encounters the same error and reports that the workspace cannot be read.
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

/**
 * Returns the inodes of mapped files. Covers only processes that this process is allowed to inspect, which excludes the
 * processes of other users.
 */
function mappedInodes(): ReadonlySet<number> | undefined {
  if (process.platform !== "linux") return undefined;
  const inodes = new Set<number>();
  for (const name of namesOf("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    for (const [, inode] of mapsOf(name).matchAll(/^\S+ .w.s \S+ \S+ ([1-9]\d*)/gm))
      inodes.add(Number(inode));
  }
  return inodes;
}

function namesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return [];
  }
}

/** Returns a process's memory map. The result is empty if the process has ended or belongs to another user. */
function mapsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/maps`, "latin1");
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return "";
  }
}

interface ReadFile {
  readonly path: PathBytes;
  readonly signature: Signature;
}

/** Tracks which of the captured files another process could write to without changing their signatures. */
export class UnseenWrites {
  readonly #mappings: Mappings;
  readonly #startedAt = Date.now();
  readonly #recent: ReadFile[] = [];
  #bytes = 0;
  #mapped: { readonly inodes: ReadonlySet<number> | undefined } | undefined;

  constructor(mappings: Mappings) {
    this.#mappings = mappings;
  }

  /** Returns the inodes of the files that a scan must report even if they seem unchanged. */
  toReport(): ReadonlySet<number> {
    return (this.#mappings.timesMove === "never" ? this.#inodes() : undefined) ?? new Set();
  }

  add(path: PathBytes, signature: Signature): void {
    const isSettled =
      this.#mappings.timesMove === "never"
        ? this.#inodes()?.has(signature.inode) !== true
        : signature.changedAt < this.#startedAt - SETTLED_AFTER_MS;
    if (isSettled) return;
    this.#recent.push({ path, signature });
    this.#bytes += signature.size;
  }

  /**
   * Returns the files that the next capture must read again. If there are many candidates, finding the files takes
   * about 0.2 ms for each running process.
   */
  toReadAgain(): readonly PathBytes[] {
    const isLittle = this.#recent.length <= MAX_FILES_READ_AGAIN && this.#bytes <= MAX_BYTES_READ_AGAIN;
    if (isLittle || this.#mappings.timesMove === "never") return this.#recent.map(({ path }) => path);
    const inodes = this.#inodes();
    if (inodes === undefined) return this.#latest();
    return this.#recent.filter(({ signature }) => inodes.has(signature.inode)).map(({ path }) => path);
  }

  /** Returns the most recently changed files, up to the limits. Used on systems that do not list mapped files. */
  #latest(): PathBytes[] {
    const latestFirst = this.#recent.toSorted((a, b) => b.signature.changedAt - a.signature.changedAt);
    let bytes = 0;
    return latestFirst
      .slice(0, MAX_FILES_READ_AGAIN)
      .filter(({ signature }) => {
        bytes += signature.size;
        return bytes <= MAX_BYTES_READ_AGAIN;
      })
      .map(({ path }) => path);
  }

  #inodes(): ReadonlySet<number> | undefined {
    this.#mapped ??= { inodes: this.#mappings.inodes() };
    return this.#mapped.inodes;
  }
}
