import { existsSync } from "node:fs";
import { headerOf, requireConfirmed } from "../../machine/open.ts";
import { resolveSession } from "../../machine/queries/sessions.ts";
import { WorldlineError } from "../../record/error.ts";
import type { AppContext } from "../context.ts";
import { contextOfSession } from "../sessions/context-of-session.ts";
import { openStore } from "../sessions/ground.ts";
import type { AgentRequest } from "./agent-request.ts";
import { refuseExecution } from "./refuse-execution.ts";

/**
 * The context of the workspace that the wish is about. A session works in its own, wherever it is resumed from: what that
 * folder denies is denied, and what the current one allows is not meant for it.
 */
export async function contextOfRequest<Context extends AppContext>(
  context: Context,
  { resume }: Pick<AgentRequest, "resume">,
): Promise<Context> {
  if (resume.how !== "resume" || resume.wanted === undefined) return context;
  const store = openStore(context);
  const header = await headerOf(store, await resolveSession(store, resume.wanted));
  refuseExecution(header);
  requireConfirmed(store, header);
  const { session, workspace } = header;
  // Where sessions are shared, a folder that is not there is more likely another machine's than one that was removed.
  if (store.place.reach === "shared" && !existsSync(workspace)) {
    throw new WorldlineError("workspace-elsewhere", { session, workspace });
  }
  return contextOfSession(context, header);
}
