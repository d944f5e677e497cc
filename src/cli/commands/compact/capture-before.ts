import { filesKnownTo } from "../../../app/files/known-files.ts";
import { patiently } from "../../../app/files/patiently.ts";
import { patienceOf, presentAuthor } from "../../../machine/files/look.ts";
import type { Session } from "../../../machine/session.ts";
import type { WorkspaceFiles } from "../../../ports/workspace-files.ts";
import { isWorldlineError } from "../../../record/error.ts";
import type { Frame } from "../../command/frame.ts";

/**
 * Makes a checkpoint of the files as they are, where they are not as the timeline knows them. A capture that fails is told
 * and stops nothing: a compaction touches no file.
 */
export async function captureBefore(frame: Frame, session: Session, files: WorkspaceFiles): Promise<void> {
  try {
    await patiently(frame, async (wish) => {
      const { snapshot } = await files.capture({ look: "everything", ...patienceOf(wish) });
      if (snapshot === (await filesKnownTo(session))) return;
      // It was looked at just now.
      await session.checkpoint(undefined, { author: await presentAuthor(session, {}), look: [], ...wish });
    });
  } catch (error) {
    if (!isWorldlineError(error) || error.code === "CANCELLED") throw error;
    frame.output.warn(frame.strings.files.without(error.message));
  }
}
