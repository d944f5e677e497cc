import type { Clock } from "../ports/clock.ts";
import type { Lease, Owner, TakeOver } from "../ports/lease.ts";
import type { ConfirmedWork, LogStore } from "../ports/log-store.ts";
import type { WorkspaceFiles } from "../ports/workspace-files.ts";
import { unconfirmedHeader } from "../record/authority.ts";
import { type EntryOf, FORMAT_VERSION, type SessionBody, type TaskOf } from "../record/entry.ts";
import { WorldlineError } from "../record/error.ts";
import { newEntryId, newSessionId, newTag, type SessionId, toSeq } from "../record/ids.ts";
import { checkArguments, checkOptions, type OptionKinds, option } from "../record/options.ts";
import { genuineFrames } from "../timeline/context/notices.ts";
import type { Outline } from "../timeline/outline.ts";
import { estimateTokens } from "../timeline/token-estimate.ts";
import type { SettledRestore } from "./files/requests.ts";
import { settleOthers } from "./files/settle-others.ts";
import { Listeners, Session, type SessionDeps } from "./session.ts";
import { defaultSessionSettings, type SessionSettings, settingsOptions } from "./settings.ts";
import { SessionView } from "./view.ts";
import { Writer } from "./writer.ts";

/** The dependencies of a session. */
export interface SessionContext {
  readonly store: LogStore;
  readonly clock: Clock;
  readonly settings?: Partial<SessionSettings>;
  /**
   * The files of one workspace. Sessions in that folder capture and restore them. Sessions in other folders have no
   * files.
   */
  readonly files?: WorkspaceFiles;
  /**
   * "follow": if there are no `files` because the folder is not suitable for captures, tracks the files that tools
   * touch.
   */
  readonly touchedFiles?: "follow";
}

/** Options for acquiring the right to write to a session. */
export interface Holding {
  /** The name of this program, shown by other programs that try to write to the session. */
  readonly name: string;
  /**
   * How long to wait, in milliseconds, if another program holds the session. The default is 0, which fails immediately.
   */
  readonly waitMs?: number;
  readonly onWait?: (owner: Owner) => void;
  readonly takeOver?: TakeOver;
  /**
   * "reserve": the operation can use the reserved space on a full disk. Intended for operations that free space or
   * repair the session.
   */
  readonly room?: "reserve";
  /**
   * Called after the session has been closed and other programs can write to it, so that the caller can close
   * everything that it opened for the session.
   */
  readonly onClose?: () => Promise<void>;
}

export interface NewSession {
  readonly workspace: string;
  readonly mode?: SessionBody["mode"];
  readonly system?: string;
  readonly backtrack?: SessionBody["backtrack"];
  /** The call that a sub-agent's session was started for; absent for other sessions. */
  readonly task?: TaskOf;
}

/** Checks the options that untyped callers pass. */
export const newSessionKinds: OptionKinds<NewSession> = {
  workspace: option.path,
  mode: option.oneOf("agent", "workspace", "execution"),
  system: option.text,
  backtrack: option.oneOf("on", "off"),
  task: option.object,
};

const holdingKinds: OptionKinds<Holding> = {
  name: option.text,
  waitMs: option.amount,
  onWait: option.callback,
  takeOver: option.oneOf("yes", "unreadable", "no"),
  room: option.oneOf("reserve"),
  onClose: option.callback,
};

const contextKinds: OptionKinds<SessionContext> = {
  store: option.openStore,
  clock: option.clock,
  settings: option.object,
  files: option.object,
  touchedFiles: option.oneOf("follow"),
};

function checkContext(call: string, context: SessionContext, holding: Holding): void {
  checkOptions<SessionContext>(context, {
    call,
    kinds: contextKinds,
    others: "ignored",
    needed: ["store", "clock"],
  });
  if (context.settings !== undefined) checkOptions(context.settings, settingsOptions);
  checkOptions<Holding>(holding, { call, kinds: holdingKinds, needed: ["name"] });
}

/** Creates a session and opens it for writing. */
export async function createSession(
  context: SessionContext,
  wanted: NewSession,
  holding: Holding,
): Promise<Session> {
  checkContext("createSession", context, holding);
  checkOptions<NewSession>(wanted, { call: "createSession", kinds: newSessionKinds, needed: ["workspace"] });
  const header = newHeader(context.clock, wanted);
  await context.store.create(header);
  return holdSession(context, header.session, holding);
}

/** The first entry of a new session. */
export function newHeader(
  clock: Clock,
  wanted: NewSession &
    Partial<Pick<SessionBody, "tag" | "frames" | "numbersFrom" | "forkedFrom" | "imported">>,
): EntryOf<"session"> {
  const random = (count: number): Uint8Array => clock.random(count);
  const { workspace, mode = "agent", backtrack, ...inherited } = wanted;
  const id = newEntryId(random);
  const session = newSessionId(random);
  const tag = inherited.tag ?? newTag(random);
  // Only a new session gets a new tag. A fork inherits the tag from its source, together with the system prompt and the
  // form of its notices.
  const isFramedAnew = inherited.tag === undefined && mode === "agent";
  const system = isFramedAnew ? withGenuineFrames(wanted.system, tag) : (wanted.system ?? "");
  return {
    seq: toSeq(1),
    id,
    parent: null,
    at: new Date(clock.now()).toISOString(),
    kind: "session",
    version: FORMAT_VERSION,
    session,
    workspace,
    mode,
    ...(isFramedAnew ? { frames: "quoted" } : {}),
    backtrack: backtrack ?? "on",
    numbersFrom: 0,
    ...inherited,
    system,
    tag,
    estimate: estimateTokens(system),
  };
}

function withGenuineFrames(system: string | undefined, tag: string): string {
  return [...(system === undefined || system === "" ? [] : [system]), genuineFrames(tag)].join("\n\n");
}

/** Opens a session for writing. Only one program at a time can hold a session. */
export async function holdSession(
  context: SessionContext,
  id: SessionId,
  holding: Holding,
): Promise<Session> {
  checkContext("holdSession", context, holding);
  checkArguments("holdSession", { id: [id, option.text] });
  const { store } = context;
  const { onClose, ...request } = holding;
  const lease = closing(await store.lease(id, { waitMs: 0, ...request }), onClose);
  try {
    return await openHeld({
      context,
      lease,
      id,
      settings: { ...defaultSessionSettings, ...context.settings },
    });
  } catch (error) {
    await lease.release();
    throw error;
  }
}

function closing(lease: Lease, onClose: Holding["onClose"]): Lease {
  if (onClose === undefined) return lease;
  return {
    ...lease,
    release: async () => {
      try {
        await lease.release();
      } finally {
        await onClose();
      }
    },
  };
}

/** Opens a session for reading. Changes nothing and does not wait for the session's writer. */
export async function viewSession(store: LogStore, id: SessionId): Promise<SessionView> {
  checkArguments("viewSession", { store: [store, option.openStore], id: [id, option.text] });
  // The header is read before the log is opened, so that `open` reports the header's line if it turns out to be
  // damaged.
  const header = await headerOf(store, id);
  const { outline, damage } = await store.open(id);
  return new SessionView({ store, outline, damage, header });
}

interface Held {
  readonly context: SessionContext;
  readonly lease: Lease;
  readonly id: SessionId;
  readonly settings: SessionSettings;
}

async function openHeld({ context, lease, id, settings }: Held): Promise<Session> {
  const { store, clock } = context;
  const header = await headerOf(store, id);
  requireConfirmed(store, header);
  requireKnownFormat(id, header.version);
  const recovery = await store.recover(id);
  const { outline, damage } = await store.open(id);
  requireKnownFormat(id, await newestVersion(store, id, outline));
  const listeners = new Listeners();
  const { blobBytes } = settings;
  const writer = new Writer({ store, session: id, outline, clock, framing: header, listeners, blobBytes });
  const session = new Session({
    store,
    header,
    outline,
    damage,
    writer,
    listeners,
    lease,
    settings,
    recovery,
    ...filesFor(context, header),
  });
  await noteCrash(session);
  await session.settleFiles();
  return session;
}

/**
 * The files for a session. Files in another folder are left out, so that snapshots of that folder are not recorded in
 * the session.
 */
function filesFor(
  context: SessionContext,
  header: EntryOf<"session">,
): Pick<SessionDeps, "files" | "settleOthers" | "touchedFiles"> {
  const { files, store, touchedFiles } = context;
  if (files === undefined) return touchedFiles === undefined ? {} : { touchedFiles };
  if (files.folder !== header.workspace) return {};
  const open = async (id: SessionId): Promise<Session> =>
    holdSession(context, id, { name: "worldline, finishing a restore" });
  return { files, settleOthers: async () => settleOthers({ files, store, open, except: header.session }) };
}

/** Throws unless this home wrote the session or the user has confirmed it. Code must not act on any other session. */
export function requireConfirmed(
  store: Pick<LogStore, "checkKey">,
  { session, confirmation }: Pick<EntryOf<"session">, "session" | "confirmation">,
): void {
  if (confirmation?.state !== "needed") return;
  store.checkKey?.();
  throw new WorldlineError("session-unconfirmed", { session }, { session });
}

/** Confirms the session, if necessary, on behalf of a program that vouches for it. */
export async function confirmIfNeeded(store: LogStore, id: SessionId, work: ConfirmedWork): Promise<void> {
  const { confirmation } = await headerOf(store, id);
  if (confirmation?.state === "needed") await store.confirm?.(id, work);
}

function requireKnownFormat(id: SessionId, version: number): void {
  if (version <= FORMAT_VERSION) return;
  throw new WorldlineError("session-newer", { session: id });
}

/**
 * The newest format version in the log. A newer version of Worldline may have started a new file in an older log, and
 * this version must not add entries to that file.
 */
async function newestVersion(store: LogStore, id: SessionId, outline: Outline): Promise<number> {
  const newest = outline.linesOf("rotated").at(-1);
  const [rotated] = newest === undefined ? [] : await store.read(id, newest, newest);
  return rotated?.kind === "rotated" ? rotated.version : 0;
}

/**
 * Records that a process that died left a turn unfinished. Because this is recorded in the log, every reader can see
 * it.
 */
async function noteCrash(session: Session): Promise<void> {
  if (session.takenFrom === undefined || session.outline.head?.kind === "interrupt") return;
  if ((await session.unfinished()) !== undefined) await session.append({ kind: "interrupt", by: "crash" });
}

/**
 * The first entry of a session. If both the first line and its copy are lost, a replacement is created, so that the
 * remaining entries can still be opened.
 */
export async function headerOf(store: LogStore, id: SessionId): Promise<EntryOf<"session">> {
  const [first] = await store.read(id, toSeq(1), toSeq(1));
  if (first?.kind === "session") return first;
  const lost = { ...newHeader(stoppedClock, { workspace: "", tag: `lost${id}` }), session: id };
  // Without the first entry, it is unknown who wrote the session. Another user of the store may have damaged that
  // entry.
  const isShared = store.confirm !== undefined && store.place.reach === "shared";
  return isShared ? unconfirmedHeader(lost) : lost;
}

/** A clock that never advances, so that the replacement for a lost header is identical each time it is created. */
const stoppedClock: Clock = { now: () => 0, random: (count) => new Uint8Array(count), wait: async () => {} };

/** Finishes every restore that a crash interrupted in this workspace, regardless of its session. */
export async function settleWorkspace(
  context: SessionContext,
  files: WorkspaceFiles,
): Promise<readonly SettledRestore[]> {
  const holding = { name: "worldline, finishing a restore" };
  const { store } = context;
  return settleOthers({ files, store, open: async (id) => holdSession({ ...context, files }, id, holding) });
}
