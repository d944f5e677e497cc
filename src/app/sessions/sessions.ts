import { forkSession } from "../../machine/journeys/fork.ts";
import { checkTitle } from "../../machine/names.ts";
import { headerOf, requireConfirmed, viewSession } from "../../machine/open.ts";
import { WorldlineError } from "../../record/error.ts";
import type { EntryId, SessionId } from "../../record/ids.ts";
import { nearest } from "../../timeline/outline.ts";
import { refuseHeld } from "../agent/held-elsewhere.ts";
import { refuseExecution } from "../agent/refuse-execution.ts";
import type { SessionSwitcher } from "../current/session-switcher.ts";
import { confirmSession, sessionClaims } from "./confirm-session.ts";
import { exportHere } from "./export-here.ts";
import { openStore } from "./ground.ts";
import { SessionRows } from "./listed-sessions.ts";
import type { Sessions } from "./session-types.ts";
import { trashSession } from "./trash-session.ts";

/** The sessions that a person can go to. */
export function sessionsOn(switcher: SessionSwitcher): Sessions {
  const rows = new SessionRows();
  return {
    list: async (request) => rows.list(switcher.here, request),
    unreadable: () => rows.unreadable,
    open: async (session) => switcher.alone(async () => openSession(switcher, session, "opened")),
    claims: async (session) => {
      const { context, words } = switcher.here;
      return words.claims(await sessionClaims(context, await viewSession(openStore(context), session)));
    },
    confirm: async (session) => {
      const { context } = switcher.here;
      const store = openStore(context);
      await confirmSession(context, store, await viewSession(store, session));
    },
    begin: async () => switcher.move({ how: "begun", folder: switcher.here.agent.workspace }),
    fork: async (at) => {
      const { opened, agent } = switcher.here;
      if (opened.kept === "no") throw new WorldlineError("session-not-kept", {});
      return switcher.alone(async () => {
        const session = await forkSession(opened.ground, opened.session, placeOf(switcher, at));
        await switcher.moveWithin({ how: "forked", folder: agent.workspace, session });
        return session;
      });
    },
    retitle: async (title) => {
      await switcher.here.opened.session.retitle(checkTitle(title));
    },
    delete: async (session) => {
      const { agent, context } = switcher.here;
      if (session === agent.session) throw new WorldlineError("session-is-this-one", {});
      await trashSession(context, session);
    },
    export: async (request) => exportHere(switcher.here, request),
  };
}

/** For who has the switcher for themselves. */
export async function openSession(
  switcher: SessionSwitcher,
  session: SessionId,
  how: "opened" | "visited",
): Promise<void> {
  const { agent, context } = switcher.here;
  if (session === agent.session) return;
  const store = openStore(context);
  const header = await headerOf(store, session);
  refuseExecution(header);
  requireConfirmed(store, header);
  await refuseHeld(store, session, context.common.takeOver);
  const { workspace: folder } = header;
  const isElsewhere = folder !== agent.workspace;
  const notice = { code: "session-elsewhere", session, workspace: folder } as const;
  await switcher.moveWithin({ how, folder, session, notice: isElsewhere ? notice : undefined });
}

/** A fork begins at a checkpoint: of a place between two it is the one before. */
function placeOf(switcher: SessionSwitcher, at: EntryId | undefined): { readonly at?: number } {
  if (at === undefined) return {};
  const { outline } = switcher.here.opened.session;
  const row = outline.byId(at);
  if (row === undefined) throw unknown(at);
  const checkpoint = nearest(outline, row, ({ number }) => number > 0);
  if (checkpoint === undefined) throw unknown(at);
  return { at: checkpoint.number };
}

function unknown(at: EntryId): WorldlineError {
  return new WorldlineError("no-checkpoint-before", { entry: at });
}
