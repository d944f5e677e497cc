import { isParentChanged, PARENT_CHANGED } from "../../disk/held-folder.ts";
import { errnoOf, WorldlineError } from "../../record/error.ts";
import { errorReason, type PathReason } from "../../record/path-reason.ts";

/** What became of one path, without its name. */
export interface Outcome {
  readonly outcome: "restored" | "kept" | "failed";
  readonly detail?: "parent-changed";
  /** Why, or what else there is to say. */
  readonly reasons: readonly PathReason[];
}

export const RESTORED: Outcome = { outcome: "restored", reasons: [] };

export function kept(reason: PathReason): Outcome {
  return { outcome: "kept", reasons: [reason] };
}

export function failed(reason: PathReason): Outcome {
  return { outcome: "failed", reasons: [reason] };
}

export function failedBy(error: unknown): Outcome {
  const reason = reasonOf(error);
  return isParentChanged(error) ? PARENT_REPLACED : failed(reason);
}

/** Its folder is no longer the one that it was in. */
export const PARENT_REPLACED: Outcome = {
  outcome: "failed",
  detail: "parent-changed",
  reasons: [{ code: "folder-replaced" }],
};

/** The same outcome, with one more thing to say about it. */
export function saying(outcome: Outcome, more: PathReason): Outcome {
  return { ...outcome, reasons: [...outcome.reasons, more] };
}

/**
 * The reason of a failure that costs one path. Throws on what neither the system nor the store has said: that is a fault of
 * ours, or the end of the process, and the journal must then stay for the next one.
 */
export function reasonOf(error: unknown): PathReason {
  if (error instanceof WorldlineError) return errorReason(error);
  const errno = errnoOf(error);
  if (errno === undefined) throw error;
  return errno === PARENT_CHANGED ? { code: "folder-replaced" } : { code: "errno", errno };
}

/** Passes over a failure that costs one path, because its own step will meet it too. Throws what `reasonOf` throws. */
export function passOver(error: unknown): undefined {
  reasonOf(error);
  return undefined;
}
