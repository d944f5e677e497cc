import { openStore } from "../../open-store.ts";
import type { LogStore, SessionFilter } from "../../ports/log-store.ts";
import type { EntryOf } from "../../record/entry.ts";
import { isWorldlineError } from "../../record/error.ts";
import { type SessionId, toSeq } from "../../record/ids.ts";
import type { KnownSearch } from "../context.ts";

/** Whoever has not answered by then is not waited for: most commands do well without, and the others ask again. */
const PATIENCE_MS = 1_000;

/**
 * Which of the folders have a session. Asked before a command is even chosen, so only first lines are read. Where the
 * store cannot say, none is known: that it cannot be reached is said by whoever needs it.
 */
export async function knownWorkspaces({
  home,
  store: address,
  folders,
}: KnownSearch): Promise<readonly string[]> {
  const store = openStore(address, { home, patienceMs: PATIENCE_MS });
  if (store.place.kind === "files") return inFiles(store, folders);
  try {
    // A question for each folder, which an index answers: of sessions there may be many.
    const asked = folders.map(async (workspace) => sessionHeaders(store, { workspace }));
    return (await Promise.all(asked)).flatMap(workspacesOf);
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return [];
  } finally {
    await store.close().catch(() => undefined);
  }
}

/** Of many sessions most are of other folders: whether this home wrote one is only checked where that matters. */
async function inFiles(store: LogStore, folders: readonly string[]): Promise<readonly string[]> {
  const found: SessionHeader[] = [];
  for (const { id, header } of await sessionHeaders(store.unchecked ?? store)) {
    if (header === undefined) continue;
    // One that was imported works where it was confirmed, whatever folder it names.
    const mayBeHere = folders.includes(header.workspace) || header.imported !== undefined;
    if (mayBeHere) found.push({ id, header: await headerOf(store, id) });
  }
  return workspacesOf(found);
}

function workspacesOf(headers: readonly SessionHeader[]): readonly string[] {
  return headers.flatMap(({ header }) => (header === undefined ? [] : [header.workspace]));
}

export interface SessionHeader {
  readonly id: SessionId;
  /** Undefined when it cannot be read: what the session is, only opening it can tell. */
  readonly header: EntryOf<"session"> | undefined;
}

/** The first line of every session that the filter lets through; the rest of the logs is not looked at. */
export async function sessionHeaders(
  store: LogStore,
  filter?: SessionFilter,
): Promise<readonly SessionHeader[]> {
  const headers: SessionHeader[] = [];
  for (const id of await store.list(filter)) headers.push({ id, header: await headerOf(store, id) });
  return headers;
}

/** The sessions of a session's sub-agents, and of theirs; each once, because an imported log may say that they go in a circle. */
export function subAgentsOf(session: SessionId, headers: readonly SessionHeader[]): readonly SessionId[] {
  const found = new Set([session]);
  for (const parent of found) {
    for (const { id, header } of headers) if (header?.task?.session === parent) found.add(id);
  }
  found.delete(session);
  return [...found];
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
