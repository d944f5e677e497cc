import { createHash } from "node:crypto";
import { join } from "node:path";
import { type Disk, writeError } from "../../disk/disk.ts";
import { DurableFolders, namesIn, readWhole, replaceFile, tryToRemove } from "../../disk/durable-files.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { signedText } from "../../record/authority.ts";
import type { EntryOf } from "../../record/entry.ts";
import { isMissing } from "../../record/error.ts";
import { isSessionId, type SessionId } from "../../record/ids.ts";
import { isJsonObject, type Json } from "../../record/parts.ts";

/** What the user of this home said of a session that it did not write. */
export interface ConfirmedSession {
  readonly session: SessionId;
  /** The digest of the session's first entry: a changed one is another one, and needs to be confirmed again. */
  readonly header: string;
  /** The folder that it works in on this machine. */
  readonly workspace: string;
  /** In place of what its first entry says. */
  readonly system: string;
  readonly tag: string;
  /** When it was confirmed, or last worked on here: milliseconds since 1970. */
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

/** Whether it was this very first entry that was confirmed. */
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
  /** Which store the sessions are in: one that is confirmed there is not confirmed elsewhere. */
  readonly store: string;
}

/** A small file for each, in the home: neither a log nor a shared store can say it. */
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

/** A damaged one confirms nothing: the user is asked again. */
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

/** The sessions of a store that this home wrote before entries were signed. */
export interface EarlierSessions {
  has(session: SessionId): boolean;
  /** Writes down which they are, once, before anything new is written. */
  record(store: LogStore): Promise<void>;
}

export const NO_EARLIER_SESSIONS: EarlierSessions = { has: () => false, record: async () => undefined };

export interface EarlierPlace {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly home: string;
  readonly store: string;
  /** Those that may be from before; all that are in the store, where only this home writes to it. */
  readonly written?: () => Iterable<SessionId>;
}

/** As long as nothing was written down, all that may be from before is. */
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

/** A damaged list says of none that it is from before: they can be confirmed. */
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
