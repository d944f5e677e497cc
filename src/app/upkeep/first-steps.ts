import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LogStore } from "../../ports/log-store.ts";
import type { SessionId } from "../../record/ids.ts";
import { isToGoOnWith } from "../agent/agent-session.ts";
import type { AppExtras } from "../app.ts";
import type { SessionSwitcher } from "../current/session-switcher.ts";
import { withHome } from "../places/named-folder.ts";
import { findWorkspace } from "../places/workspace.ts";
import { openStore } from "../sessions/ground.ts";
import { holderIn } from "../sessions/holder.ts";
import { viewsOf } from "../sessions/session-rows.ts";
import type { FirstSteps } from "./first-step-types.ts";

/** What can be tried without a model. */
export function firstStepsOn(
  switcher: SessionSwitcher,
  extras: Pick<AppExtras, "findInSample" | "makeSample">,
): FirstSteps {
  return {
    findInSample: async (tell, signal) => extras.findInSample(tell, signal),
    playground: async () => {
      const folder = await realpath(await mkdtemp(join(tmpdir(), "worldline-playground-")));
      await extras.makeSample(folder);
      await switcher.move({ how: "begun", folder });
      return folder;
    },
    openFolder: async (wanted) => {
      const { context, agent } = switcher.here;
      const folder = await findWorkspace({
        given: withHome(wanted),
        cwd: () => agent.workspace,
        known: async () => [],
      });
      if (folder === agent.workspace) return;
      const latest = await latestFree(openStore(context), folder);
      if (latest === undefined) await switcher.move({ how: "begun", folder });
      else await switcher.move({ how: "opened", folder, session: latest });
    },
  };
}

/** The session last used there that nobody has. */
async function latestFree(store: LogStore, folder: string): Promise<SessionId | undefined> {
  const { views } = await viewsOf(store, folder);
  for (const view of views.filter(isToGoOnWith)) {
    const holder = await holderIn(store, view.id);
    if (holder === undefined || holder.life === "dead") return view.id;
  }
  return undefined;
}
