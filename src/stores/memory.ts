import { randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { OpenLeases } from "../disk/lock.ts";
import type { Clock } from "../ports/clock.ts";
import type { Lease, LeaseRequest, Owner } from "../ports/lease.ts";
import type {
  Damage,
  LogStore,
  OpenedLog,
  Piece,
  Scrap,
  SessionFilter,
  Trashed,
} from "../ports/log-store.ts";
import { decodeLine, encodeEntry, isReadable } from "../record/codec.ts";
import type { Entry, EntryOf } from "../record/entry.ts";
import { remark, WorldlineError } from "../record/error.ts";
import { type BlobHash, isSessionId, type Seq, type SessionId, toSeq } from "../record/ids.ts";
import { checkOptions, option } from "../record/options.ts";
import { blobsOf } from "../record/shape.ts";
import { Outline } from "../timeline/outline.ts";
import { blobHashOf, sessionExists, sessionUnknown } from "./all-stores.ts";

/** The data in a memory store. Opening a second store on the same data simulates reopening the store. */
export class MemoryRoom {
  readonly sessions: Map<SessionId, MemorySession> = new Map();
  readonly trash: (Trashed & { readonly content: MemorySession })[] = [];
}

export interface MemoryStoreOptions {
  readonly room?: MemoryRoom;
  readonly clock?: Clock;
}

/**
 * Stores sessions in memory for as long as the process runs, for tests and for callers that do not need to keep their
 * sessions.
 */
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
    // There is nothing to do, because unreferenced data no longer exists.
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

/**
 * One session in memory. Lines are kept as the bytes that a file would contain, so that reading behaves as in any other
 * store. For example, entries are never shared objects and never contain `undefined`, and damage has the same effects.
 */
class MemorySession {
  readonly id: SessionId;
  readonly blobs: Map<BlobHash, Uint8Array> = new Map();
  owner: Owner | undefined;
  /**
   * Counts changes across all sessions, so that a session that is re-created with the same id never repeats a stamp.
   */
  static #changes = 0;
  #lines: Uint8Array[] = [];
  #stamp = 0;

  constructor(id: SessionId) {
    this.id = id;
  }

  open(): OpenedLog {
    const outline = new Outline();
    const damage: Damage[] = [];
    for (const [at, line] of this.#lines.entries()) {
      const decoded = decodeLine(line.subarray(0, -1), crc32);
      if (decoded.ok) outline.add(decoded.entry);
      else {
        outline.addGap();
        const why = remark("damage-line", { fault: decoded.fault });
        damage.push({ what: "line", file: "", line: at + 1, bytes: line.length, ...why });
      }
    }
    return { outline, damage };
  }

  append(expectedSeq: Seq, entries: readonly Entry[]): void {
    const next = this.#lines.length + 1;
    if (entries.length > 0 && expectedSeq !== next) {
      throw new WorldlineError("line-taken", { next, expected: expectedSeq });
    }
    const lines = entries.map((entry, at) => encodeAs(entry, next + at));
    for (const line of lines) this.#lines.push(line);
    if (lines.length > 0) this.#change();
  }

  get stamp(): string {
    return String(this.#stamp);
  }

  /** The first entry, if it can be read. */
  get header(): EntryOf<"session"> | undefined {
    const [first] = this.read(1 as Seq, 1 as Seq);
    return first?.kind === "session" ? first : undefined;
  }

  get pieces(): Piece[] {
    const log = this.#lines.reduce((sum, { length }) => sum + length, 0);
    const blobs = [...this.blobs].sort(([a], [b]) => (a < b ? -1 : 1));
    return [
      ...blobs.map(([hash, { length }]) => ({ name: `blobs/${hash}`, bytes: length })),
      { name: "log", bytes: log },
    ];
  }

  read(from: Seq, to: Seq): Entry[] {
    return this.#lines.slice(Math.max(0, from - 1), Math.max(0, to)).flatMap((line) => {
      const decoded = decodeLine(line.subarray(0, -1), crc32);
      return decoded.ok ? [decoded.entry] : [];
    });
  }

  verify(): Damage[] {
    const entries = this.read(1 as Seq, this.#lines.length as Seq);
    const wanted = new Set([...entries.flatMap(blobsOf), ...this.blobs.keys()]);
    const blobs = [...wanted].filter((hash) => !isWhole(hash, this.blobs.get(hash)));
    return [
      ...this.open().damage,
      ...blobs.map((hash) => ({
        what: "blob" as const,
        file: "",
        line: 0,
        bytes: 0,
        ...remark("damage-blob-lost", { hash }),
      })),
    ];
  }

  scraps(): Scrap[] {
    return this.#lines.flatMap((line, at) =>
      decodeLine(line.subarray(0, -1), crc32).ok
        ? []
        : [{ name: `line ${at + 1}`, bytes: Uint8Array.from(line) }],
    );
  }

  rewrite(replace: (entry: Entry) => Entry): void {
    const kept = new Set<BlobHash>();
    const rewritten = this.#lines.map((line, at) => {
      const decoded = decodeLine(line.subarray(0, -1), crc32);
      if (!decoded.ok) return new Uint8Array(1);
      const replaced = replace(decoded.entry);
      if (replaced.id !== decoded.entry.id) throw misplaced(replaced, at + 1);
      for (const hash of blobsOf(replaced)) kept.add(hash);
      return encodeAs(replaced, at + 1);
    });
    this.#lines = rewritten;
    this.#change();
    for (const hash of this.blobs.keys()) if (!kept.has(hash)) this.blobs.delete(hash);
  }

  #change(): void {
    MemorySession.#changes += 1;
    this.#stamp = MemorySession.#changes;
  }

  /** Damages a line, for tests. */
  damage(seq: Seq): void {
    const line = this.#lines[seq - 1];
    if (line !== undefined) line[line.length >> 1] = (line[line.length >> 1] ?? 0) ^ 1;
  }
}

function isWhole(hash: BlobHash, bytes: Uint8Array | undefined): bytes is Uint8Array {
  return bytes !== undefined && blobHashOf(bytes) === hash;
}

/** Encodes an entry. Throws if the entry's line could not be read back. */
function encodeAs(entry: Entry, seq: number): Uint8Array {
  if (entry.seq !== seq) throw misplaced(entry, seq);
  if (isReadable(entry)) return encodeEntry(entry, crc32);
  throw new WorldlineError("entry-malformed", { seq: entry.seq, kind: entry.kind });
}

function misplaced({ seq }: Entry, line: number): WorldlineError {
  return new WorldlineError("entry-misplaced", { line, seq });
}

const PAUSE_MS = 25;

/** Acquires a lease. All owners are in this process and alive, so a lease is never taken over from a dead owner. */
async function acquireLease(session: MemorySession, clock: Clock, request: LeaseRequest): Promise<Lease> {
  const deadline = clock.now() + request.waitMs;
  for (let waited = 0; session.owner !== undefined; waited += 1) {
    const left = deadline - clock.now();
    if (left <= 0) {
      const { name, since } = session.owner;
      throw new WorldlineError("session-in-use", { session: session.id, name, since });
    }
    if (waited === 0) request.onWait?.(session.owner);
    await clock.wait(Math.min(PAUSE_MS, left));
  }
  const owner: Owner = {
    pid: process.pid,
    started: "",
    boot: "",
    host: "memory",
    name: request.name,
    since: new Date(clock.now()).toISOString(),
    token: Buffer.from(clock.random(16)).toString("hex"),
  };
  session.owner = owner;
  return {
    owner,
    release: async () => {
      if (session.owner === owner) session.owner = undefined;
    },
  };
}
