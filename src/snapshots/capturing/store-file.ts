import { PARENT_CHANGED } from "../../disk/held-folder.ts";
import { DATABASE_HEAD_BYTES, databaseBeside, isOwnDatabase } from "../../disk/own-database.ts";
import { errnoOf, isMissing } from "../../record/error.ts";
import type { FileContent, LeftOutState, PathBytes } from "../../record/files.ts";
import { whyUnreachable } from "../finding/coverage.ts";
import type { ObjectStore } from "../objects/object-store.ts";
import type { PathStat, WorkspaceDisk } from "../workspace/workspace-disk.ts";
import { isOpenHere } from "./beside-databases.ts";

export interface StoreGround {
  readonly disk: WorkspaceDisk;
  readonly objects: ObjectStore;
  /** Files over this size are left out. */
  readonly maxFileBytes: number;
}

/** What became of a file that was to be stored. */
export interface Stored {
  /** Undefined when nothing is there any more. */
  readonly state: FileContent | LeftOutState | undefined;
  /** What the file looked like when exactly these bytes were read; undefined where that cannot be told. */
  readonly stat?: PathStat;
}

const TRIES = 3;
const OWN_STORE: LeftOutState = { kind: "left-out", why: "own-store" };

/** Reads a file and puts its content into the store. One that changes while it is read is tried again. */
export function storeFile(ground: StoreGround, path: PathBytes): Stored {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const stored = storeOnce(ground, path);
    if (stored !== "changed") return stored;
  }
  return { state: { kind: "left-out", why: "changing" } };
}

function storeOnce({ disk, objects, maxFileBytes }: StoreGround, path: PathBytes): Stored | "changed" {
  try {
    if (isNotToBeRead(disk, path)) return { state: OWN_STORE, ...statOf(disk, path) };
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

function statOf(disk: WorkspaceDisk, path: PathBytes): Pick<Stored, "stat"> {
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
