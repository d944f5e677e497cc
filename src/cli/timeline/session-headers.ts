import { systemClock } from "../../disk/system-clock.ts";
import type { LogStore } from "../../ports/log-store.ts";
import type { EntryOf } from "../../record/entry.ts";
import { isWorldlineError } from "../../record/error.ts";
import { type SessionId, toSeq } from "../../record/ids.ts";
import { openFilesStore } from "../../stores/files/files.ts";

/** The workspaces that have a session. Asked before a command is even chosen, so only first lines are read. */
export async function knownWorkspaces(home: string): Promise<readonly string[]> {
  const headers = await sessionHeaders(openFilesStore({ root: home, clock: systemClock }));
  return headers.flatMap(({ header }) => (header === undefined ? [] : [header.workspace]));
}

export interface SessionHeader {
  readonly id: SessionId;
  /** Undefined when it cannot be read: what the session is, only opening it can tell. */
  readonly header: EntryOf<"session"> | undefined;
}

/** The first line of every session; the rest of the logs is not looked at. */
export async function sessionHeaders(store: LogStore): Promise<readonly SessionHeader[]> {
  const headers: SessionHeader[] = [];
  for (const id of await store.list()) headers.push({ id, header: await headerOf(store, id) });
  return headers;
}

/** The sessions of a session's sub-agents, and of theirs. */
export function subAgentsOf(session: SessionId, headers: readonly SessionHeader[]): readonly SessionId[] {
  const own = headers.filter(({ header }) => header?.task?.session === session).map(({ id }) => id);
  return own.flatMap((id) => [id, ...subAgentsOf(id, headers)]);
}

async function headerOf(store: LogStore, id: SessionId): Promise<EntryOf<"session"> | undefined> {
  try {
    const [first] = await store.read(id, toSeq(1), toSeq(1));
    return first?.kind === "session" ? first : undefined;
  } catch (error) {
    if (isWorldlineError(error)) return undefined;
    throw error;
  }
}
