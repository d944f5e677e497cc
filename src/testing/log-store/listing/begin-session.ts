import type { LogStore } from "../../../ports/log-store.ts";
import type { SessionBody } from "../../../record/entry.ts";
import type { SessionId } from "../../../record/ids.ts";
import { Story, sessionNumber } from "../../story.ts";

export interface Beginning {
  readonly number: number;
  readonly workspace?: string;
  readonly mode?: SessionBody["mode"];
}

/** Makes the session of that number, for lists to find. */
export async function beginSession(store: LogStore, beginning: Beginning): Promise<SessionId> {
  const { number, workspace, mode = "agent" } = beginning;
  const first = new Story(sessionNumber(number)).begin(workspace);
  await store.create({ ...first, mode });
  return first.session;
}
