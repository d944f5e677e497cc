import { dirname, join } from "node:path";
import type { Clock } from "../ports/clock.ts";
import { errnoOf, isMissing, isWorldlineError, WorldlineError } from "../record/error.ts";
import type { Disk } from "./disk.ts";

const PIECE_BYTES = 4_096;

/** Writes all of `bytes`: one call may take only a part of them. */
export function writeAll(disk: Disk, file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += disk.write(file, bytes.subarray(done));
}

/** Makes a new file whose content survives the loss of power. Its name does so after `syncFolder`. */
export function writeNew(disk: Disk, path: string, bytes: Uint8Array): void {
  const file = disk.open(path, "create");
  try {
    writeAll(disk, file, bytes);
    disk.sync(file);
  } finally {
    disk.close(file);
  }
}

/** Where the successor of a file is written. Only the session's one writer does so, hence the fixed name. */
export function besideOf(path: string): string {
  return `${path}.new`;
}

export function readWhole(disk: Disk, path: string): Buffer {
  const file = disk.open(path, "read");
  try {
    // The size is a guess: since the file was opened, another one may have got its name. A byte more shows its end.
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

/** The bytes of a range; fewer where the file ends before. */
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

/** For files that are only in the way: a later run removes them, and no work fails because of them. */
export function tryToRemove(disk: Disk, path: string): void {
  try {
    removeTree(disk, path);
  } catch {
    // Swept up by the next lock, recovery or emptying of the trash.
  }
}

/** Two may do this at once: what the other one has removed is gone, which is all that is wanted. */
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

/** The names in a folder; none when it is not there. */
export function namesIn(disk: Disk, folder: string): string[] {
  try {
    return namesInOwn(disk, folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/**
 * As `namesIn`, for a folder that only Worldline makes. Where something else has its name, or that of
 * one above it, what it held is out of sight, which is not the same as nothing.
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
 * Folders whose names survive the loss of power. That a folder is there does not say that
 * its name is durable: the call that made it may have failed right after. So each is synced
 * once by each store that uses it; those above `root` only where we made them.
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

  /** Makes the folder and those above it, as far as they are not there. */
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
      // Another process was quicker.
      if (errnoOf(error) !== "EEXIST") throw error;
    }
  }
}

const TOKEN_BYTES = 8;

interface Replacement {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** "unsynced": a cache, whose loss with the power costs only time. */
  readonly content: "synced" | "unsynced";
}

/**
 * Puts bytes in the place of a file, or where none is: readers find the old ones or the new ones. Any number of
 * processes may do so at once. Throws system errors, and then leaves no temporary file.
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

/** Enough for a lease and for references that are let go; and gc moves what it keeps piece by piece, none larger than this. */
const RESERVE_BYTES = 1024 * 1024;
/** Written again and again: file systems that compress look no further back than this. */
const PATTERN_BYTES = 128 * 1024;

interface ReserveContext {
  readonly disk: Disk;
  readonly clock: Clock;
  /** The home of Worldline. */
  readonly home: string;
}

/**
 * Room that is set aside, so that what makes room can be done on a full disk: it has to write a little before it can remove
 * anything. A file that means nothing: removed when room is needed, made again when there is some.
 */
export class Reserve {
  readonly #context: ReserveContext;

  constructor(context: ReserveContext) {
    this.#context = context;
  }

  /** Sets room aside, if that is not done yet and there is enough. Never fails. */
  fill(): void {
    const { disk, clock } = this.#context;
    try {
      if (disk.stat(this.#path) !== undefined || disk.stat(this.#context.home) === undefined) return;
      const file = disk.open(this.#path, "create");
      try {
        // Not zeros: file systems that compress would set nothing aside for them.
        const pattern = clock.random(PATTERN_BYTES);
        for (let done = 0; done < RESERVE_BYTES; done += PATTERN_BYTES) writeAll(disk, file, pattern);
      } finally {
        disk.close(file);
      }
    } catch {
      // Without all of its bytes it is of no use, and takes room from those who need it now.
      tryToRemove(disk, this.#path);
    }
  }

  /** Gives the room back to the disk. "none": nothing was set aside. */
  release(): "released" | "none" {
    const { disk } = this.#context;
    if (disk.stat(this.#path) === undefined) return "none";
    removeFile(disk, this.#path);
    return "released";
  }

  /** Does `work`, and does it again with the room that was set aside if there was none. What is left of that is set aside again. */
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

/** What would make room has none itself: naming it as the hint would not help. */
function withoutRoom(problem: WorldlineError): WorldlineError {
  return new WorldlineError("no-room-to-make-room", { problem }, { cause: problem.cause });
}

/** Lines are gathered to about this size before they are written. */
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
