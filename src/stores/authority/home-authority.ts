import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { type Disk, writeError } from "../../disk/disk.ts";
import {
  DurableFolders,
  namesIn,
  readWhole,
  replaceFile,
  tryToRemove,
  writeNew,
} from "../../disk/durable-files.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { signedText, unsigned } from "../../record/authority.ts";
import type { Entry, EntryOf } from "../../record/entry.ts";
import { errnoOf, isMissing, WorldlineError } from "../../record/error.ts";
import { isSessionId, type SessionId } from "../../record/ids.ts";
import { isJsonObject, type Json } from "../../record/parts.ts";

/**
 * The key that proves which entries a home wrote. `usable` throws an error with the reason if the key can neither sign
 * nor check entries. `sign` creates the key if it does not exist. `isSigned` returns false if there is no usable key.
 */
export interface HomeKey {
  usable(): void;
  sign<E extends Entry>(session: SessionId, entry: E): E;
  isSigned(session: SessionId, entry: Entry): boolean;
}

const KEY_BYTES = 32;
const MAC_BYTES = 16;
const OTHERS = 0o077;

function keyPath(home: string): string {
  return join(home, "home.key");
}

/**
 * Returns a key that is kept in a file in the home folder. Only the owner may have access to the file. The key is read
 * when it is first needed, and then cached.
 */
export function fileKey(disk: Disk, home: string): HomeKey {
  let known: Buffer | undefined;
  const read = (): Buffer | undefined => {
    known ??= readKey(disk, keyPath(home));
    return known;
  };
  return {
    usable: () => void read(),
    sign: (session, entry) => {
      known = read() ?? makeKey(disk, home);
      return withMac(known, session, entry);
    },
    isSigned: (session, entry) => {
      if (entry.mac === undefined) return false;
      const key = readable(read);
      return key !== undefined && isMacOf(key, session, entry);
    },
  };
}

/** Creates a key in memory, for sessions that exist only as long as the process. */
export function processKey(): HomeKey {
  const key = randomBytes(KEY_BYTES);
  return {
    usable: () => undefined,
    sign: (session, entry) => withMac(key, session, entry),
    isSigned: (session, entry) => entry.mac !== undefined && isMacOf(key, session, entry),
  };
}

function withMac<E extends Entry>(key: Buffer, session: SessionId, entry: E): E {
  return { ...(unsigned(entry) as E), mac: macOf(key, session, entry).toString("base64url") };
}

function isMacOf(key: Buffer, session: SessionId, entry: Entry): boolean {
  const claimed = typeof entry.mac === "string" ? Buffer.from(entry.mac, "base64url") : Buffer.alloc(0);
  if (claimed.length !== MAC_BYTES) return false;
  try {
    return timingSafeEqual(claimed, macOf(key, session, entry));
  } catch (error) {
    // The entry is nested more deeply than any entry that this program writes.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function macOf(key: Buffer, session: SessionId, entry: Entry): Buffer {
  return createHmac("sha256", key).update(signedText(session, entry)).digest().subarray(0, MAC_BYTES);
}

/** Creates the key. If two programs create the key at the same time, both use the key that was written first. */
function makeKey(disk: Disk, home: string): Buffer {
  const path = keyPath(home);
  const beside = `${path}.${randomBytes(8).toString("hex")}`;
  try {
    new DurableFolders(disk, home).make(home);
    writeNew(disk, beside, Buffer.from(`${randomBytes(KEY_BYTES).toString("hex")}\n`));
    try {
      disk.link(beside, path);
    } catch (error) {
      if (errnoOf(error) !== "EEXIST") throw error;
    } finally {
      tryToRemove(disk, beside);
    }
    disk.syncFolder(home);
  } catch (cause) {
    throw writeError(cause, { what: "home-key", of: path });
  }
  const key = readKey(disk, path);
  if (key === undefined) throw new WorldlineError("home-key-unusable", { path, why: "gone-again" });
  return key;
}

function readKey(disk: Disk, path: string): Buffer | undefined {
  let text: string;
  try {
    refuseIfOthersCanRead(path);
    text = readWhole(disk, path).toString("latin1").trim();
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (error instanceof WorldlineError) throw error;
    throw new WorldlineError("home-key-unusable", { path, why: "unreadable" }, { cause: error });
  }
  if (!/^[0-9a-f]{64}$/u.test(text)) {
    throw new WorldlineError("home-key-unusable", { path, why: "damaged" });
  }
  return Buffer.from(text, "hex");
}

function refuseIfOthersCanRead(path: string): void {
  // Windows does not have these mode bits and reports meaningless values.
  if (process.platform === "win32") return;
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || (stat.mode & OTHERS) === 0) return;
  throw new WorldlineError("home-key-exposed", { path });
}

/**
 * Reads the key. Returns undefined if the key cannot be read. In that case, signatures cannot be checked, so no session
 * is recognized as written by this home, and any attempt to use a session reports the reason.
 */
function readable(read: () => Buffer | undefined): Buffer | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof WorldlineError) return undefined;
    throw error;
  }
}

/** A confirmation: the user's decision about a session that this home did not write. */
export interface ConfirmedSession {
  readonly session: SessionId;
  /** The digest of the session's first entry. If that entry changes, the session must be confirmed again. */
  readonly header: string;
  /** The folder that the session works in on this machine. */
  readonly workspace: string;
  /** The system prompt that the user confirmed. It replaces the system prompt in the first entry. */
  readonly system: string;
  readonly tag: string;
  /** The time when the session was confirmed or last used here, in milliseconds since 1970. */
  readonly used: number;
}

export interface ConfirmedSessions {
  find(session: SessionId): ConfirmedSession | undefined;
  keep(confirmed: ConfirmedSession): void;
  remove(session: SessionId): void;
  all(): readonly ConfirmedSession[];
}

export function headerDigest(header: EntryOf<"session">): string {
  return createHash("sha256").update(signedText(header.session, header)).digest("hex");
}

/** Checks whether the confirmation is for exactly this first entry. */
export function isOfHeader(confirmed: ConfirmedSession, header: EntryOf<"session">): boolean {
  try {
    return confirmed.header === headerDigest(header);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

interface ConfirmedPlace {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly home: string;
  /** Identifies the store that holds the sessions. A confirmation counts only for that store. */
  readonly store: string;
}

/**
 * Keeps each confirmation in a small file in the home folder, because neither a log nor a shared store can be trusted
 * to record confirmations.
 */
export function confirmedInFiles({ disk, clock, home, store }: ConfirmedPlace): ConfirmedSessions {
  const folder = join(home, "confirmed");
  const ending = `.${store}.json`;
  const pathOf = (session: SessionId): string => join(folder, `${session}${ending}`);
  const find = (session: SessionId): ConfirmedSession | undefined => {
    try {
      return confirmedIn(readWhole(disk, pathOf(session)).toString(), session);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  };
  return {
    find,
    keep: (confirmed) => {
      try {
        new DurableFolders(disk, home).make(folder);
        const bytes = Buffer.from(`${JSON.stringify(confirmed, null, 2)}\n`);
        replaceFile({ disk, clock }, { path: pathOf(confirmed.session), bytes, content: "synced" });
        disk.syncFolder(folder);
      } catch (cause) {
        throw writeError(cause, { what: "confirmation", of: confirmed.session });
      }
    },
    remove: (session) => tryToRemove(disk, pathOf(session)),
    all: () =>
      namesIn(disk, folder).flatMap((name) => {
        const session = name.endsWith(ending) ? name.slice(0, -ending.length) : "";
        return (isSessionId(session) ? find(session) : undefined) ?? [];
      }),
  };
}

export function confirmedInMemory(): ConfirmedSessions {
  const kept = new Map<SessionId, ConfirmedSession>();
  return {
    find: (session) => kept.get(session),
    keep: (confirmed) => void kept.set(confirmed.session, confirmed),
    remove: (session) => void kept.delete(session),
    all: () => [...kept.values()],
  };
}

/** Reads a confirmation. A damaged file does not confirm anything, so the user is asked again. */
function confirmedIn(text: string, session: SessionId): ConfirmedSession | undefined {
  const value = parsed(text);
  if (!isJsonObject(value)) return undefined;
  const { header, workspace, system, tag, used } = value;
  const isWhole = [header, workspace, system, tag].every((each) => typeof each === "string");
  if (!isWhole || typeof used !== "number" || value["session"] !== session) return undefined;
  return { ...value, session } as unknown as ConfirmedSession;
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The sessions that this home wrote to a store before entries were signed. */
export interface EarlierSessions {
  has(session: SessionId): boolean;
  /** Records the earlier sessions. This is done only once, before anything new is written. */
  record(store: LogStore): Promise<void>;
}

export const NO_EARLIER_SESSIONS: EarlierSessions = { has: () => false, record: async () => undefined };

export interface EarlierPlace {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly home: string;
  readonly store: string;
  /**
   * The sessions that this home may have written earlier. The default is all sessions in the store, for a store that
   * only this home writes to.
   */
  readonly written?: () => Iterable<SessionId>;
}

/**
 * Keeps the list of earlier sessions in a file in the home folder. Until the list is recorded, every session that
 * `written` names is treated as an earlier session.
 */
export function earlierInFiles({ disk, clock, home, store, written }: EarlierPlace): EarlierSessions {
  const folder = join(home, "earlier");
  const path = join(folder, `${store}.json`);
  let known: ReadonlySet<string> | undefined;
  const read = (): ReadonlySet<string> | undefined => {
    known ??= readIds(disk, path);
    return known;
  };
  return {
    has: (session) => {
      const recorded = read();
      if (recorded !== undefined) return recorded.has(session);
      return written === undefined || new Set(written()).has(session);
    },
    record: async (logs) => {
      if (read() !== undefined) return;
      const ids = [...new Set(written === undefined ? await allIn(logs) : written())].sort();
      try {
        new DurableFolders(disk, home).make(folder);
        replaceFile({ disk, clock }, { path, bytes: Buffer.from(JSON.stringify(ids)), content: "synced" });
        disk.syncFolder(folder);
      } catch (cause) {
        throw writeError(cause, { what: "earlier-sessions" });
      }
      known = new Set(ids);
    },
  };
}

async function allIn(logs: LogStore): Promise<readonly SessionId[]> {
  return [...(await logs.list()), ...(await logs.listTrash()).map(({ session }) => session)];
}

/**
 * Reads the list of earlier sessions. If the list is damaged, no session is treated as an earlier session. The user can
 * confirm the sessions instead.
 */
function readIds(disk: Disk, path: string): ReadonlySet<string> | undefined {
  try {
    const ids: unknown = JSON.parse(readWhole(disk, path).toString());
    return new Set(Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : []);
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (error instanceof SyntaxError) return new Set();
    throw error;
  }
}
