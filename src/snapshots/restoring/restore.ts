import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { Disk } from "../../disk/disk.ts";
import { readError, writeError } from "../../disk/disk.ts";
import {
  besideOf,
  DurableFolders,
  namesInOwn,
  readWhole,
  removeFile,
  tryToRemove,
  writeNew,
} from "../../disk/durable-files.ts";
import type { Clock } from "../../ports/clock.ts";
import type {
  PathOutcome,
  RestoreRequest,
  RestoreStep,
  UnfinishedRestore,
} from "../../ports/workspace-files.ts";
import { isWorldlineError, type Remark, remarkOf, WorldlineError } from "../../record/error.ts";
import type { PathBytes } from "../../record/files.ts";
import type { ObjectHash } from "../../record/ids.ts";
import type { Stored } from "../../strings/errors/facts.ts";
import type { WorkspaceDisk } from "../workspace/workspace-disk.ts";
import { carryOut } from "./carry-out.ts";
import { type ClosedPath, closedPaths, isOurs, PathInspector } from "./inspect-paths.ts";

/** The context of a restore. The caller must hold the exclusive lease on the workspace. */
export interface RestoreContext {
  /** The real path of the workspace. */
  readonly root: PathBytes;
  readonly workspaceDisk: WorkspaceDisk;
  /** Reads the content of a file. Throws SNAPSHOT_MISSING or SNAPSHOT_DAMAGED. */
  readonly content: ReadContent;
  readonly journal: RestoreJournal;
  readonly clock: Pick<Clock, "now" | "random">;
  /** Callback that is called after everything is written and before the journal is removed. */
  readonly finished?: ((outcomes: readonly PathOutcome[]) => Promise<void>) | undefined;
}

const TOKEN_BYTES = 8;

/**
 * Restores paths. The journal is durable before the log is written, and the log is durable before any file is touched.
 * If a crash interrupts the restore after that, the restore can be finished. If the crash happens earlier, nothing has
 * been restored. The journal is removed only after the end of the restore has been logged. Otherwise, a crash could
 * leave the end unrecorded, and the restored files would look like changes from outside. A damaged journal makes this
 * call fail before the restore begins, but only once.
 */
export async function performRestore(
  context: RestoreContext,
  request: RestoreRequest,
): Promise<PathOutcome[]> {
  const { root, workspaceDisk: disk, journal } = context;
  journal.reportDamaged();
  const contents = new NeededContents(context.content);
  const refused = contents.missing(request.steps);
  const restore = newJournal(context, request);
  journal.write(restore);
  try {
    await request.commit();
  } catch (error) {
    removeIfPossible(journal, restore.id);
    throw error;
  }
  const { steps, token, closed } = restore;
  const outcomes = await carryOut({
    root,
    disk,
    bytesOf: (hash) => contents.bytesOf(hash),
    token,
    steps,
    closed,
    refused,
    when: "first",
    onProgress: request.onProgress,
  });
  await context.finished?.(outcomes);
  removeIfPossible(journal, restore.id);
  return outcomes;
}

/**
 * Removes a journal, ignoring any failure, because reporting what happened to the files is more important. If the
 * journal remains, the next restore finds it and detects that nothing is left to do.
 */
function removeIfPossible(journal: RestoreJournal, id: string): void {
  try {
    journal.remove(id);
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
  }
}

function newJournal(
  { root, workspaceDisk: disk, clock }: RestoreContext,
  request: RestoreRequest,
): JournaledRestore {
  const { session, journey, steps } = request;
  const token = Buffer.from(clock.random(TOKEN_BYTES)).toString("hex");
  const inspector = new PathInspector({ root, disk, ownModes: new Map() });
  const paths = steps.map(({ path }) => path).filter((path) => isOurs(path));
  const closed = closedPaths(paths, inspector, disk);
  return { id: newRestoreId(clock.now(), token), session, journey, steps, token, closed };
}

/**
 * Finishes an interrupted restore, or discards it if it never began. If this call is itself interrupted, it can be
 * repeated, because the journal is kept until everything is done. Returns no outcomes for a restore that has already
 * been settled.
 */
export async function settleRestore(
  { root, workspaceDisk: disk, content, journal, finished }: RestoreContext,
  { id }: Pick<UnfinishedRestore, "id">,
  how: "forward" | "discard",
): Promise<PathOutcome[]> {
  const restore = journal.read(id);
  if (restore === undefined) return [];
  if (how === "discard") {
    journal.remove(id);
    return [];
  }
  const { steps, token, closed } = restore;
  const outcomes = await carryOut({ root, disk, bytesOf: content, token, steps, closed, when: "again" });
  await finished?.(outcomes);
  removeIfPossible(journal, id);
  return outcomes;
}

type ReadContent = (hash: ObjectHash) => Uint8Array;

/**
 * Contents up to this total size are kept in memory, so that a small restore, the most common kind, reads each file's
 * content once instead of twice.
 */
const KEPT_BYTES = 32 * 1024 * 1024;

/** Contents that the steps of a restore need. */
class NeededContents {
  readonly #read: ReadContent;
  readonly #kept = new Map<ObjectHash, Uint8Array>();
  #keptBytes = 0;

  constructor(read: ReadContent) {
    this.#read = read;
  }

  /**
   * Reads all contents before anything is moved. Returns the paths whose contents cannot be read, each with the reason.
   */
  missing(steps: readonly RestoreStep[]): Map<PathBytes, Remark> {
    const faults = new Map<ObjectHash, Remark>();
    const checked = new Set<ObjectHash>();
    const missing = new Map<PathBytes, Remark>();
    for (const { path, before, after } of steps) {
      if (after?.kind !== "file") continue;
      // If the path already has these bytes, only its mode changes.
      if (before?.kind === "file" && before.hash === after.hash) continue;
      if (!checked.has(after.hash)) this.#check(after.hash, faults);
      checked.add(after.hash);
      const fault = faults.get(after.hash);
      if (fault !== undefined) missing.set(path, fault);
    }
    return missing;
  }

  bytesOf(hash: ObjectHash): Uint8Array {
    return this.#kept.get(hash) ?? this.#read(hash);
  }

  #check(hash: ObjectHash, faults: Map<ObjectHash, Remark>): void {
    try {
      const bytes = this.#read(hash);
      if (this.#keptBytes + bytes.length > KEPT_BYTES) return;
      this.#keptBytes += bytes.length;
      this.#kept.set(hash, bytes);
    } catch (error) {
      if (!isWorldlineError(error)) throw error;
      faults.set(hash, remarkOf(error));
    }
  }
}

/** A restore as recorded in its journal, with everything that is needed to finish the restore after a crash. */
export interface JournaledRestore extends UnfinishedRestore {
  /** Part of the name of each temporary file that the restore creates next to a path that it changes. */
  readonly token: string;
  readonly closed: readonly ClosedPath[];
}

const FORMAT = 1;
const ENDING = ".json";
const DAMAGED = ".damaged";
const JOURNAL: Stored = { what: "restore-journal" };
/**
 * The beginning of a journal: `{"sum":"`, eight hex digits, and `",`. The checksum covers everything after the
 * beginning.
 */
const SEAL = /^\{"sum":"([0-9a-f]{8})",$/;
const SEAL_LENGTH = 18;

/**
 * The restores of one workspace that have begun but not ended, each in its own file. A file is given its final name
 * when it is complete and durable, before any path is touched. A file without a final name therefore belongs to a
 * restore that never began. A file that has its final name but cannot be read was damaged later, and its restore may be
 * half done. Such a file is never removed, but is set aside and reported. A listed restore may still be running. Only
 * the holder of the exclusive lease can be certain that it is not.
 */
export class RestoreJournal {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #folders: DurableFolders;

  constructor(disk: Disk, folder: string) {
    this.#disk = disk;
    this.#folder = folder;
    this.#folders = new DurableFolders(disk, folder);
  }

  /**
   * Writes the journal. After this call returns, the journal survives a power loss. If the call throws STORE_FULL or
   * STORE_UNWRITABLE, it does not leave a journal behind.
   */
  write(restore: JournaledRestore): void {
    const path = this.#path(restore.id);
    try {
      this.#folders.make(this.#folder);
      this.clearUnnamed();
      writeNew(this.#disk, besideOf(path), sealed(restore));
      this.#disk.rename(besideOf(path), path);
      this.#disk.syncFolder(this.#folder);
    } catch (error) {
      tryToRemove(this.#disk, besideOf(path));
      tryToRemove(this.#disk, path);
      throw writeError(error, JOURNAL);
    }
  }

  /**
   * Returns the readable journals, oldest first. Sorting the ids yields this order, because each id begins with the
   * time when it was created.
   */
  list(): JournaledRestore[] {
    try {
      return this.#ids()
        .map((id) => this.read(id))
        .filter((restore) => restore !== undefined);
    } catch (error) {
      throw readError(error, JOURNAL);
    }
  }

  /** Returns the ids of damaged journals that have not been set aside yet. */
  damaged(): string[] {
    try {
      return this.#ids().filter(
        (id) => this.#disk.stat(this.#path(id)) !== undefined && this.read(id) === undefined,
      );
    } catch (error) {
      throw readError(error, JOURNAL);
    }
  }

  /**
   * Sets damaged journals aside. If there are any damaged journals, throws RESTORE_UNFINISHED, so that the user is
   * warned once. Only the holder of the exclusive lease may call this method.
   */
  reportDamaged(): void {
    const ids = this.damaged();
    if (ids.length === 0) return;
    const kept: string[] = [];
    try {
      for (const id of ids) {
        const aside = join(this.#folder, `${id}${DAMAGED}`);
        this.#disk.rename(this.#path(id), aside);
        kept.push(aside);
      }
      this.#disk.syncFolder(this.#folder);
    } catch (error) {
      throw writeError(error, JOURNAL);
    }
    throw new WorldlineError("restore-journal-damaged", { asides: kept });
  }

  /** Reads a journal. Returns undefined if the journal does not exist or cannot be read. */
  read(id: string): JournaledRestore | undefined {
    const path = this.#path(id);
    if (this.#disk.stat(path) === undefined) return undefined;
    return unsealed(readWhole(this.#disk, path));
  }

  /** Removes the journal. After this call returns, a power loss cannot bring the journal back. */
  remove(id: string): void {
    try {
      removeFile(this.#disk, this.#path(id));
      if (this.#disk.stat(this.#folder) !== undefined) this.#disk.syncFolder(this.#folder);
    } catch (error) {
      throw writeError(error, JOURNAL);
    }
  }

  /**
   * Removes files without a final name. Must be called only while no process is writing a journal, because these files
   * then belong to dead processes.
   */
  clearUnnamed(): void {
    for (const name of namesInOwn(this.#disk, this.#folder)) {
      if (name.endsWith(besideOf(ENDING))) tryToRemove(this.#disk, join(this.#folder, name));
    }
  }

  #ids(): string[] {
    return namesInOwn(this.#disk, this.#folder)
      .filter((name) => name.endsWith(ENDING))
      .map((name) => name.slice(0, -ENDING.length));
  }

  #path(id: string): string {
    return join(this.#folder, `${id}${ENDING}`);
  }
}

/** Returns the unfinished restores that are recorded in the journals in `folder`, oldest first. */
export function listJournals(disk: Disk, folder: string): UnfinishedRestore[] {
  return new RestoreJournal(disk, folder)
    .list()
    .map(({ id, session, journey, steps }) => ({ id, session, journey, steps }));
}

/** Creates an id for a restore. The time has a fixed width, so that sorting ids by name sorts them by time. */
export function newRestoreId(now: number, token: string): string {
  return `${String(now).padStart(15, "0")}-${token}`;
}

function sealed(restore: JournaledRestore): Buffer {
  const { id, session, journey, steps, token, closed } = restore;
  const body = Buffer.from(
    `${JSON.stringify({ format: FORMAT, id, session, journey, token, closed, steps }).slice(1)}\n`,
  );
  const sum = crc32(body).toString(16).padStart(8, "0");
  return Buffer.concat([Buffer.from(`{"sum":"${sum}",`), body]);
}

function unsealed(bytes: Buffer): JournaledRestore | undefined {
  const body = bytes.subarray(SEAL_LENGTH);
  const sum = SEAL.exec(bytes.toString("latin1", 0, SEAL_LENGTH))?.[1];
  if (sum === undefined || Number.parseInt(sum, 16) !== crc32(body)) return undefined;
  const { format, ...restore } = JSON.parse(`{${body.toString()}`) as JournaledRestore & { format: number };
  if (format === FORMAT) return restore;
  throw new WorldlineError("restore-of-newer-version", { format });
}
