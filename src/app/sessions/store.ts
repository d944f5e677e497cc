import { systemClock } from "../../disk/system-clock.ts";
import type { SessionContext } from "../../machine/open.ts";
import { type OpenStoreOptions, openStore as openAddress } from "../../open-store.ts";
import type { Holder, Owner } from "../../ports/lease.ts";
import type { LogStore, SessionFilter } from "../../ports/log-store.ts";
import type { EntryOf } from "../../record/entry.ts";
import { isWorldlineError } from "../../record/error.ts";
import { type SessionId, toSeq } from "../../record/ids.ts";
import { shownAddress } from "../../stores/store-address.ts";
import type { AppContext, KnownSearch } from "../context.ts";
import { provideHome } from "../places/home.ts";
import { settingOf } from "../settings/table.ts";

/** Time limit for a server's response while the user is waiting. */
const PATIENCE_MS = 10_000;

/**
 * Opens the store for reading. Does not read the settings, so that sessions can be viewed even if a settings file is
 * broken.
 */
export function openStore(context: AppContext): LogStore {
  return storeOf(context, {});
}

/** Opens the store for writing, as specified in the settings. */
export async function openSessionDeps(context: AppContext): Promise<SessionContext> {
  const { values } = await context.settings();
  return {
    store: storeOf(context, { rotateBytes: values["log.rotateBytes"], leaseMs: values["lock.leaseMs"] }),
    clock: systemClock,
    settings: {
      blobBytes: values["log.blobBytes"],
      window: values["context.window"],
      keepCheckpoints: values.checkpointKeepCount,
    },
  };
}

/**
 * Returns the store. A file store is opened again each time, because that is cheap and shows its current state. A
 * database connection is shared, unless the lease time in the settings differs from the one that a reader used.
 */
function storeOf(
  { common, home, stores, listener }: AppContext,
  options: Pick<OpenStoreOptions, "rotateBytes" | "leaseMs">,
): LogStore {
  const onMissing: OpenStoreOptions["onMissing"] = (missing) => {
    const entries = missing.reduce((sum, each) => sum + each.entries, 0);
    listener.report({ code: "entries-missing", entries, sessions: missing.length });
  };
  const open = (): LogStore =>
    openAddress(common.store, { ...options, home, patienceMs: PATIENCE_MS, onMissing });
  if (common.store.kind === "files") return open();
  const { leaseMs = settingOf("lock.leaseMs").default } = options;
  return stores.open(`${shownAddress(common.store)} ${leaseMs}`, open);
}

/** Works like `openSessionDeps`, but also creates the home folder. Commands that create a session use this function. */
export async function provideSessionDeps(context: AppContext): Promise<SessionContext> {
  const deps = await openSessionDeps(context);
  await provideHome(context.home);
  return deps;
}

/** Returns the holder of the session, or undefined if there is none or the session was deleted in the meantime. */
export async function holderIn(store: LogStore, session: SessionId): Promise<Holder | undefined> {
  try {
    return await store.holder(session);
  } catch (error) {
    if (isWorldlineError(error, "SESSION_UNKNOWN")) return undefined;
    throw error;
  }
}

export interface Worker extends Holder {
  readonly owner: Owner;
}

/** Returns the program that is working on the session, as far as this machine can tell. */
export async function workerIn(store: LogStore, session: SessionId): Promise<Worker | undefined> {
  const holder = await holderIn(store, session);
  if (holder?.owner === undefined) return undefined;
  // In a store shared by several machines, leases are renewed, so an unexpired lease has a running owner.
  const isRenewed = store.place.reach === "shared" && holder.life === "elsewhere";
  return holder.life === "living" || isRenewed ? { ...holder, owner: holder.owner } : undefined;
}

/**
 * Time limit for the store's answer. A store that takes longer is ignored here, because most commands do not need it,
 * and a command that needs it will query it again.
 */
const LOOKUP_PATIENCE_MS = 1_000;

/**
 * Returns the folders that have a session. This function runs before the command is known, so it reads only the first
 * line of each log. If the store cannot be reached, the result is empty, and a command that needs the store will report
 * the error.
 */
export async function knownWorkspaces({
  home,
  store: address,
  folders,
}: KnownSearch): Promise<readonly string[]> {
  const store = openAddress(address, { home, patienceMs: LOOKUP_PATIENCE_MS });
  if (store.place.kind === "files") return inFiles(store, folders);
  try {
    // Each folder needs one query, which an index makes fast no matter how many sessions there are.
    const asked = folders.map(async (workspace) => sessionHeaders(store, { workspace }));
    return (await Promise.all(asked)).flatMap(workspacesOf);
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return [];
  } finally {
    await store.close().catch(() => undefined);
  }
}

/**
 * Returns the folders that have a session in a file store. Only sessions that may be in the given folders are checked
 * for this home's signature, because most sessions belong to other folders.
 */
async function inFiles(store: LogStore, folders: readonly string[]): Promise<readonly string[]> {
  const found: SessionHeader[] = [];
  for (const { id, header } of await sessionHeaders(store.unchecked ?? store)) {
    if (header === undefined) continue;
    // An imported session works in the folder for which it was confirmed, no matter which folder it names.
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
  /**
   * The first line of the log; undefined if it cannot be read, in which case the session must be opened to find out
   * what it is.
   */
  readonly header: EntryOf<"session"> | undefined;
}

/** Reads the first line of every session that the filter selects, and no other lines of the logs. */
export async function sessionHeaders(
  store: LogStore,
  filter?: SessionFilter,
): Promise<readonly SessionHeader[]> {
  const headers: SessionHeader[] = [];
  for (const id of await store.list(filter)) headers.push({ id, header: await headerOf(store, id) });
  return headers;
}

/**
 * Returns the sessions of a session's sub-agents, and of their sub-agents. Each session is returned once, because an
 * imported log may contain a cycle.
 */
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

interface Kept<Value> {
  readonly stamp: string;
  readonly value: Value;
}

/**
 * Caches what was read from each session until the session is written to, because lists of hundreds of sessions are
 * opened often.
 */
export class KeptReadings<Value> {
  readonly #kept = new Map<SessionId, Kept<Value>>();

  /** Returns the cached result of `read`, or undefined if the session no longer exists. */
  async of(store: LogStore, session: SessionId, read: () => Promise<Value>): Promise<Value | undefined> {
    const stamp = await stampOf(store, session);
    if (stamp === "gone") return undefined;
    if (stamp === "unreadable") return read();
    const kept = this.#kept.get(session);
    if (kept?.stamp === stamp.is) return kept.value;
    const value = await read();
    this.#kept.set(session, { stamp: stamp.is, value });
    return value;
  }
}

/**
 * Returns the state of a session's log. An unreadable session does not affect other sessions, and `read` will report
 * the reason.
 */
async function stampOf(
  store: LogStore,
  session: SessionId,
): Promise<{ readonly is: string } | "gone" | "unreadable"> {
  try {
    return { is: await store.stamp(session) };
  } catch (error) {
    if (isWorldlineError(error, "SESSION_UNKNOWN")) return "gone";
    if (isWorldlineError(error, "STORE_UNREADABLE")) return "unreadable";
    throw error;
  }
}
