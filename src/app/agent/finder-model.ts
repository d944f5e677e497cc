import { systemClock } from "../../disk/system-clock.ts";
import { candidatesOf } from "../../finder/worker/candidates.ts";
import { offlineWorker } from "../../finder/worker/offline-worker.ts";
import type { SessionView } from "../../machine/view.ts";
import type { Model } from "../../ports/model.ts";
import type { AppContext } from "../context.ts";
import type { FilesHere } from "../files/files.ts";
import { sessionsHere } from "../sessions/sessions-here.ts";
import type { AgentSession } from "./agent-session.ts";

type Opened = Pick<AgentSession, "session" | "ground" | "here">;

/** The finder as a model, and who tells it of the session: the model is opened first, because the session asks for its window. */
export interface FinderModel {
  readonly model: Model;
  workOn(opened: Opened): void;
}

export function finderModel(context: AppContext): FinderModel {
  let opened: Opened | undefined;
  const model = offlineWorker({
    candidates: async () => {
      if (opened === undefined) throw new Error("No session is open yet.");
      const { here } = opened;
      if (here.state !== "on") throw new Error(withoutFiles(here));
      const { files } = here;
      return candidatesOf({ files, views: await viewsOf(context, opened), now: systemClock.now() });
    },
  });
  return {
    model,
    workOn: (session) => {
      opened = session;
    },
  };
}

function withoutFiles({ why, error }: Exclude<FilesHere, { state: "on" }>): string {
  return ["The finder needs the workspace's files, and there are none.", why, error.hint ?? ""]
    .join(" ")
    .trim();
}

/** All sessions of the workspace as they are on disk now, and the one that is held as it is. */
async function viewsOf(context: AppContext, { session, ground }: Opened): Promise<readonly SessionView[]> {
  const views = await sessionsHere(context, ground.store);
  return [session, ...views.filter(({ id }) => id !== session.id)];
}
