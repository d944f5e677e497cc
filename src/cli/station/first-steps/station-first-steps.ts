import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadFindSample, loadSampleProject } from "../../../demonstrations.ts";
import type { LogStore } from "../../../ports/log-store.ts";
import type { FirstSteps } from "../../../ports/station/first-steps.ts";
import type { SessionId } from "../../../record/ids.ts";
import { isToGoOnWith } from "../../agent/agent-session.ts";
import { viewsOf } from "../../commands/sessions/session-rows.ts";
import { withHome } from "../../places/folder-argument.ts";
import { findWorkspace } from "../../places/workspace.ts";
import { openStore } from "../../timeline/ground.ts";
import { holderIn } from "../../timeline/holder.ts";
import type { Seat } from "../here/seat.ts";

/** What can be tried without a model. */
export function stationFirstSteps(seat: Seat): FirstSteps {
  return {
    findInSample: async (tell, signal) => {
      const { findInSample } = await loadFindSample();
      await findInSample(seat.here.frame, tell, signal);
    },
    playground: async () => {
      const { makeSample } = await loadSampleProject();
      const folder = await realpath(await mkdtemp(join(tmpdir(), "worldline-playground-")));
      makeSample(folder);
      await seat.move({ how: "begun", folder });
      return folder;
    },
    openFolder: async (wanted) => {
      const { frame, agent } = seat.here;
      const folder = await findWorkspace({
        given: withHome(wanted),
        cwd: () => agent.workspace,
        known: async () => [],
      });
      if (folder === agent.workspace) return;
      const latest = await latestFree(openStore(frame), folder);
      if (latest === undefined) await seat.move({ how: "begun", folder });
      else await seat.move({ how: "opened", folder, session: latest });
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
