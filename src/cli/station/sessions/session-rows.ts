import { searchSession } from "../../../machine/looking/search.ts";
import type { SessionView } from "../../../machine/view.ts";
import type { SessionRow, SessionsRequest } from "../../../ports/station/sessions.ts";
import type { SessionId } from "../../../record/ids.ts";
import type { Frame } from "../../command/frame.ts";
import { type SessionRow as ListedRow, rowOf, viewsOf } from "../../commands/sessions/session-rows.ts";
import { openStore } from "../../timeline/ground.ts";
import { holderOf } from "../../timeline/on-disk.ts";
import type { Here } from "../here/open-here.ts";

/** Last used first. Those of sub-agents belong to another session, and those without a word are not worth a line. */
export async function sessionRows(
  { frame, agent }: Here,
  { of, search }: SessionsRequest,
): Promise<readonly SessionRow[]> {
  const store = openStore(frame);
  const { views } = await viewsOf(store, of === "workspace" ? agent.workspace : undefined);
  const rows: SessionRow[] = [];
  for (const view of views) {
    if (view.header.task !== undefined || view.outline.length === 1) continue;
    const listed = await rowOf(view);
    if (search !== undefined && !(await isFound(view, listed, search))) continue;
    const where = view.id === agent.session ? HERE : { ...ELSEWHERE, ...heldBy(frame, view.id) };
    rows.push({ ...shownOf(listed), ...where });
  }
  return rows;
}

const HERE = { place: "here" } as const;
const ELSEWHERE = { place: "elsewhere" } as const;

function shownOf({ id, title, workspace, messages, used, mode }: ListedRow): Omit<SessionRow, "place"> {
  return { session: id, title, workspace, messages, at: used, mode };
}

async function isFound(view: SessionView, { title }: ListedRow, search: string): Promise<boolean> {
  const wanted = search.trim();
  if (wanted === "" || title.toLowerCase().includes(wanted.toLowerCase())) return true;
  for await (const { kind } of searchSession(view, wanted)) {
    // What every session is told in the beginning is nothing that somebody looks for.
    if (kind !== "session") return true;
  }
  return false;
}

function heldBy({ home, strings }: Frame, session: SessionId): Pick<SessionRow, "heldBy"> {
  const holder = holderOf(home, session);
  if (holder === undefined || holder.life === "dead") return {};
  const { owner } = holder;
  const who =
    owner === undefined
      ? strings.sessions.holders.unreadable
      : strings.sessionsHere.owner(owner.name, owner.pid, owner.host);
  return { heldBy: who };
}
