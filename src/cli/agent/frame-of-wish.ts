import { resolveSession } from "../../machine/looking/sessions.ts";
import { headerOf } from "../../machine/open.ts";
import type { Frame } from "../command/frame.ts";
import type { Wish } from "../commands/agent/wish.ts";
import { frameOfSession } from "../timeline/frame-of-session.ts";
import { openStore } from "../timeline/ground.ts";

/**
 * The frame of the workspace that the wish is about. A session works in its own, wherever it is resumed from: what that
 * folder denies is denied, and what the current one allows is not meant for it.
 */
export async function frameOfWish(frame: Frame, { resume }: Pick<Wish, "resume">): Promise<Frame> {
  if (resume.how !== "resume" || resume.wanted === undefined) return frame;
  const store = openStore(frame);
  return frameOfSession(frame, await headerOf(store, await resolveSession(store, resume.wanted)));
}
