import { requireConfirmed } from "../../machine/open.ts";
import type { EntryOf } from "../../record/entry.ts";
import { WorldlineError } from "../../record/error.ts";
import { type Frame, frameIn } from "../command/frame.ts";
import { openStore } from "./ground.ts";

/**
 * The frame of the workspace that a session works in. Where that is not the one that the person is in, it is said: all
 * that follows is about those files. A `--workspace` that says otherwise is a contradiction.
 */
export async function frameOfSession(
  frame: Frame,
  header: Pick<EntryOf<"session">, "session" | "workspace" | "confirmation">,
): Promise<Frame> {
  requireConfirmed(openStore(frame), header);
  const { session, workspace } = header;
  const here = await frame.workspace();
  if (here === workspace) return frame;
  if (frame.common.workspace !== undefined) {
    throw new WorldlineError("session-of-other-folder", { session, workspace, here });
  }
  const { output, strings } = frame;
  const said = strings.sessionsHere.elsewhere(session, workspace);
  // A program that reads documents does not look at what stands beside them.
  if (output.mode === "json") output.warn(said);
  else output.notice(said);
  return frameIn(frame, workspace);
}
