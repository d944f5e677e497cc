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

/** How long somebody who waits for an answer is kept waiting by a server that does not give any. */
const PATIENCE_MS = 10_000;

/** To look at sessions. Needs no settings, so that a broken settings file hides nothing. */
export function openStore(context: AppContext): LogStore {
  return storeOf(context, {});
}

/** To write to sessions, as the settings say. */
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
 * Files cost nothing to open, and whoever opens them sees them as they are now. A connection is made once, unless the
 * settings want other leases than whoever only looks has asked for.
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

/** As `openSessionDeps`, for a command that makes a session: the home is there afterwards. */
export async function provideSessionDeps(context: AppContext): Promise<SessionContext> {
  const deps = await openSessionDeps(context);
  await provideHome(context.home);
  return deps;
}

/** Who has the session; nobody has one that was deleted while we looked. */
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

/** Who is at work on the session, as far as that can be known from here. */
export async function workerIn(store: LogStore, session: SessionId): Promise<Worker | undefined> {
  const holder = await holderIn(store, session);
  if (holder?.owner === undefined) return undefined;
  // In a store that machines share, leases are renewed: one that lasts has an owner that lives.
  const isRenewed = store.place.reach === "shared" && holder.life === "elsewhere";
  return holder.life === "living" || isRenewed ? { ...holder, owner: holder.owner } : undefined;
}

/** Whoever has not answered by then is not waited for: most commands do well without, and the others ask again. */
const LOOKUP_PATIENCE_MS = 1_000;

/**
 * Which of the folders have a session. Asked before a command is even chosen, so only first lines are read. Where the
 * store cannot say, none is known: that it cannot be reached is said by whoever needs it.
 */
export async function knownWorkspaces({
  home,
  store: address,
  folders,
}: KnownSearch): Promise<readonly string[]> {
  const store = openAddress(address, { home, patienceMs: LOOKUP_PATIENCE_MS });
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

interface Kept<Value> {
  readonly stamp: string;
  readonly value: Value;
}

/** What was read of sessions, for as long as nothing is written to them: lists of hundreds are opened often. */
export class KeptReadings<Value> {
  readonly #kept = new Map<SessionId, Kept<Value>>();

  /** What `read` says of a session; undefined where the session is gone. */
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

/** One that cannot be looked at costs only itself: reading it says why. */
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
