import { type Catalogue, catalogueOf } from "../../../agent/models/catalogue.ts";
import { priced } from "../../../app/queries/costs.ts";
import { requireSession, warnOfUnread } from "../../../app/sessions/choose-session.ts";
import { openStore } from "../../../app/sessions/ground.ts";
import { sessionHeaders, subAgentsOf } from "../../../app/sessions/session-headers.ts";
import { viewsOf, workspaceWanted } from "../../../app/sessions/session-rows.ts";
import { statsOf } from "../../../machine/looking/stats.ts";
import { viewSession } from "../../../machine/open.ts";
import { isWorldlineError, WorldlineError } from "../../../record/error.ts";
import { mergeStats, type Stats } from "../../../timeline/stats/stats.ts";
import { defineCommand } from "../../command/command.ts";
import type { Frame } from "../../command/frame.ts";
import { flag } from "../../command/parameters.ts";
import { statsLines } from "./stats-text.ts";

export const stats = defineCommand({
  description:
    "Shows what a session has done and used, on all its branches: prompts, model calls, tool calls, tokens, what came from " +
    "the provider's cache, what that cost, what backtracks left behind and saved, and compactions. Tokens are what " +
    "providers counted; prices are those of the built-in table and the setting models, and where there is none, that is " +
    "said. Calls that failed are not counted. What a fork copied is " +
    "counted in the session that it comes from; what its sub-agents did is counted with a session.",
  options: { all: flag("of all sessions of all workspaces, added up") },
  examples: [
    { command: "worldline stats", meaning: "of the session last used here" },
    { command: "worldline stats --session k3f9", meaning: "of the session whose id begins like that" },
    { command: "worldline stats --all", meaning: "of all sessions together" },
    { command: "worldline stats --json | jq .cost", meaning: "in dollars, as a number" },
  ],
  run: async ({ options: { all }, frame }) => {
    const counted = all ? await ofAll(frame) : await ofOne(frame);
    const numbers = priced(counted.stats, await catalogueFor(frame));
    frame.output.answer({ session: counted.session, ...numbers }, () =>
      statsLines(numbers, frame.strings.stats).join("\n"),
    );
  },
});

interface Counted {
  readonly session: string | null;
  readonly stats: Stats;
}

async function ofOne(frame: Frame): Promise<Counted> {
  const store = openStore(frame);
  const view = await requireSession(frame, store);
  const own = await statsOf(view);
  const theirs: Stats[] = [];
  for (const id of subAgentsOf(view.id, await sessionHeaders(store, { workspace: view.header.workspace }))) {
    theirs.push(await statsOf(await viewSession(store, id)));
  }
  // The prompts of sub-agents are the agent's, not the person's.
  return { session: view.id, stats: { ...mergeStats([own, ...theirs]), prompts: own.prompts } };
}

async function ofAll(frame: Frame): Promise<Counted> {
  if (frame.common.session !== undefined) {
    throw new WorldlineError("reach-contradicts", { other: "--session" });
  }
  const { views, broken } = await viewsOf(openStore(frame), await workspaceWanted(frame, "everywhere"));
  for (const { id, why } of broken) frame.output.warn(frame.strings.sessionsHere.broken(id, why));
  const each: Stats[] = [];
  for (const view of views) {
    warnOfUnread(frame, view);
    each.push(await statsOf(view));
  }
  return { session: null, stats: mergeStats(each) };
}

/** Settings that cannot be read cost the prices that they hold, and not the numbers. */
async function catalogueFor({ settings, output }: Frame): Promise<Catalogue> {
  try {
    return catalogueOf({ models: (await settings()).values.models });
  } catch (error) {
    if (!isWorldlineError(error, "SETTINGS_INVALID")) throw error;
    output.warn(error.message);
    return catalogueOf({ models: {} });
  }
}
