import { WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import { errnoOf } from "./disk/disk.ts";

const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
const FORBIDDEN = new Set(["EACCES", "EPERM"]);

/** Says what could not be written, in the words of the contract; the system's own error is the cause. */
export function writeError(cause: unknown, what: string): WorldlineError {
  if (cause instanceof WorldlineError) return cause;
  const errno = errnoOf(cause) ?? "unknown error";
  if (FULL.has(errno)) {
    return new WorldlineError("STORE_FULL", `There is no room to write ${what} (${errno}).`, {
      hint: "Nothing that was written before is lost. Make room on the disk, then do the same again.",
      cause,
    });
  }
  return new WorldlineError("STORE_UNWRITABLE", `${what} could not be written (${errno}).`, {
    hint: writeHint(errno),
    cause,
  });
}

export function readError(cause: unknown, what: string): WorldlineError {
  if (cause instanceof WorldlineError) return cause;
  const errno = errnoOf(cause) ?? "unknown error";
  return new WorldlineError("STORE_UNREADABLE", `${what} could not be read (${errno}).`, {
    hint: FORBIDDEN.has(errno)
      ? "Check who owns the folder and its permissions."
      : "Check the disk; `worldline doctor` says what can still be read.",
    cause,
  });
}

export function sessionUnknown(session: string): WorldlineError {
  return new WorldlineError("SESSION_UNKNOWN", `There is no session ${session}`, {
    hint: "`worldline sessions list` shows those there are.",
  });
}

export function sessionExists(session: SessionId): WorldlineError {
  return new WorldlineError("SESSION_EXISTS", `There is a session ${session} already.`, {
    hint: "Sessions are never overwritten; choose another id.",
  });
}

function writeHint(errno: string): string {
  if (errno === "EROFS")
    return "The file system is mounted read-only; set WORLDLINE_HOME to a folder that can be written.";
  if (FORBIDDEN.has(errno)) return "Check who owns the folder and its permissions, then do the same again.";
  return "Nothing that was written before is lost. Check the disk, then do the same again.";
}
