import type { PathBytes } from "../../record/files.ts";

/** Why a path that differs from the target stays as it is. */
export type KeptWhy =
  | "outside"
  | "unmerged"
  | "not-captured"
  | "unreadable"
  | "never-captured"
  | "ignored"
  | "holds-kept"
  | "needs-kept"
  | "not-asked"
  | "elsewhere"
  | "untracked"
  | "cut-off"
  | "chosen";

/** What is said of a path that is kept: one that is gone, and that no snapshot ever had, does not stay. */
export function keptOutcome(why: KeptWhy): { readonly outcome: "kept"; readonly detail?: "not-restorable" } {
  return why === "never-captured" ? { outcome: "kept", detail: "not-restorable" } : { outcome: "kept" };
}

export interface KeptPath {
  readonly path: PathBytes;
  readonly why: KeptWhy;
}

/** The same words serve the preview, the outcome and the model. */
export const keptText: Readonly<Record<KeptWhy, string>> = {
  outside: "changed by somebody else since",
  unmerged: "changed by somebody else since, and the changes do not fit together",
  "not-captured": "not captured, then or now",
  unreadable: "cannot be read now",
  "never-captured": "never captured",
  ignored: "ignored, and not only the work of this timeline",
  "holds-kept": "holds what is kept",
  "needs-kept": "has no place beside what is kept",
  "not-asked": "has no place without what was not asked for",
  elsewhere: "leads elsewhere now, or is no file any more",
  untracked: "not in the agent's own file checkpoints, as what commands and sub-agents do is not",
  "cut-off": "the rewind was cut off before it, or did not know it",
  chosen: "you chose to keep it",
};
