import { isParentChanged, PARENT_CHANGED } from "../../disk/held-folder.ts";
import { errnoOf, WorldlineError } from "../../record/error.ts";

/** What became of one path, without its name. */
export interface Outcome {
  readonly outcome: "restored" | "kept" | "failed";
  readonly detail?: "parent-changed";
  readonly why?: string;
}

export const RESTORED: Outcome = { outcome: "restored" };

export function kept(why: string): Outcome {
  return { outcome: "kept", why };
}

export function failed(why: string): Outcome {
  return { outcome: "failed", why };
}

export function failedBy(error: unknown): Outcome {
  const why = whyFailed(error);
  return isParentChanged(error) ? PARENT_REPLACED : failed(why);
}

/** Its folder is no longer the one that it was in. */
export const PARENT_REPLACED: Outcome = {
  outcome: "failed",
  detail: "parent-changed",
  why: "a folder on the way to it was replaced meanwhile",
};

/** The same outcome, with one more thing to say about it. */
export function saying(outcome: Outcome, more: string): Outcome {
  return { ...outcome, why: outcome.why === undefined ? more : `${outcome.why}; ${more}` };
}

const WORDS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EBUSY: "in use",
  EDQUOT: "the quota is used up",
  EFBIG: "too large for this file system",
  EIO: "the disk failed",
  ELOOP: "a link stands in its way",
  EMLINK: "too many links",
  ENAMETOOLONG: "the name is too long",
  EMFILE: "too many open files: raise the limit (ulimit -n) and try again",
  ENFILE: "too many open files on this machine",
  ENOENT: "it went away meanwhile",
  ENOSPC: "no room on the disk",
  ENOTDIR: "something that is no folder stands in its way",
  EPERM: "not permitted",
  ESTALE: "something else took its place meanwhile",
  EROFS: "the file system is read-only",
};

/**
 * What a failure that costs one path is called. Throws on what neither the system nor the store has said: that is a
 * fault of ours, or the end of the process, and the journal must then stay for the next one.
 */
export function whyFailed(error: unknown): string {
  if (error instanceof WorldlineError) return error.message;
  const errno = errnoOf(error);
  if (errno === undefined) throw error;
  if (errno === PARENT_CHANGED) return "a folder on the way to it was replaced meanwhile";
  const words = WORDS[errno];
  return words === undefined ? errno : `${words} (${errno})`;
}
