import { existsSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { WorldlineError } from "../record/error.ts";
import { errnoOf } from "./disk.ts";

const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
const FORBIDDEN = new Set(["EACCES", "EPERM"]);
const NO_FOLDER = new Set(["ENOTDIR", "ELOOP"]);
const NO_FOLDER_HINT =
  "Something that is no folder stands in its path. Move that away, or set WORLDLINE_HOME to another folder.";

const TOO_MANY = new Set(["EMFILE", "ENFILE"]);
const TOO_MANY_HINT = "Too many files are open. Raise the limit and try again: ulimit -n 1024";

/** A session that stays open keeps what it could not write: given again, it would stand there twice. */
const AGAIN = "A session that stays open writes what waits by itself; a command can be given again.";

/** Says what could not be written, in the words of the contract; the system's own error is the cause. */
export function writeError(cause: unknown, what: string): WorldlineError {
  if (cause instanceof WorldlineError) return cause;
  const errno = errnoOf(cause) ?? "unknown error";
  if (FULL.has(errno)) {
    return new WorldlineError("STORE_FULL", `${what} could not be written: there is no room (${errno}).`, {
      hint: `Nothing that was written before is lost. Make room on the disk (worldline store gc). ${AGAIN}`,
      cause,
    });
  }
  return new WorldlineError("STORE_UNWRITABLE", `${what} could not be written (${errno}).`, {
    hint: writeHint(errno, placeOf(cause)),
    cause,
  });
}

export function readError(cause: unknown, what: string): WorldlineError {
  if (cause instanceof WorldlineError) return cause;
  const errno = errnoOf(cause) ?? "unknown error";
  return new WorldlineError("STORE_UNREADABLE", `${what} could not be read (${errno}).`, {
    hint: readHint(errno, placeOf(cause)),
    cause,
  });
}

/** The system's error knows the path; where it does not, it is the folder of all that is kept. */
function placeOf(cause: unknown): string {
  return cause instanceof Error && "path" in cause && typeof cause.path === "string"
    ? cause.path
    : "the folder";
}

/** A file that is not there yet is made in its folder, and that is what must be writable. */
function folderOf(place: string): string {
  return isAbsolute(place) && !existsSync(place) ? dirname(place) : place;
}

function readHint(errno: string, place: string): string {
  if (NO_FOLDER.has(errno)) return NO_FOLDER_HINT;
  if (TOO_MANY.has(errno)) return TOO_MANY_HINT;
  if (FORBIDDEN.has(errno)) return `Check who owns ${place} and its permissions.`;
  return "Check the disk; `worldline doctor` says what can still be read.";
}

function writeHint(errno: string, place: string): string {
  if (NO_FOLDER.has(errno)) return NO_FOLDER_HINT;
  if (TOO_MANY.has(errno)) return `${TOO_MANY_HINT} ${AGAIN}`;
  if (errno === "EROFS")
    return "The file system is mounted read-only; set WORLDLINE_HOME to a folder that can be written.";
  if (FORBIDDEN.has(errno))
    return `Check who owns ${folderOf(place)} and its permissions: it must be writable.`;
  return `Nothing that was written before is lost. Check the disk. ${AGAIN}`;
}
