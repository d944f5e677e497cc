import { forkSession } from "../../../machine/journeys/fork.ts";
import { headerOf, requireConfirmed, viewSession } from "../../../machine/open.ts";
import { checkTitle } from "../../../machine/writing/titles.ts";
import type { StationSessions } from "../../../ports/station/sessions.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { EntryId, SessionId } from "../../../record/ids.ts";
import { nearest } from "../../../timeline/branch.ts";
import { confirmationText, confirmSession } from "../../agent/confirm-session.ts";
import { refuseHeld } from "../../agent/held-elsewhere.ts";
import { refuseExecution } from "../../agent/refuse-execution.ts";
import { openStore } from "../../timeline/ground.ts";
import type { Seat } from "../here/seat.ts";
import { exportHere } from "./export-here.ts";
import { SessionRows } from "./session-rows.ts";
import { trashSession } from "./trash-session.ts";

/** The sessions that a person can go to. */
export function stationSessions(seat: Seat): StationSessions {
  const rows = new SessionRows();
  return {
    list: async (request) => rows.list(seat.here, request),
    unreadable: () => rows.unreadable,
    open: async (session) => seat.alone(async () => openSession(seat, session, "opened")),
    claims: async (session) => {
      const { frame } = seat.here;
      return confirmationText(frame, await viewSession(openStore(frame), session));
    },
    confirm: async (session) => {
      const { frame } = seat.here;
      const store = openStore(frame);
      await confirmSession(frame, { store, view: await viewSession(store, session), yes: "given" });
    },
    begin: async () => seat.move({ how: "begun", folder: seat.here.agent.workspace }),
    fork: async (at) => {
      const { opened, agent } = seat.here;
      if (opened.kept === "no") throw new WorldlineError("session-not-kept", {});
      return seat.alone(async () => {
        const session = await forkSession(opened.ground, opened.session, placeOf(seat, at));
        await seat.moveWithin({ how: "forked", folder: agent.workspace, session });
        return session;
      });
    },
    retitle: async (title) => {
      await seat.here.opened.session.retitle(checkTitle(title));
    },
    delete: async (session) => {
      const { agent, frame } = seat.here;
      if (session === agent.session) throw new WorldlineError("session-is-this-one", {});
      await trashSession(frame, session);
    },
    export: async (request) => exportHere(seat.here, request),
  };
}

/** For who has the seat for themselves. */
export async function openSession(seat: Seat, session: SessionId, how: "opened" | "visited"): Promise<void> {
  const { agent, frame } = seat.here;
  if (session === agent.session) return;
  const store = openStore(frame);
  const header = await headerOf(store, session);
  refuseExecution(header);
  requireConfirmed(store, header);
  await refuseHeld(store, session, frame.common.takeOver);
  const { workspace: folder } = header;
  const message = frame.strings.terminal.station.otherFolder(folder);
  const said = folder === agent.workspace ? {} : { said: { message } };
  await seat.moveWithin({ how, folder, session, ...said });
}

/** A fork begins at a checkpoint: of a place between two it is the one before. */
function placeOf(seat: Seat, at: EntryId | undefined): { readonly at?: number } {
  if (at === undefined) return {};
  const { outline } = seat.here.opened.session;
  const row = outline.byId(at);
  if (row === undefined) throw unknown(at);
  const checkpoint = nearest(outline, row, ({ number }) => number > 0);
  if (checkpoint === undefined) throw unknown(at);
  return { at: checkpoint.number };
}

function unknown(at: EntryId): WorldlineError {
  return new WorldlineError("no-checkpoint-before", { entry: at });
}
