import { isParentChanged } from "../../disk/held-folder.ts";
import { whyFailed } from "./why-failed.ts";

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
