import { PARENT_CHANGED } from "../../disk/held-folder.ts";
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
import type { FolderCache } from "../objects/folder-object.ts";
import type { ObjectStore } from "../objects/object.ts";
import type { PathStat, WorkspaceDisk } from "../workspace/workspace-disk.ts";
import type { StoredPath } from "./capture.ts";

export interface PathGround extends StoreGround {
  /** The workspace, absolute. */
  readonly root: PathBytes;
}

/** Stores one path of the workspace. */
export function storePath(ground: PathGround, path: PathBytes): StoredPath {
  const { state, signature } = storeTrusted(ground, path);
  return { path, state, signature };
}

interface StoredTrusted extends Stored {
  /** Undefined, too, when the file changed so shortly before that another change could look the same. */
  readonly signature: Signature | undefined;
}

function storeTrusted(ground: PathGround, path: PathBytes): StoredTrusted {
  // Before it is read: of what comes after that moment nothing is known. The system's clock, by which files are stamped.
  const at = Date.now();
  const stored = storeFile(ground, `${ground.root}/${path}`);
  const { stat } = stored;
  const signature = stat === undefined || isRacy(stat, at) ? undefined : signatureOf(stat);
  return { ...stored, signature };
}

interface StoreGround {
  readonly disk: WorkspaceDisk;
  readonly objects: ObjectStore;
  /** Files over this size are left out. */
  readonly maxFileBytes: number;
}

/** What became of a file that was to be stored. */
interface Stored {
  /** Undefined when nothing is there any more. */
  readonly state: FileContent | LeftOutState | undefined;
  /** What the file looked like when exactly these bytes were read; undefined where that cannot be told. */
  readonly stat?: PathStat;
}

const TRIES = 3;
const OWN_STORE: LeftOutState = { kind: "left-out", why: "own-store" };

/** Reads a file and puts its content into the store. One that changes while it is read is tried again. */
function storeFile(ground: StoreGround, path: PathBytes): Stored {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const stored = storeOnce(ground, path);
    if (stored !== "changed") return stored;
  }
  return { state: { kind: "left-out", why: "changing" } };
}

function storeOnce({ disk, objects, maxFileBytes }: StoreGround, path: PathBytes): Stored | "changed" {
  try {
    if (isNotToBeRead(disk, path)) return { state: OWN_STORE, ...openedStat(disk, path) };
    const { bytes, before, after } = disk.readFile(path);
    // Whoever takes it back takes back sessions, of a program that may be at it.
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

/** Where it belongs to a database of ours. Without its database, a file of such a name is like any other. */
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

/** A link, a folder or a FIFO has taken its place. */
function isOtherKind(error: unknown): boolean {
  return ["ELOOP", "EINVAL", "EISDIR", "ENXIO", "EMLINK", PARENT_CHANGED].includes(errnoOf(error) ?? "");
}

interface KnownGround extends PathGround {
  readonly folders: FolderCache;
  /** The root folder as it was captured last. */
  readonly base: FolderState;
}

interface KnownPath {
  readonly path: PathBytes;
  readonly edit: FolderEdit;
  readonly signature: Signature | undefined;
}

/**
 * Looks at files that the caller says were written, without searching. What is more than another content of a file that is
 * known, or its end, is left to the search: of a new name only who searches can see that it is gone again.
 */
export function lookAtKnown(
  ground: KnownGround,
  paths: readonly PathBytes[],
): { readonly known: readonly KnownPath[]; readonly unknown: readonly PathBytes[] } {
  const known: KnownPath[] = [];
  const unknown: PathBytes[] = [];
  for (const path of paths) {
    const looked = lookAt(ground, path);
    if (looked === undefined) unknown.push(path);
    else known.push(looked);
  }
  return { known, unknown };
}

function lookAt(ground: KnownGround, path: PathBytes): KnownPath | undefined {
  const { disk, folders, root, base } = ground;
  if (!isPlain(path) || stateAt(folders, base, path)?.kind !== "file") return undefined;
  if (!isInKnownFolder(ground, path)) return undefined;
  const stat = statOf(disk, `${root}/${path}`);
  if (stat === undefined) return { path, edit: undefined, signature: undefined };
  if (whyUnknown(stat) !== undefined || stat.kind !== "file" || stat.size > ground.maxFileBytes)
    return undefined;
  const { state, stat: read, signature } = storeTrusted(ground, path);
  return read === undefined ? undefined : { path, edit: state, signature };
}

/** Files that decide about others are not only files. */
function isPlain(path: PathBytes): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name !== "" && name !== RULES_NAME && !isGitName(name) && !isPassedOver(name);
}

/** Every folder above it is in the snapshot, and is on the disk a folder and no link to one. */
function isInKnownFolder({ disk, folders, root, base }: KnownGround, path: PathBytes): boolean {
  for (let folder = folderOf(path); folder !== ""; folder = folderOf(folder)) {
    if (stateAt(folders, base, folder)?.kind !== "folder") return false;
    if (statOf(disk, `${root}/${folder}`)?.kind !== "folder") return false;
  }
  return true;
}

/**
 * Where a file turns out to be a database of ours that was captured like any other before, what SQLite keeps beside it was as
 * well, and may not have changed since.
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

/** Whether an absolute path is a database that this very process has open, or stands beside one: it must not be read. */
export function isOpenHere(disk: WorkspaceDisk, path: PathBytes, inode?: number): boolean {
  if (!holdsDatabases()) return false;
  const database = databaseBeside(path);
  if (database === undefined && inode !== undefined && !isHeldDatabase({ inode })) return false;
  const stat = statOf(disk, database ?? path);
  return stat !== undefined && isHeldDatabase(stat);
}
