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

/** Stores the file at one path of the workspace. */
export function storePath(context: ReadContext, path: PathBytes): StoredPath {
  const { state, signature } = storeTrusted(context, path);
  return { path, state, signature };
}

interface StoredTrusted extends Stored {
  /**
   * The file's signature; undefined if it is unknown, or if the file changed so recently that another change could
   * leave the same signature.
   */
  readonly signature: Signature | undefined;
}

function storeTrusted(context: ReadContext, path: PathBytes): StoredTrusted {
  // The time is taken before the file is read, because a change after that moment may be missed. It comes from the
  // system clock, which also sets the times of files.
  const at = Date.now();
  const stored = storeFile(context, `${context.root}/${path}`);
  const { stat } = stored;
  const signature = stat === undefined || isRacy(stat, at) ? undefined : signatureOf(stat);
  return { ...stored, signature };
}

interface StoreContext {
  readonly disk: WorkspaceDisk;
  readonly objects: ObjectStore;
  /** Files larger than this are left out. */
  readonly maxFileBytes: number;
}

/** The result of storing a file. */
interface Stored {
  /** Undefined if the file no longer exists. */
  readonly state: FileContent | LeftOutState | undefined;
  /** The file's stat at the time when exactly these bytes were read; undefined if that is unknown. */
  readonly stat?: PathStat;
}

const TRIES = 3;
const OWN_STORE: LeftOutState = { kind: "left-out", why: "own-store" };

/** Reads a file and stores its content. Reads the file again if it changes in the meantime. */
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
    // Leaves out a session database. Restoring it would revert sessions, possibly while a program writes to them.
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
 * Whether the file belongs to one of our session databases. If that database does not exist, a file with such a name
 * is treated like any other.
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

/** A link, a folder, or a FIFO has replaced the file. */
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
 * Checks files that the caller says were written, without a search. Handles only changes to the content of a known
 * file, and its removal. All other changes are left to the search, because only a search would later notice that a new
 * name no longer exists.
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

/** Whether the path is a regular file that does not affect other files. A `.gitignore` file does affect others. */
function isPlain(path: PathBytes): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name !== "" && name !== RULES_NAME && !isGitName(name) && !isPassedOver(name);
}

/** Whether every folder above the path is in the snapshot and is a real folder on the disk, not a link. */
function isInKnownFolder({ disk, folders, root, base }: KnownPathsContext, path: PathBytes): boolean {
  for (let folder = folderOf(path); folder !== ""; folder = folderOf(folder)) {
    if (stateAt(folders, base, folder)?.kind !== "folder") return false;
    if (statOf(disk, `${root}/${folder}`)?.kind !== "folder") return false;
  }
  return true;
}

/**
 * Leaves out the files next to one of our databases that earlier captures treated as an ordinary file. Those captures
 * included these files, which a search does not report if they have not changed since.
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
 * Whether an absolute path is a database that this process has open, or a file next to one. Such files must not be
 * read.
 */
export function isOpenHere(disk: WorkspaceDisk, path: PathBytes, inode?: number): boolean {
  if (!holdsDatabases()) return false;
  const database = databaseBeside(path);
  if (database === undefined && inode !== undefined && !isHeldDatabase({ inode })) return false;
  const stat = statOf(disk, database ?? path);
  return stat !== undefined && isHeldDatabase(stat);
}

/**
 * How long the times of a file cannot be trusted after a change. A process that has mapped a file writes to it without
 * a system call. The system notices the first write to a page and updates the file's times, but does not notice
 * further writes until it has written the page to disk, which takes about 30 seconds on Linux.
 */
const SETTLED_AFTER_MS = 120_000;

/**
 * Up to this many files and bytes are read again each time. If there are more, it is cheaper to ask the system which
 * files are mapped.
 */
const MAX_FILES_READ_AGAIN = 128;
const MAX_BYTES_READ_AGAIN = 8 * 1024 * 1024;

/** tmpfs and ramfs. They never write to a disk, so the times of a mapped file never change there. */
const MEMORY_FILE_SYSTEMS: ReadonlySet<number> = new Set([0x0102_1994, 0x8584_58f6]);

/** What the system reports about mapped files. */
export interface Mappings {
  /** "never": a write through a mapping does not change the times of a file. */
  readonly timesMove: "once-a-page" | "never";
  /** The inodes of files that are mapped for writing; undefined if the system does not report them. */
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
    // The capture runs into the same error and reports that the workspace cannot be read.
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

/**
 * The inodes of mapped files. Covers only processes that this process may inspect, which excludes the processes of
 * other users.
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

/** The memory map of a process; empty if the process has ended or belongs to another user. */
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

  /** The inodes of the files that a scan must report even if they seem unchanged. */
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
   * The files that the next capture has to read again. If there are many candidates, finding them takes about 0.2 ms
   * for each running process.
   */
  toReadAgain(): readonly PathBytes[] {
    const isLittle = this.#recent.length <= MAX_FILES_READ_AGAIN && this.#bytes <= MAX_BYTES_READ_AGAIN;
    if (isLittle || this.#mappings.timesMove === "never") return this.#recent.map(({ path }) => path);
    const inodes = this.#inodes();
    if (inodes === undefined) return this.#latest();
    return this.#recent.filter(({ signature }) => inodes.has(signature.inode)).map(({ path }) => path);
  }

  /** For systems that do not list mapped files: the most recently changed files, up to the limits. */
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
