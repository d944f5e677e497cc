import { viewSession } from "../../machine/open.ts";
import { lastUsedFirst, listedWorkspace } from "../../machine/queries/sessions.ts";
import type { SessionView } from "../../machine/view.ts";
import type { LogStore } from "../../ports/log-store.ts";
import type { EntryOf } from "../../record/entry.ts";
import { isWorldlineError, type WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import type { AppContext } from "../context.ts";
import { sessionHeaders } from "./session-headers.ts";

/**
 * The sessions of the workspace, last used first. Those that came from elsewhere and are not confirmed are passed over, which is
 * said where one would have been the newest. One that cannot be opened is named and passed over; those of sub-agents
 * belong to the session they worked for, and those of programs to whoever wrote the program: only `--session` names them.
 */
export async function sessionsHere(context: AppContext, store: LogStore): Promise<readonly SessionView[]> {
  const { listener } = context;
  const workspace = await context.workspace();
  const { views, unconfirmed } = await sessionsOf(workspace, store, (session, problem) =>
    listener.report({ code: "session-broken", session, problem }),
  );
  const [latest] = views;
  const newer = unconfirmed.filter(({ used }) => latest === undefined || used > latest.used);
  const [first] = newer.sort(lastUsedFirst);
  if (first !== undefined)
    listener.report({ code: "sessions-passed-over", session: first.id, count: newer.length });
  return views;
}

/** Whether a command comes upon it without being told its name. */
export function isOfPerson({ task, mode }: EntryOf<"session">): boolean {
  return task === undefined && mode !== "execution";
}

interface Found {
  readonly views: readonly SessionView[];
  readonly unconfirmed: SessionView[];
}

async function sessionsOf(
  workspace: string,
  store: LogStore,
  onBroken: (session: SessionId, problem: WorldlineError) => void,
): Promise<Found> {
  const views: SessionView[] = [];
  const unconfirmed: SessionView[] = [];
  for (const { id, header } of await sessionHeaders(store, { workspace })) {
    if (header !== undefined && (listedWorkspace(header) !== workspace || !isOfPerson(header))) continue;
    try {
      const view = await viewSession(store, id);
      if (view.header.workspace === workspace) views.push(view);
      else if (view.header.confirmation?.state === "needed") unconfirmed.push(view);
    } catch (error) {
      if (!isWorldlineError(error)) throw error;
      onBroken(id, error);
    }
  }
  return { views: views.sort(lastUsedFirst), unconfirmed };
}
