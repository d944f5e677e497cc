import { isParentChanged, PARENT_CHANGED } from "../../disk/held-folder.ts";
import { errnoOf, type Remark, remark, remarkOf, WorldlineError } from "../../record/error.ts";

/** The outcome for one path, without the path itself. */
export interface Outcome {
  readonly outcome: "restored" | "kept" | "failed";
  readonly detail?: "parent-changed";
  /** The reasons for the outcome, and other remarks. */
  readonly remarks: readonly Remark[];
}

export const RESTORED: Outcome = { outcome: "restored", remarks: [] };

export function kept(why: Remark): Outcome {
  return { outcome: "kept", remarks: [why] };
}

export function failed(why: Remark): Outcome {
  return { outcome: "failed", remarks: [why] };
}

export function failedBy(error: unknown): Outcome {
  const why = whyFailed(error);
  return isParentChanged(error) ? folderReplaced() : failed(why);
}

/** Returns the outcome for a path whose parent folder has been replaced. */
export function folderReplaced(): Outcome {
  return { ...failed(remark("path-folder-replaced")), detail: "parent-changed" };
}

/** Adds a remark to an outcome. */
export function saying(outcome: Outcome, more: Remark): Outcome {
  return { ...outcome, remarks: [...outcome.remarks, more] };
}

/**
 * Returns the reason for a failure that affects only one path. Rethrows errors that come from neither the system nor
 * the store. Such errors are bugs or mean that the process is ending. In both cases, the journal must be kept for the
 * next process.
 */
export function whyFailed(error: unknown): Remark {
  if (error instanceof WorldlineError) return remarkOf(error);
  const errno = errnoOf(error);
  if (errno === undefined) throw error;
  return errno === PARENT_CHANGED
    ? remark("path-folder-replaced")
    : remark("restore-system-error", { errno });
}

/**
 * Ignores an error that affects only one path, because the step for that path will encounter it as well.
 * Throws the same errors as `whyFailed`.
 */
export function passOver(error: unknown): undefined {
  whyFailed(error);
  return undefined;
}
