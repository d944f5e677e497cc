import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { Disk } from "../../disk/disk.ts";
import { readError, writeError } from "../../disk/disk-error.ts";
import {
  besideOf,
  namesInOwn,
  readWhole,
  removeFile,
  tryToRemove,
  writeNew,
} from "../../disk/durable-files.ts";
import { DurableFolders } from "../../disk/durable-folders.ts";
import type { UnfinishedRestore } from "../../ports/workspace-files.ts";
import { WorldlineError } from "../../record/error.ts";
import type { ClosedFolder } from "./changing/folder-modes.ts";

/** A restore as its journal knows it: all that is needed to finish it after a crash. */
export interface JournaledRestore extends UnfinishedRestore {
  /** Stands in the names of what it puts beside the paths that it changes. */
  readonly token: string;
  readonly closed: readonly ClosedFolder[];
}

const FORMAT = 1;
const ENDING = ".json";
const WHAT = "the journal of the restore";
/** `{"sum":"` + eight hex digits + `",`: the rest is what the sum is of. */
const SEAL = /^\{"sum":"([0-9a-f]{8})",$/;
const SEAL_LENGTH = 18;

/**
 * The restores of one workspace that have begun and not ended, a file each. A file is there in full before anything
 * is touched; one that is torn says that its restore never began. It gets its name when it is complete, so that
 * whoever lists them beside a restore that is under way takes none for torn. A listed one may be of the living:
 * only whoever holds the workspace alone knows that it is not.
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

  /** When this returns, the loss of power does not lose it. Throws STORE_FULL or STORE_UNWRITABLE, and leaves none. */
  write(restore: JournaledRestore): void {
    const path = this.#path(restore.id);
    try {
      this.#folders.make(this.#folder);
      this.#clearUnnamed();
      writeNew(this.#disk, besideOf(path), sealed(restore));
      this.#disk.rename(besideOf(path), path);
      this.#disk.syncFolder(this.#folder);
    } catch (error) {
      tryToRemove(this.#disk, besideOf(path));
      tryToRemove(this.#disk, path);
      throw writeError(error, WHAT);
    }
  }

  /** Oldest first: an id begins with its time. Those that never began are cleared away. */
  list(): JournaledRestore[] {
    try {
      return namesInOwn(this.#disk, this.#folder)
        .filter((name) => name.endsWith(ENDING))
        .map((name) => this.read(name.slice(0, -ENDING.length)))
        .filter((restore) => restore !== undefined);
    } catch (error) {
      throw readError(error, WHAT);
    }
  }

  /** Undefined when there is none, or it never began. */
  read(id: string): JournaledRestore | undefined {
    const path = this.#path(id);
    if (this.#disk.stat(path) === undefined) return undefined;
    const restore = unsealed(readWhole(this.#disk, path));
    if (restore === undefined) tryToRemove(this.#disk, path);
    return restore;
  }

  /** When this returns, it does not come back with the loss of power either. */
  remove(id: string): void {
    try {
      removeFile(this.#disk, this.#path(id));
      if (this.#disk.stat(this.#folder) !== undefined) this.#disk.syncFolder(this.#folder);
    } catch (error) {
      throw writeError(error, WHAT);
    }
  }

  /** Only one writes at a time, so what has no name yet is of the dead. */
  #clearUnnamed(): void {
    for (const name of namesInOwn(this.#disk, this.#folder)) {
      if (name.endsWith(besideOf(ENDING))) tryToRemove(this.#disk, join(this.#folder, name));
    }
  }

  #path(id: string): string {
    return join(this.#folder, `${id}${ENDING}`);
  }
}

/** What the journals in `folder` say of restores that have not ended, oldest first. */
export function listJournals(disk: Disk, folder: string): UnfinishedRestore[] {
  return new RestoreJournal(disk, folder)
    .list()
    .map(({ id, session, journey, steps }) => ({ id, session, journey, steps }));
}

/** Fixed width, so that the order of names is that of time. */
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
  throw new WorldlineError(
    "FORMAT_NEWER",
    `A newer Worldline has left a restore unfinished (format ${format}).`,
    {
      hint: "Let that version finish it: open the workspace with it once.",
    },
  );
}
