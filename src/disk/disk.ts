import {
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { errnoOf, WorldlineError } from "../record/error.ts";
import type { DiskFailure, DiskRefusal, Stored } from "../strings/errors/facts.ts";

/**
 * File system operations that the stores use. The stores access files only through this interface, so that tests can
 * make any single call fail, or simulate a power loss after it. The methods are synchronous because, for small appends,
 * synchronous calls proved several times faster than awaited ones. The methods throw Node's system errors, including
 * the `code`.
 */
export interface Disk {
  /**
   * Opens a file. "read" and "append" require the file to exist. "create" creates it (mode 0600), or throws EEXIST if
   * it exists.
   */
  open(path: string, how: OpenHow): number;
  close(file: number): void;
  /** Reads into `into`, starting at `position` in the file. Returns the number of bytes read. */
  read(file: number, into: Uint8Array, position: number): number;
  /** Appends to the file. Returns the number of bytes written, which can be less than the length of `bytes`. */
  write(file: number, bytes: Uint8Array): number;
  /** Makes the file's content durable, so that it survives a power loss after this call returns. */
  sync(file: number): void;
  truncate(file: number, size: number): void;

  /** Returns the state of a path, or undefined if the path does not exist. Does not follow links. */
  stat(path: string): DiskStat | undefined;
  list(folder: string): string[];
  /** Creates a single folder (mode 0700). */
  makeFolder(path: string): void;
  removeFolder(path: string): void;
  /** Makes the names in the folder durable, so that they survive a power loss after this call returns. */
  syncFolder(path: string): void;
  link(from: string, to: string): void;
  rename(from: string, to: string): void;
  unlink(path: string): void;
}

export type OpenHow = "read" | "append" | "create";

export interface DiskStat {
  readonly kind: "file" | "folder" | "other";
  readonly size: number;
  /** Identifies the file independently of its name. Two names for the same file have the same identity. */
  readonly identity: string;
  /** The time of the last change to the content, in milliseconds since 1970. */
  readonly modifiedAt: number;
}

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const FLAGS: Readonly<Record<OpenHow, number>> = {
  read: constants.O_RDONLY,
  append: constants.O_WRONLY | constants.O_APPEND,
  create: constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL,
};

/** This machine's file system. */
export const realDisk: Disk = {
  open: (path, how) => openSync(path, FLAGS[how], FILE_MODE),
  close: (file) => closeSync(file),
  read: (file, into, position) => readSync(file, into, 0, into.length, position),
  write: (file, bytes) => writeSync(file, bytes, 0, bytes.length),
  sync: (file) => fdatasyncSync(file),
  truncate: (file, size) => ftruncateSync(file, size),
  stat: (path) => describe(lstatSync(path, { bigint: true, throwIfNoEntry: false })),
  list: (folder) => readdirSync(folder),
  makeFolder: (path) => mkdirSync(path, FOLDER_MODE),
  removeFolder: (path) => rmdirSync(path),
  syncFolder,
  link: (from, to) => linkSync(from, to),
  rename: (from, to) => renameSync(from, to),
  unlink: (path) => unlinkSync(path),
};

function describe(stat: BigIntStats | undefined): DiskStat | undefined {
  if (stat === undefined) return undefined;
  return {
    kind: stat.isFile() ? "file" : stat.isDirectory() ? "folder" : "other",
    size: Number(stat.size),
    identity: `${stat.dev}:${stat.ino}`,
    modifiedAt: Number(stat.mtimeMs),
  };
}

function syncFolder(path: string): void {
  // Windows cannot open a folder, but it makes names durable automatically.
  if (process.platform === "win32") return;
  const folder = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(folder);
  } catch (error) {
    // Some network file systems support neither fsync for folders nor an alternative.
    if (errnoOf(error) !== "EINVAL") throw error;
  } finally {
    closeSync(folder);
  }
}

const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

const REFUSALS: Readonly<Record<string, DiskRefusal>> = {
  ENOTDIR: "not-a-folder",
  ELOOP: "not-a-folder",
  EMFILE: "too-many-files",
  ENFILE: "too-many-files",
  EROFS: "read-only",
  EACCES: "forbidden",
  EPERM: "forbidden",
};

/**
 * Converts the system error from a failed write to an error in the port's contract, and keeps the system error as the
 * cause.
 */
export function writeError(cause: unknown, stored: Stored): WorldlineError {
  if (cause instanceof WorldlineError) return cause;
  const failure = failureOf(cause, stored);
  const { errno, place } = failure;
  if (errno !== undefined && FULL.has(errno)) {
    return new WorldlineError("write-no-room", { stored, errno }, { cause });
  }
  return new WorldlineError("write-failed", { ...failure, place: place && folderOf(place) }, { cause });
}

export function readError(cause: unknown, stored: Stored): WorldlineError {
  if (cause instanceof WorldlineError) return cause;
  return new WorldlineError("read-failed", failureOf(cause, stored), { cause });
}

function failureOf(cause: unknown, stored: Stored): DiskFailure {
  const errno = errnoOf(cause);
  const place =
    cause instanceof Error && "path" in cause && typeof cause.path === "string" ? cause.path : undefined;
  return { stored, errno, refusal: REFUSALS[errno ?? ""] ?? "other", place };
}

/** Returns the folder where a file is created. The folder must be writable. */
function folderOf(place: string): string {
  return isAbsolute(place) && !existsSync(place) ? dirname(place) : place;
}

/** Runs `work`, and converts its system errors to errors in the port's contract. */
export function withWriteError<Result>(stored: Stored, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw writeError(error, stored);
  }
}

export function withReadError<Result>(stored: Stored, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw readError(error, stored);
  }
}
