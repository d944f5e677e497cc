import { lastUsedFirst } from "../../machine/looking/sessions.ts";
import { viewSession } from "../../machine/open.ts";
import type { SessionView } from "../../machine/view.ts";
import type { LogStore } from "../../ports/log-store.ts";
import type { EntryOf } from "../../record/entry.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import type { Frame } from "../command/frame.ts";
import { sessionHeaders } from "./session-headers.ts";

/**
 * The sessions of the workspace, last used first. One that cannot be opened is named and passed over; those of sub-agents
 * belong to the session they worked for, and those of programs to whoever wrote the program: only `--session` names them.
 */
export async function sessionsHere(frame: Frame, store: LogStore): Promise<readonly SessionView[]> {
  return sessionsOf(await frame.workspace(), store, (id, why) =>
    frame.output.warn(frame.strings.sessionsHere.broken(id, why)),
  );
}

/** Whether a command comes upon it without being told its name. */
export function isOfPerson({ task, mode }: EntryOf<"session">): boolean {
  return task === undefined && mode !== "execution";
}

async function sessionsOf(
  workspace: string,
  store: LogStore,
  onBroken: (id: SessionId, why: string) => void,
): Promise<readonly SessionView[]> {
  const views: SessionView[] = [];
  for (const { id, header } of await sessionHeaders(store, { workspace })) {
    if (header !== undefined && (header.workspace !== workspace || !isOfPerson(header))) continue;
    try {
      const view = await viewSession(store, id);
      if (view.header.workspace === workspace) views.push(view);
    } catch (error) {
      if (!isWorldlineError(error)) throw error;
      onBroken(id, error.message);
    }
  }
  return views.sort(lastUsedFirst);
}
