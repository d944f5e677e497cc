import { existsSync } from "node:fs";
import { resolveSession } from "../../machine/looking/sessions.ts";
import { headerOf, requireConfirmed } from "../../machine/open.ts";
import { WorldlineError } from "../../record/error.ts";
import type { Frame } from "../command/frame.ts";
import type { Wish } from "../commands/agent/wish.ts";
import { frameOfSession } from "../timeline/frame-of-session.ts";
import { openStore } from "../timeline/ground.ts";
import { refuseExecution } from "./refuse-execution.ts";

/**
 * The frame of the workspace that the wish is about. A session works in its own, wherever it is resumed from: what that
 * folder denies is denied, and what the current one allows is not meant for it.
 */
export async function frameOfWish(frame: Frame, { resume }: Pick<Wish, "resume">): Promise<Frame> {
  if (resume.how !== "resume" || resume.wanted === undefined) return frame;
  const store = openStore(frame);
  const header = await headerOf(store, await resolveSession(store, resume.wanted));
  refuseExecution(header);
  requireConfirmed(store, header);
  const { session, workspace } = header;
  // Where sessions are shared, a folder that is not there is more likely another machine's than one that was removed.
  if (store.place.reach === "shared" && !existsSync(workspace)) {
    throw new WorldlineError("workspace-elsewhere", { session, workspace });
  }
  return frameOfSession(frame, header);
}
