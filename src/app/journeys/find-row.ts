import { viewSession } from "../../machine/open.ts";
import type { SessionView } from "../../machine/view.ts";
import { WorldlineError } from "../../record/error.ts";
import { requireCheckpoint } from "../../travel/rewind.ts";
import type { SessionAccess } from "../current/session-access.ts";
import { rewinderFor } from "../files/rewinder.ts";
import type { PlaceOfRow } from "./journey-types.ts";
import { filesAtIn, type Place } from "./scope-offer.ts";

export interface FoundRow extends Place {
  /** "held": in the session that the agent works on. */
  readonly where: "held" | "elsewhere";
}

/** The checkpoint that a row of the list stands for. */
export async function findRow(parts: SessionAccess, { session, number }: PlaceOfRow): Promise<FoundRow> {
  const { session: held, ground, here } = parts.here().opened;
  if (session === held.id) {
    const row = requireCheckpoint(held.outline, number);
    const at: Place["filesAt"] = async (wanted) => held.filesAt(wanted);
    return { where: "held", view: held, row, here, filesAt: at, ...(await byIn(parts, held)) };
  }
  const view = await viewSession(ground.store, session);
  if (view.header.workspace !== held.header.workspace) {
    throw new WorldlineError("session-not-here", { session, workspace: view.header.workspace });
  }
  const row = requireCheckpoint(view.outline, number);
  return {
    where: "elsewhere",
    view,
    row,
    here,
    filesAt: filesAtIn(view, here),
    ...(await byIn(parts, view)),
  };
}

async function byIn(parts: SessionAccess, view: SessionView): Promise<Pick<Place, "through">> {
  const through = await rewinderFor(parts.here().context, view);
  return through === undefined ? {} : { through };
}
