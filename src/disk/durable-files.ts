import { dirname, join } from "node:path";
import type { Clock } from "../ports/clock.ts";
import { errnoOf, isMissing, isWorldlineError, WorldlineError } from "../record/error.ts";
import type { Disk } from "./disk.ts";

const PIECE_BYTES = 4_096;

/** Writes all of `bytes`. A single system call may write only part of them. */
export function writeAll(disk: Disk, file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += disk.write(file, bytes.subarray(done));
}

/**
 * Creates a file whose content survives a power loss. The file's name survives a power loss only if `syncFolder` is
 * called afterward.
 */
export function writeNew(disk: Disk, path: string, bytes: Uint8Array): void {
  const file = disk.open(path, "create");
  try {
    writeAll(disk, file, bytes);
    disk.sync(file);
  } finally {
    disk.close(file);
  }
}

/**
 * Returns the path where the replacement for a file is written. The name is fixed, because only the single writer of a
 * session uses it.
 */
export function besideOf(path: string): string {
  return `${path}.new`;
}

/** @internal */
export function readWhole(disk: Disk, path: string): Buffer {
  const file = disk.open(path, "read");
  try {
    // The size is only a guess, because the name may have been given to another file since this file was opened. One
    // extra byte shows whether the end of the file was reached.
    const guess = (disk.stat(path)?.size ?? 0) + 1;
    const pieces: Buffer[] = [];
    let position = 0;
    for (let length = guess; ; length = Math.max(guess, PIECE_BYTES)) {
      const piece = readRange(disk, file, { position, length });
      pieces.push(piece);
      position += piece.length;
      if (piece.length < length) return pieces.length === 1 ? piece : Buffer.concat(pieces);
    }
  } finally {
    disk.close(file);
  }
}

/** Returns the bytes in a range, or fewer if the file ends within the range. @internal */
export function readRange(
  disk: Disk,
  file: number,
  range: { readonly position: number; readonly length: number },
): Buffer {
  const bytes = Buffer.allocUnsafe(range.length);
  let done = 0;
  while (done < range.length) {
    const count = disk.read(file, bytes.subarray(done), range.position + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}

export function removeFile(disk: Disk, path: string): void {
  try {
    disk.unlink(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Removes a file or folder that is no longer needed. Ignores any error, because a later run tries again. */
export function tryToRemove(disk: Disk, path: string): void {
  try {
    removeTree(disk, path);
  } catch {
    // The error is ignored, because the file is removed when the next lock is acquired, the log is recovered, or the
    // trash is emptied.
  }
}

/**
 * Removes a file, or a folder with its contents. Two processes may do this at the same time, so a file that no longer
 * exists is not an error.
 */
export function removeTree(disk: Disk, path: string): void {
  const stat = disk.stat(path);
  if (stat === undefined) return;
  if (stat.kind !== "folder") {
    removeFile(disk, path);
    return;
  }
  for (const name of namesIn(disk, path)) removeTree(disk, join(path, name));
  try {
    disk.removeFolder(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Returns the names in a folder, or an empty array if the folder does not exist. */
export function namesIn(disk: Disk, folder: string): string[] {
  try {
    return namesInOwn(disk, folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/**
 * Like `namesIn`, but for a folder that only Worldline creates. Throws if the path, or a path above it, is not a
 * folder. In that case, the contents cannot be listed, and the folder must not be treated as empty.
 */
export function namesInOwn(disk: Disk, folder: string): string[] {
  try {
    return disk.list(folder).sort();
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
}

/**
 * Creates folders whose names survive a power loss. A folder that exists is not necessarily durable, because the
 * process that created it may have failed right afterward. Each store therefore syncs each of its folders once. It
 * syncs a folder above `root` only if it created that folder.
 */
export class DurableFolders {
  readonly #disk: Disk;
  readonly #root: string;
  readonly #durable = new Set<string>();
  readonly #made = new Set<string>();

  constructor(disk: Disk, root: string) {
    this.#disk = disk;
    this.#root = root;
  }

  /** Creates the folder and any missing folders above it. */
  make(path: string): void {
    const isThere = this.#disk.stat(path) !== undefined;
    const isOurs = path.startsWith(this.#root) || this.#made.has(path);
    if (isThere && (this.#durable.has(path) || !isOurs)) return;
    const above = dirname(path);
    this.make(above);
    if (!isThere) this.#makeOne(path);
    this.#disk.syncFolder(above);
    this.#durable.add(path);
  }

  #makeOne(path: string): void {
    this.#made.add(path);
    try {
      this.#disk.makeFolder(path);
    } catch (error) {
      // Another process created it first.
      if (errnoOf(error) !== "EEXIST") throw error;
    }
  }
}

const TOKEN_BYTES = 8;

interface Replacement {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** "unsynced" is for a cache, which can be re-created after a power loss. */
  readonly content: "synced" | "unsynced";
}

/**
 * Replaces or creates a file. Readers see either the old bytes or the new bytes. Any number of processes can replace
 * the same file at the same time. If this call throws a system error, it does not leave a temporary file behind.
 */
export function replaceFile(
  { disk, clock }: { readonly disk: Disk; readonly clock: Clock },
  { path, bytes, content }: Replacement,
): void {
  const beside = `${path}.${Buffer.from(clock.random(TOKEN_BYTES)).toString("hex")}`;
  try {
    if (content === "synced") writeNew(disk, beside, bytes);
    else writeUnsynced(disk, beside, bytes);
    disk.rename(beside, path);
  } catch (error) {
    tryToRemove(disk, beside);
    throw error;
  }
}

function writeUnsynced(disk: Disk, path: string, bytes: Uint8Array): void {
  const file = disk.open(path, "create");
  try {
    writeAll(disk, file, bytes);
  } finally {
    disk.close(file);
  }
}

/**
 * Size of the reserve: enough to write a lease and to drop references. This is also enough for gc, because gc moves the
 * data that it keeps in pieces that are no larger than the reserve.
 */
const RESERVE_BYTES = 1024 * 1024;
/**
 * Length of the pattern that fills the file. File systems that compress data do not look for repetitions that are this
 * far apart.
 */
const PATTERN_BYTES = 128 * 1024;

interface ReserveContext {
  readonly disk: Disk;
  readonly clock: Clock;
  /** Worldline's home folder. */
  readonly home: string;
}

/**
 * Reserves space for cleaning up a full disk, because a cleanup must write a little before it can remove anything. The
 * reserve is a file without meaningful content. The file is removed when its space is needed, and created again when
 * there is enough space.
 */
export class Reserve {
  readonly #context: ReserveContext;

  constructor(context: ReserveContext) {
    this.#context = context;
  }

  /** Reserves the space unless it is already reserved or the disk does not have enough free space. Never throws. */
  fill(): void {
    const { disk, clock } = this.#context;
    try {
      if (disk.stat(this.#path) !== undefined || disk.stat(this.#context.home) === undefined) return;
      const file = disk.open(this.#path, "create");
      try {
        // The bytes are random, because a file system that compresses data would not allocate space for zeros.
        const pattern = clock.random(PATTERN_BYTES);
        for (let done = 0; done < RESERVE_BYTES; done += PATTERN_BYTES) writeAll(disk, file, pattern);
      } finally {
        disk.close(file);
      }
    } catch {
      // Removes an incomplete reserve, which is useless and takes up space that is needed now.
      tryToRemove(disk, this.#path);
    }
  }

  /** Frees the reserved space. Returns "none" if nothing was reserved. */
  release(): "released" | "none" {
    const { disk } = this.#context;
    if (disk.stat(this.#path) === undefined) return "none";
    removeFile(disk, this.#path);
    return "released";
  }

  /**
   * Runs `work`. If the disk is full, frees the reserve, runs `work` again, and then tries to create the reserve
   * again.
   */
  async retryWithRoom<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (!isWorldlineError(error, "STORE_FULL")) throw error;
      if (this.release() === "none") throw withoutRoom(error);
    }
    try {
      return await work();
    } catch (error) {
      throw isWorldlineError(error, "STORE_FULL") ? withoutRoom(error) : error;
    } finally {
      this.fill();
    }
  }

  get #path(): string {
    return join(this.#context.home, "reserve");
  }
}

/**
 * Removes the cleanup advice from an error. The advice would not help the user if the cleanup itself ran out of space.
 */
function withoutRoom(problem: WorldlineError): WorldlineError {
  return new WorldlineError("no-room-to-make-room", { problem }, { cause: problem.cause });
}

/** Approximate number of bytes that are buffered before they are written. */
const WRITE_BYTES = 1024 * 1024;

/** Writes many lines to one file with few calls. */
export class LineWriter {
  readonly #disk: Disk;
  readonly #file: number;
  #lines: Uint8Array[] = [];
  #size = 0;

  constructor(disk: Disk, file: number) {
    this.#disk = disk;
    this.#file = file;
  }

  add(line: Uint8Array): void {
    this.#lines.push(line);
    this.#size += line.length;
    if (this.#size >= WRITE_BYTES) this.flush();
  }

  flush(): void {
    writeAll(this.#disk, this.#file, Buffer.concat(this.#lines));
    this.#lines = [];
    this.#size = 0;
  }
}
