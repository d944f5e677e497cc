import { filesAt, targetOfCheckpoint } from "../../machine/files/look.ts";
import type { SessionView } from "../../machine/view.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { SnapshotId } from "../../record/ids.ts";
import type { FoundCheckpoint } from "../checkpoints/find-checkpoint.ts";

/** The snapshot of a checkpoint that was named, for a command that only looks. */
export interface SnapshotOf {
  readonly snapshot: SnapshotId;
  readonly state: "complete" | "partial";
}

export async function snapshotOf({ view, row }: FoundCheckpoint, files: WorkspaceFiles): Promise<SnapshotOf> {
  const at = await filesAt(view, files, row.number);
  if (at.state === "complete" || at.state === "partial") return { snapshot: at.snapshot, state: at.state };
  throw await whyNot(view, files, row.number);
}

/** In the words of the machine, without the way out that only a rewind has. */
async function whyNot(view: SessionView, files: WorkspaceFiles, checkpoint: number): Promise<WorldlineError> {
  try {
    await targetOfCheckpoint({ view, files }, checkpoint);
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return new WorldlineError("checkpoint-files-unusable", { problem: error }, { cause: error });
  }
  return new WorldlineError("checkpoint-without-files", { checkpoint });
}

/** What people call it: `#12` of the session that it is in. */
export function placeOf({ view, row }: FoundCheckpoint): string {
  return `${view.id}:${row.number}`;
}
