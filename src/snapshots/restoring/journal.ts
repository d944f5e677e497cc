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
import type { UnfinishedRestore } from "../../ports/workspace-files.ts";
import { WorldlineError } from "../../record/error.ts";
import type { Stored } from "../../strings/errors/facts.ts";
import type { ClosedPath } from "./changing/folder-modes.ts";

/** A restore as its journal knows it: all that is needed to finish it after a crash. */
export interface JournaledRestore extends UnfinishedRestore {
  /** Stands in the names of what it puts beside the paths that it changes. */
  readonly token: string;
  readonly closed: readonly ClosedPath[];
}

const FORMAT = 1;
const ENDING = ".json";
const DAMAGED = ".damaged";
const JOURNAL: Stored = { what: "restore-journal" };
/** `{"sum":"` + eight hex digits + `",`: the rest is what the sum is of. */
const SEAL = /^\{"sum":"([0-9a-f]{8})",$/;
const SEAL_LENGTH = 18;

/**
 * The restores of one workspace that have begun and not ended, a file each. A file gets its name when it is complete
 * and durable, and before anything is touched: what has no name never began, and what has one and cannot be read was
 * damaged later, and may be of a restore that is half done. That is never removed, only set aside, and told. A listed
 * one may be of the living: only whoever holds the workspace alone knows that it is not.
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

  /** Oldest first: an id begins with its time. Without those that are damaged. */
  list(): JournaledRestore[] {
    try {
      return this.#ids()
        .map((id) => this.read(id))
        .filter((restore) => restore !== undefined);
    } catch (error) {
      throw readError(error, JOURNAL);
    }
  }

  /** The ids of those that are damaged and not yet set aside. */
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
   * Sets aside what is damaged, and throws RESTORE_UNFINISHED if there was any: whoever works here hears of it, once.
   * Only for whoever holds the workspace alone.
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

  /** Undefined when there is none that can be read. */
  read(id: string): JournaledRestore | undefined {
    const path = this.#path(id);
    if (this.#disk.stat(path) === undefined) return undefined;
    return unsealed(readWhole(this.#disk, path));
  }

  /** When this returns, it does not come back with the loss of power either. */
  remove(id: string): void {
    try {
      removeFile(this.#disk, this.#path(id));
      if (this.#disk.stat(this.#folder) !== undefined) this.#disk.syncFolder(this.#folder);
    } catch (error) {
      throw writeError(error, JOURNAL);
    }
  }

  /** For who knows that nobody writes one: what has no name yet is then of the dead. */
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
  throw new WorldlineError("restore-of-newer-version", { format });
}
