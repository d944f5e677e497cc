import { join } from "node:path";
import { type Disk, realDisk, withReadError, withWriteError, writeError } from "../../disk/disk.ts";
import {
  besideOf,
  DurableFolders,
  namesIn,
  namesInOwn,
  Reserve,
  readRange,
  removeFile,
  writeAll,
} from "../../disk/durable-files.ts";
import {
  acquireLease,
  type LockContext,
  type Locked,
  type LockLease,
  OpenLeases,
  ownerOf,
} from "../../disk/lock.ts";
import { isUnreadable, lifeOf, ownerFacts, type Processes, realProcesses } from "../../disk/lock-owner.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Holder, Lease, LeaseRequest, Owner } from "../../ports/lease.ts";
import type { LogStore, Piece, PublishedCheckpoint, SessionFilter } from "../../ports/log-store.ts";
import type { Entry } from "../../record/entry.ts";
import { errnoOf, isMissing, WorldlineError } from "../../record/error.ts";
import { isSessionId, type SessionId } from "../../record/ids.ts";
import { checkOptions, type OptionsOf, option } from "../../record/options.ts";
import { sessionTakenOver, sessionUnknown } from "../all-stores.ts";
import { listBlobs, readBlob, writeBlob } from "./blobs.ts";
import { recallHeader } from "./load-log.ts";
import {
  type Home,
  listLogFiles,
  METADATA_NAME,
  placesOf,
  type SessionPlaces,
  sessionsFolder,
  trashFolder,
} from "./places.ts";
import { rewriteLog } from "./rewrite.ts";
import {
  createSession,
  emptyTrash,
  remnants,
  trashed,
  trashSession,
  undeleteSession,
} from "./session-folders.ts";
import { readFirst, SessionLog } from "./session-log.ts";
import { scrapsOf, verifySession } from "./verify.ts";

export interface FilesStoreOptions {
  /** The folder that contains the whole store. The folder is created with the first session. */
  readonly root: string;
  readonly clock: Clock;
  /** Size at which a log's newest file is due for rotation. */
  readonly rotateBytes?: number;
  readonly disk?: Disk;
  readonly processes?: Processes;
}

const ROTATE_BYTES = 64 * 1024 * 1024;
const MAX_KNOWN = 16;

const storeOptions: OptionsOf<FilesStoreOptions> = {
  call: "openFilesStore",
  kinds: {
    root: option.path,
    clock: option.clock,
    rotateBytes: option.amount,
    disk: option.object,
    processes: option.object,
  },
  needed: ["root", "clock"],
};

/**
 * Stores each session in a separate folder as JSON lines. The interface requires asynchronous methods, but the work is
 * done synchronously, because that was measured to be faster.
 */
export function openFilesStore(options: FilesStoreOptions): LogStore {
  checkOptions(options, storeOptions);
  const {
    root,
    clock,
    disk = realDisk,
    rotateBytes = ROTATE_BYTES,
    processes = realProcesses(root),
  } = options;
  const reserve = new Reserve({ disk, clock, home: root });
  const home = { root, clock, disk, folders: new DurableFolders(disk, root) };
  const logs = new Map<SessionId, SessionLog>();
  const leases = new OpenLeases();
  const locks = new SessionLocks({ disk, clock, processes, root, reserve });

  const logOf = (session: SessionId): SessionLog => {
    const known = logs.get(session);
    if (known !== undefined) return known;
    const log = new SessionLog({
      disk,
      places: placesOf(root, session),
      rotateBytes,
      fence: () => locks.fence(session),
    });
    letGoOfIdle(logs);
    logs.set(session, log);
    return log;
  };
  const letGo = (session: SessionId): void => {
    logs.get(session)?.close();
    logs.delete(session);
  };
  const there = (session: SessionId): SessionPlaces => {
    const places = placesOf(root, session);
    if (disk.stat(places.folder)?.kind !== "folder") throw sessionUnknown(session);
    return places;
  };

  return {
    create: async (first, content = { entries: [], blobs: [] }) => {
      createSession(home, first, content);
      reserve.fill();
    },
    open: async (session) => logOf(session).open(),
    recover: async (session) => logOf(session).recover(),
    append: async (session, expectedSeq, entries) => logOf(session).append(expectedSeq, entries),
    rotationDue: async (session) => logOf(session).rotationDue(),
    rotate: async (session, entry) => logOf(session).rotate(entry),
    read: async (session, from, to) => logOf(session).read(from, to),
    verify: async (session) => {
      const damage = withReadError({ what: "session", of: session }, () =>
        verifySession(disk, there(session)),
      );
      if (damage.length > 0) logs.get(session)?.distrustIndex();
      return damage;
    },

    ...queriesOf({ ...home, processes, there }),
    lease: async (session, request) => {
      const lease = await locks.acquire(session, request);
      const release = async (): Promise<void> => {
        letGo(session);
        await lease.release();
      };
      return leases.keep({ ...lease, release });
    },

    ...blobsIn(home, there),

    trash: async (session, at) => {
      letGo(session);
      withWriteError({ what: "session", of: session }, () => {
        locks.fence(session);
        trashSession(home, session, at);
      });
      locks.letGo(session);
    },
    ...trashIn(home, reserve),

    scraps: async (session) =>
      withReadError({ what: "session", of: session }, () => scrapsOf(disk, there(session))),
    rewrite: async (session, replace) => {
      const places = there(session);
      letGo(session);
      withWriteError({ what: "session-log", of: session }, () => {
        locks.fence(session);
        rewriteLog(disk, places, replace);
      });
    },
    // There is nothing to do, because each file that a rewrite replaced was removed. Whether the disk still holds the
    // old bytes is beyond a program's control.
    scrub: async () => undefined,
    publish: async (session, checkpoints) =>
      withWriteError({ what: "checkpoint-list" }, () =>
        publishCheckpoints(disk, there(session), checkpoints),
      ),
    close: async () => {
      for (const session of [...logs.keys()]) letGo(session);
      await leases.giveBack();
    },
  };
}

function blobsIn(
  home: Home,
  there: (session: SessionId) => SessionPlaces,
): Pick<LogStore, "putBlob" | "getBlob" | "listBlobs"> {
  const { disk } = home;
  return {
    putBlob: async (session, bytes) =>
      withWriteError({ what: "new-blob" }, () => writeBlob(home, there(session), bytes)),
    getBlob: async (session, hash) =>
      withReadError({ what: "blob", of: hash }, () => readBlob(disk, there(session), hash)),
    listBlobs: async (session) => withReadError({ what: "blob-list" }, () => listBlobs(disk, there(session))),
  };
}

function trashIn(
  home: Home,
  reserve: Reserve,
): Pick<LogStore, "undelete" | "listTrash" | "listRemnants" | "emptyTrash"> {
  const trash = { what: "trash", of: trashFolder(home.root) } as const;
  return {
    undelete: async (session) =>
      withWriteError({ what: "session", of: session }, () => undeleteSession(home, session)),
    listTrash: async () => withReadError(trash, () => trashed(home)),
    listRemnants: async () => withReadError({ what: "other-sessions" }, () => remnants(home)),
    emptyTrash: async (before) => {
      const removed = withWriteError(trash, () => emptyTrash(home, before));
      reserve.fill();
      return removed;
    },
  };
}

/** Closes logs that were only read, because listing a thousand sessions opens a thousand logs. */
function letGoOfIdle(logs: Map<SessionId, SessionLog>): void {
  for (const [session, log] of logs) {
    if (logs.size < MAX_KNOWN) return;
    if (!log.isIdle) continue;
    log.close();
    logs.delete(session);
  }
}

interface QueryContext extends Pick<Home, "disk" | "root"> {
  readonly processes: Processes;
  /** Returns a session's paths. Throws if the session does not exist. */
  readonly there: (session: SessionId) => SessionPlaces;
}

/** Answers queries about sessions without opening their logs. */
function queriesOf(deps: QueryContext): Pick<LogStore, "place" | "list" | "stamp" | "sizes" | "holder"> {
  const { disk, root, there } = deps;
  return {
    place: { kind: "files", name: root, reach: "machine" },
    list: async (filter = {}) =>
      withReadError({ what: "session-list", of: sessionsFolder(root) }, () => listSessions(deps, filter)),
    stamp: async (session) =>
      withReadError({ what: "session", of: session }, () => stampOf(disk, there(session))),
    sizes: async (session) =>
      withReadError({ what: "session", of: session }, () => filesOf(disk, there(session))),
    holder: async (session) => holderOf(deps, there(session)),
  };
}

type ListContext = Pick<Home, "disk" | "root">;

/** Returns the sorted ids of the sessions that match the filter. Reads at most the first line of each log. */
function listSessions({ disk, root }: ListContext, filter: SessionFilter): SessionId[] {
  const { after = "", limit = Number.POSITIVE_INFINITY } = filter;
  const found: SessionId[] = [];
  for (const name of namesInOwn(disk, sessionsFolder(root))) {
    if (found.length >= limit) break;
    if (!isSessionId(name) || name <= after) continue;
    if (passes({ disk, root }, name, filter)) found.push(name);
  }
  return found;
}

function passes(deps: ListContext, session: SessionId, { workspace, mode }: SessionFilter): boolean {
  const isThere = (): boolean => deps.disk.stat(placesOf(deps.root, session).folder)?.kind === "folder";
  if (!isThere()) return false;
  if (workspace === undefined && mode === undefined) return true;
  const first = firstOf(deps, session);
  // The session may have been moved while it was being read. A session that still exists is listed, because only
  // opening it can show whether it matches the filter.
  if (first?.kind !== "session") return isThere();
  return (workspace ?? first.workspace) === first.workspace && (mode ?? first.mode) === first.mode;
}

function firstOf({ disk, root }: ListContext, session: SessionId): Entry | undefined {
  const places = placesOf(root, session);
  try {
    return readFirst(disk, places) ?? recallHeader(disk, places)?.entry;
  } catch {
    // A single unreadable session must not make the list of all sessions fail.
    return undefined;
  }
}

/**
 * Returns the files of a session, sorted by name. Another program may remove a file after it is listed and before it is
 * examined.
 */
function filesOf(disk: Disk, { folder }: SessionPlaces): Piece[] {
  return piecesIn(disk, folder, "").sort((a, b) => (a.name < b.name ? -1 : 1));
}

function piecesIn(disk: Disk, folder: string, within: string): Piece[] {
  return namesIn(disk, folder).flatMap((each) => {
    const [path, name] = [join(folder, each), join(within, each)];
    const stat = disk.stat(path);
    if (stat?.kind === "folder") return piecesIn(disk, path, name);
    return stat?.kind === "file" ? [{ name, bytes: stat.size }] : [];
  });
}

/**
 * Returns a string that changes whenever the log changes. Even two writes within one clock tick result in different
 * sizes or inodes, because a log either grows or is replaced.
 */
function stampOf(disk: Disk, { log }: SessionPlaces): string {
  const live = disk.stat(log);
  return live === undefined ? "no log" : `${live.size} ${live.modifiedAt} ${live.identity}`;
}

/**
 * Writes the list of checkpoints. Does not sync the list, because it is derived from the log and is written again with
 * the next checkpoint.
 */
function publishCheckpoints(
  disk: Disk,
  places: SessionPlaces,
  checkpoints: readonly PublishedCheckpoint[],
): void {
  const path = join(places.checkpoints, METADATA_NAME);
  if (disk.stat(places.checkpoints) === undefined) disk.makeFolder(places.checkpoints);
  const beside = besideOf(path);
  removeFile(disk, beside);
  const file = disk.open(beside, "create");
  try {
    writeAll(disk, file, Buffer.from(`${JSON.stringify({ checkpoints }, undefined, 2)}\n`));
  } finally {
    disk.close(file);
  }
  disk.rename(beside, path);
}

export interface SessionLocksContext extends LockContext {
  readonly root: string;
  readonly reserve: Reserve;
}

/** Keeps track of the leases that a store has granted. */
class SessionLocks {
  readonly #context: SessionLocksContext;
  readonly #held = new Map<SessionId, LockLease>();

  constructor(context: SessionLocksContext) {
    this.#context = context;
  }

  /** Acquires the right to write to a session. */
  async acquire(session: SessionId, request: LeaseRequest): Promise<Lease> {
    const { root, reserve } = this.#context;
    const places = placesOf(root, session);
    const acquire = async (): Promise<LockLease> => acquireSessionLease(this.#context, places, request);
    const lease = await (request.room === "reserve" ? reserve.retryWithRoom(acquire) : acquire());
    this.#held.set(session, lease);
    return {
      ...lease,
      release: async () => {
        if (this.#held.get(session) === lease) this.#held.delete(session);
        await lease.release();
      },
    };
  }

  /**
   * Throws if another owner has taken over the session. Called after the log is opened and before it is written to, and
   * again before success is reported to the caller.
   */
  fence(session: SessionId): void {
    const lease = this.#held.get(session);
    if (lease === undefined) return;
    try {
      const owner = lease.takenBy();
      if (owner !== "nobody") throw sessionTakenOver(session, owner);
    } catch (error) {
      // If the whole session no longer exists, the write itself will report that more clearly.
      if (!isMissing(error)) throw error;
    }
  }

  /** Forgets the lease of a session, because a session in the trash does not have a holder. */
  letGo(session: SessionId): void {
    this.#held.delete(session);
  }
}

async function acquireSessionLease(
  context: LockContext,
  places: SessionPlaces,
  request: LeaseRequest,
): Promise<LockLease> {
  if (context.disk.stat(places.folder)?.kind !== "folder") throw sessionUnknown(places.session);
  const lease = await acquireLease(context, lockedSession(places), request);
  const { takenFrom } = lease;
  if (takenFrom === undefined || lifeOf(takenFrom, context.processes) === "dead") return lease;
  try {
    replaceLiveFile(context.disk, places);
    return lease;
  } catch (error) {
    await lease.release();
    throw writeError(error, { what: "session-log", of: places.session });
  }
}

const COPY_BYTES = 1024 * 1024;

/**
 * Replaces the live file with a copy after the lock was taken over from an owner that may still be alive. If that owner
 * then writes, it writes to the old file, which is no longer part of the log.
 */
function replaceLiveFile(disk: Disk, places: SessionPlaces): void {
  const { leftover } = listLogFiles(disk, places);
  if (disk.stat(places.log) === undefined) return;
  // A second name for the live file is removed, because it would be read as a separate file, in addition to the copy.
  if (leftover !== undefined) disk.unlink(leftover);
  const beside = besideOf(places.log);
  removeFile(disk, beside);
  const from = disk.open(places.log, "read");
  try {
    const to = disk.open(beside, "create");
    try {
      for (let position = 0; ; ) {
        const bytes = readRange(disk, from, { position, length: COPY_BYTES });
        if (bytes.length === 0) break;
        writeAll(disk, to, bytes);
        position += bytes.length;
      }
      disk.sync(to);
    } finally {
      disk.close(to);
    }
  } finally {
    disk.close(from);
  }
  disk.rename(beside, places.log);
  disk.syncFolder(places.folder);
}

/** Returns the owner that the lock file names. If the lock cannot be read, its owner is unknown. */
function holderOf(
  { disk, processes }: Pick<LockContext, "disk" | "processes">,
  places: SessionPlaces,
): Holder | undefined {
  let owner: Owner | undefined;
  try {
    owner = ownerOf(disk, places.lock);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return { life: "elsewhere" };
  }
  if (owner === undefined) return undefined;
  return { ...(isUnreadable(owner) ? {} : { owner }), life: lifeOf(owner, processes) };
}

function lockedSession(places: SessionPlaces): Locked {
  return {
    lock: places.lock,
    stored: { what: "session-lock", of: places.session },
    held: (owner, life) =>
      new WorldlineError("session-locked", {
        session: places.session,
        owner: ownerFacts(owner),
        life: life === "elsewhere" ? "elsewhere" : "here",
      }),
  };
}
