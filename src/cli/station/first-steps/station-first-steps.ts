import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeSample } from "../../../finder/sample/project.ts";
import type { FirstSteps } from "../../../ports/station/first-steps.ts";
import { isToGoOnWith } from "../../agent/agent-session.ts";
import { viewsOf } from "../../commands/sessions/session-rows.ts";
import { withHome } from "../../places/folder-argument.ts";
import { findWorkspace } from "../../places/workspace.ts";
import { openStore } from "../../timeline/ground.ts";
import { holderOf } from "../../timeline/on-disk.ts";
import type { Seat } from "../here/seat.ts";
import { findInSample } from "./find-in-sample.ts";

/** What can be tried without a model. */
export function stationFirstSteps(seat: Seat): FirstSteps {
  return {
    findInSample: async (tell, signal) => findInSample(seat.here.frame, tell, signal),
    playground: async () => {
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
      const { views } = await viewsOf(openStore(frame), folder);
      const latest = views.find((view) => isToGoOnWith(view) && isFree(frame.home, view.id));
      if (latest === undefined) await seat.move({ how: "begun", folder });
      else await seat.move({ how: "opened", folder, session: latest.id });
    },
  };
}

function isFree(home: string, session: Parameters<typeof holderOf>[1]): boolean {
  const holder = holderOf(home, session);
  return holder === undefined || holder.life === "dead";
}
