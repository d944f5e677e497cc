import { existsSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { WorldlineError } from "../record/error.ts";
import type { DiskFailure, DiskRefusal, Stored } from "../strings/errors/facts.ts";
import { errnoOf } from "./disk.ts";

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

/** Says what could not be written, in the words of the contract; the system's own error is the cause. */
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

/** A file that is not there yet is made in its folder, and that is what must be writable. */
function folderOf(place: string): string {
  return isAbsolute(place) && !existsSync(place) ? dirname(place) : place;
}
