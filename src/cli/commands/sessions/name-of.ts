import { namedSession } from "../../../app/sessions/choose-session.ts";
import { viewSession } from "../../../machine/open.ts";
import type { LogStore } from "../../../ports/log-store.ts";
import { isWorldlineError } from "../../../record/error.ts";
import type { SessionId } from "../../../record/ids.ts";
import { oneLine } from "../../../record/printable.ts";
import { sessionName } from "../../../show/session-name.ts";
import type { Frame } from "../../command/frame.ts";

/** What to call a session that perhaps cannot be opened. */
export async function nameOf(store: LogStore, id: SessionId, { strings }: Frame): Promise<string> {
  try {
    return oneLine(sessionName(await namedSession(await viewSession(store, id)), strings));
  } catch (error) {
    if (isWorldlineError(error)) return id;
    throw error;
  }
}
