import { type Catalogue, catalogueOf } from "../../agent/models/catalogue.ts";
import { viewSession } from "../../machine/open.ts";
import { statsOf } from "../../machine/queries/sessions.ts";
import type { SessionView } from "../../machine/view.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { isWorldlineError, problemIn, problemOf, WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import { mergeStats, type Stats } from "../../timeline/stats.ts";
import { pricesOf } from "../agent/open-model.ts";
import type { AppContext } from "../context.ts";
import { warnOfUnread } from "../sessions/find-session.ts";
import { viewsOf, workspaceWanted } from "../sessions/session-rows.ts";
import { openStore, sessionHeaders, subAgentsOf } from "../sessions/store.ts";
import { type PricedStats, priced } from "./costs.ts";

export interface CountedStats extends PricedStats {
  /** The session; null for the total across all sessions. */
  readonly session: SessionId | null;
}

/** Returns the statistics for a session, including its sub-agents. */
export async function statsOfSession(
  context: AppContext,
  store: LogStore,
  view: SessionView,
): Promise<CountedStats> {
  const own = await statsOf(view);
  const theirs: Stats[] = [];
  for (const id of subAgentsOf(view.id, await sessionHeaders(store, { workspace: view.header.workspace }))) {
    theirs.push(await statsOf(await viewSession(store, id)));
  }
  // Prompts to sub-agents are not counted, because the agent wrote them, not the user.
  const stats = { ...mergeStats([own, ...theirs]), prompts: own.prompts };
  return { session: view.id, ...priced(stats, await catalogueFor(context)) };
}

/** Returns the total statistics for all sessions in all workspaces. Unreadable sessions are reported and left out. */
export async function statsOfAll(context: AppContext): Promise<CountedStats> {
  if (context.common.session !== undefined) {
    throw new WorldlineError("reach-contradicts", { other: "--session" });
  }
  const { views, broken } = await viewsOf(openStore(context), await workspaceWanted(context, "everywhere"));
  for (const { id, ...why } of broken) {
    context.listener.report({ code: "session-broken", session: id, problem: problemIn(why) });
  }
  const each: Stats[] = [];
  for (const view of views) {
    warnOfUnread(context, view);
    each.push(await statsOf(view));
  }
  return { session: null, ...priced(mergeStats(each), await catalogueFor(context)) };
}

/** Returns the models' prices. If the settings cannot be read, only the prices that they define are missing. */
async function catalogueFor(context: AppContext): Promise<Catalogue> {
  try {
    return await pricesOf(context);
  } catch (error) {
    if (!isWorldlineError(error, "SETTINGS_INVALID")) throw error;
    context.listener.report({ code: "settings-unusable", problem: problemOf(error) });
    return catalogueOf({ models: {} });
  }
}
