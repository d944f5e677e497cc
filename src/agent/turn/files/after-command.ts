import type { IntervalFacts } from "../../../machine/files/capture-interval.ts";
import type { FilesAt, Patience } from "../../../machine/files/requests.ts";
import type { Session } from "../../../machine/session.ts";
import type { WorkspaceFiles } from "../../../ports/workspace-files.ts";
import { toCheckpointNumber } from "../../../record/ids.ts";

export interface AfterCommand extends Pick<Patience, "onProgress"> {
  readonly session: Session;
  readonly files: WorkspaceFiles | undefined;
  /** The one before the command. */
  readonly checkpoint: number;
  /** What ran since. */
  readonly ran: () => IntervalFacts;
}

/**
 * Writes down how the files are behind a command of the person's, so that what others change from here on is not taken for the
 * command's. Most commands change nothing: then the files of the checkpoint before it are said again, and lists stay short.
 */
export async function captureAfterCommand(after: AfterCommand): Promise<FilesAt> {
  const { session, onProgress, ran } = after;
  const unchanged = await filesUnchanged(after);
  if (unchanged !== undefined) {
    const { line: _, ...known } = unchanged;
    const checkpoint = toCheckpointNumber(after.checkpoint);
    await session.append({ kind: "snapshot", checkpoint, author: "timeline", ...known });
    return unchanged;
  }
  const patience = onProgress === undefined ? {} : { onProgress };
  return session.filesAt(await session.checkpoint(undefined, { author: "timeline", ran, ...patience }));
}

type FilesThere = Extract<FilesAt, { state: "complete" | "partial" }>;

/** The files of the checkpoint, where they are what is there now. */
async function filesUnchanged({ session, files, checkpoint }: AfterCommand): Promise<FilesThere | undefined> {
  const before = await session.filesAt(checkpoint);
  if (files === undefined || (before.state !== "complete" && before.state !== "partial")) return undefined;
  const { snapshot } = await files.capture({ look: "everything" });
  return snapshot === before.snapshot ? before : undefined;
}
