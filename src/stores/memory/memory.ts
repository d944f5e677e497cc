import { randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { Clock } from "../../ports/clock.ts";
import type { LogStore, SessionFilter, Trashed } from "../../ports/log-store.ts";
import { WorldlineError } from "../../record/error.ts";
import { isSessionId, type SessionId, toSeq } from "../../record/ids.ts";
import { checkOptions, option } from "../../record/options.ts";
import { blobHashOf } from "../blob-hash.ts";
import { OpenLeases } from "../open-leases.ts";
import { sessionExists, sessionUnknown } from "../session-error.ts";
import { acquireLease } from "./lease.ts";
import { isWhole, MemorySession } from "./memory-session.ts";

/** What memory stores keep; given to a second store, it is as if the first had been opened again. */
export class MemoryRoom {
  readonly sessions: Map<SessionId, MemorySession> = new Map();
  readonly trash: (Trashed & { readonly content: MemorySession })[] = [];
}

export interface MemoryStoreOptions {
  readonly room?: MemoryRoom;
  readonly clock?: Clock;
}

/** Keeps sessions as long as the process lives: for tests, and for who wants to keep nothing. */
export function openMemoryStore(options: MemoryStoreOptions = {}): LogStore {
  checkOptions<MemoryStoreOptions>(options, {
    call: "openMemoryStore",
    kinds: { room: option.object, clock: option.clock },
  });
  const { room = new MemoryRoom(), clock = ordinaryClock } = options;
  const { sessions } = room;
  const leases = new OpenLeases();
  const find = (session: SessionId): MemorySession => {
    const found = sessions.get(session);
    if (found === undefined) throw sessionUnknown(session);
    return found;
  };

  return {
    place: { kind: "memory", name: "memory", reach: "machine" },
    create: async (first, content = { entries: [], blobs: [] }) => {
      if (!isSessionId(first.session)) throw new WorldlineError("session-has-no-id", {});
      if (sessions.has(first.session)) throw sessionExists(first.session);
      const session = new MemorySession(first.session);
      for (const blob of content.blobs) session.blobs.set(blobHashOf(blob), Uint8Array.from(blob));
      session.append(toSeq(1), [first, ...content.entries]);
      sessions.set(first.session, session);
    },
    open: async (session) => find(session).open(),
    recover: async (session) => {
      find(session);
      return { setAside: [] };
    },
    append: async (session, expectedSeq, entries) => find(session).append(expectedSeq, entries),
    rotationDue: async (session) => {
      find(session);
      return undefined;
    },
    rotate: async (session, entry) => find(session).append(entry.seq, [entry]),
    read: async (session, from, to) => find(session).read(from, to),
    verify: async (session) => find(session).verify(),

    list: async (filter = {}) => listed([...sessions.values()], filter),
    stamp: async (session) => find(session).stamp,
    sizes: async (session) => find(session).pieces,
    holder: async (session) => {
      const { owner } = find(session);
      return owner === undefined ? undefined : { owner, life: "living" };
    },
    lease: async (session, request) => leases.keep(await acquireLease(find(session), clock, request)),

    putBlob: async (session, bytes) => {
      const hash = blobHashOf(bytes);
      find(session).blobs.set(hash, Uint8Array.from(bytes));
      return hash;
    },
    getBlob: async (session, hash) => {
      const bytes = find(session).blobs.get(hash);
      if (bytes === undefined) throw new WorldlineError("blob-missing", { session, hash });
      if (!isWhole(hash, bytes)) throw new WorldlineError("blob-damaged", { hash });
      return Uint8Array.from(bytes);
    },
    listBlobs: async (session) => [...find(session).blobs.keys()].sort(),

    ...trashOf(room, find),

    scraps: async (session) => find(session).scraps(),
    rewrite: async (session, replace) => find(session).rewrite(replace),
    // What nothing points to is gone.
    scrub: async () => undefined,
    publish: async (session) => void find(session),
    close: async () => leases.giveBack(),
  };
}

function listed(
  sessions: readonly MemorySession[],
  { workspace, mode, after, limit = Number.POSITIVE_INFINITY }: SessionFilter,
): readonly SessionId[] {
  return sessions
    .filter(({ id }) => after === undefined || id > after)
    .filter(({ header }) => {
      if (header === undefined) return true;
      return (workspace ?? header.workspace) === header.workspace && (mode ?? header.mode) === header.mode;
    })
    .map(({ id }) => id)
    .sort()
    .slice(0, Math.max(0, limit));
}

function trashOf(
  { sessions, trash }: MemoryRoom,
  find: (session: SessionId) => MemorySession,
): Pick<LogStore, "trash" | "undelete" | "listTrash" | "listRemnants" | "emptyTrash"> {
  return {
    trash: async (session, at) => {
      const content = find(session);
      content.owner = undefined;
      sessions.delete(session);
      trash.push({ session, at, content });
    },
    undelete: async (session) => {
      const newest = trash.filter((each) => each.session === session).sort((a, b) => b.at - a.at)[0];
      if (newest === undefined) throw sessionUnknown(session);
      if (sessions.has(session)) throw sessionExists(session);
      trash.splice(trash.indexOf(newest), 1);
      sessions.set(session, newest.content);
    },
    listTrash: async () => trash.map(({ session, at }) => ({ session, at })),
    listRemnants: async () => [],
    emptyTrash: async (before) => {
      const gone = trash.filter((each) => each.at < before);
      for (const each of gone) trash.splice(trash.indexOf(each), 1);
      return gone.map((each) => each.session);
    },
  };
}

const ordinaryClock: Clock = {
  now: () => Date.now(),
  random: (count) => randomBytes(count),
  wait: async (milliseconds) => setTimeout(milliseconds),
};
