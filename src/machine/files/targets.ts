import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import { WorldlineError } from "../../record/error.ts";
import type { SnapshotId } from "../../record/ids.ts";
import type { JourneyEntry } from "../../travel/redo.ts";
import { filesAt } from "./files-at.ts";
import type { FilesGround, FilesTarget } from "./look.ts";

/** The files of a checkpoint; refused where it has none. */
export async function targetOfCheckpoint(
  { view, files }: FilesGround,
  checkpoint: number,
): Promise<FilesTarget> {
  const at = await filesAt(view, files, checkpoint);
  switch (at.state) {
    case "complete":
    case "partial":
      return at;
    case "pending":
      throw new WorldlineError("files-not-captured", { checkpoint });
    case "none":
      throw new WorldlineError("files-not-captured", { checkpoint, why: at.why });
    case "let-go":
      throw new WorldlineError("files-let-go", { checkpoint, machine: at.machine });
    default:
      return at satisfies never;
  }
}

/** What a journey left. */
export async function targetOfJourney({ files }: FilesGround, journey: JourneyEntry): Promise<FilesTarget> {
  const { leftGitHead, seq } = journey;
  const snapshot = await requireLeft(files, journey);
  return { snapshot, line: seq, ...(leftGitHead === undefined ? {} : { gitHead: leftGitHead }) };
}

/** The snapshot of what a journey left; refused where there is none. */
export async function requireLeft(
  files: Pick<WorkspaceFiles, "has">,
  { id, left }: Pick<JourneyEntry, "id" | "left">,
): Promise<SnapshotId> {
  if (left === undefined) throw new WorldlineError("journey-files-not-captured", { journey: id });
  if (!(await files.has(left))) throw new WorldlineError("journey-files-let-go", { journey: id });
  return left;
}
