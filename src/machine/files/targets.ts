import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import { WorldlineError } from "../../record/error.ts";
import type { SnapshotId } from "../../record/ids.ts";
import type { JourneyEntry } from "../../travel/redo.ts";
import { filesAt, letGoText } from "./files-at.ts";
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
      throw withoutFiles(`The files of checkpoint ${checkpoint} were not captured.`);
    case "none":
      throw withoutFiles(`The files of checkpoint ${checkpoint} were not captured: ${at.why}`);
    case "let-go":
      throw withoutFiles(letGoText(checkpoint, at));
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
  if (left === undefined) throw withoutFiles(`What journey ${id} left was not captured.`);
  if (!(await files.has(left))) throw withoutFiles(`The files that journey ${id} left are no longer kept.`);
  return left;
}

function withoutFiles(message: string): WorldlineError {
  return new WorldlineError("REWIND_REFUSED", message, {
    hint: "Take the conversation alone: --scope conversation",
  });
}

export function noFilesHere(): WorldlineError {
  return new WorldlineError("REWIND_REFUSED", "Files are not captured in this session.", {
    hint: "Take the conversation alone: --scope conversation",
  });
}
