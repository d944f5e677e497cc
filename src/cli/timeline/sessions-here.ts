import { viewSession } from "../../machine/open.ts";
import type { SessionView } from "../../machine/view.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import type { Frame } from "../command/frame.ts";
import { sessionHeaders } from "./session-headers.ts";

/** The sessions of the workspace, last used first. One that cannot be opened is named and passed over. */
export async function sessionsHere(frame: Frame, store: LogStore): Promise<readonly SessionView[]> {
  const workspace = await frame.workspace();
  const views: SessionView[] = [];
  for (const { id, header } of await sessionHeaders(store)) {
    if (header !== undefined && header.workspace !== workspace) continue;
    const view = await tryToView(frame, store, id);
    if (view?.header.workspace === workspace) views.push(view);
  }
  return views.sort((a, b) => lastUsed(b) - lastUsed(a) || (a.id < b.id ? 1 : -1));
}

/** A fork's newest entries are copies, older than the fork itself. */
export function lastUsed(view: SessionView): number {
  return Math.max(Date.parse(view.header.at), view.outline.head?.at ?? 0);
}

async function tryToView(frame: Frame, store: LogStore, id: SessionId): Promise<SessionView | undefined> {
  try {
    return await viewSession(store, id);
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    frame.output.warn(frame.strings.sessionsHere.broken(id, error.message));
    return undefined;
  }
}
