import { isParentChanged, PARENT_CHANGED } from "../../disk/held-folder.ts";
import { errnoOf, type Remark, remark, remarkOf, WorldlineError } from "../../record/error.ts";

/** What became of one path, without its name. */
export interface Outcome {
  readonly outcome: "restored" | "kept" | "failed";
  readonly detail?: "parent-changed";
  /** Why, or what else there is to say. */
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

/** Its folder is no longer the one that it was in. */
export function folderReplaced(): Outcome {
  return { ...failed(remark("path-folder-replaced")), detail: "parent-changed" };
}

/** The same outcome, with one more thing to say about it. */
export function saying(outcome: Outcome, more: Remark): Outcome {
  return { ...outcome, remarks: [...outcome.remarks, more] };
}

/**
 * Why something failed that costs one path. Throws on what neither the system nor the store has said: that is a fault of ours,
 * or the end of the process, and the journal must then stay for the next one.
 */
export function whyFailed(error: unknown): Remark {
  if (error instanceof WorldlineError) return remarkOf(error);
  const errno = errnoOf(error);
  if (errno === undefined) throw error;
  return errno === PARENT_CHANGED
    ? remark("path-folder-replaced")
    : remark("restore-system-error", { errno });
}

/** Passes over a failure that costs one path, because its own step will meet it too. Throws what `whyFailed` throws. */
export function passOver(error: unknown): undefined {
  whyFailed(error);
  return undefined;
}
