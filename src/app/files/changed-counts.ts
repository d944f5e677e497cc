import type { FileState, PathChange } from "../../record/files.ts";
import type { ChangedCounts } from "../../strings/en/finder.ts";

/** How many files came, went and changed; a file where a folder was has changed. */
export function changedCounts(changes: readonly PathChange[]): ChangedCounts {
  let [created, deleted, changed, folders] = [0, 0, 0, 0];
  for (const { before, after } of changes) {
    if (!isFile(before) && !isFile(after)) folders += 1;
    else if (before === undefined) created += 1;
    else if (after === undefined) deleted += 1;
    else changed += 1;
  }
  return { created, deleted, changed, folders };
}

function isFile(state: FileState | undefined): boolean {
  return state !== undefined && state.kind !== "folder";
}
