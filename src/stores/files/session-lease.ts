import { type Disk, writeError } from "../../disk/disk.ts";
import { besideOf, type Reserve, readRange, removeFile, writeAll } from "../../disk/durable-files.ts";
import { acquireLease, type LockContext, type Locked, type LockLease, ownerOf } from "../../disk/lock.ts";
import { isUnreadable, lifeOf, ownerFacts } from "../../disk/lock-owner.ts";
import type { Holder, Lease, LeaseRequest, Owner } from "../../ports/lease.ts";
import { errnoOf, isMissing, WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import { sessionTakenOver, sessionUnknown } from "../all-stores.ts";
import { listLogFiles, placesOf, type SessionPlaces } from "./places.ts";

export interface SessionLocksContext extends LockContext {
  readonly root: string;
  readonly reserve: Reserve;
}

/** The rights to write that one store has. */
export class SessionLocks {
  readonly #context: SessionLocksContext;
  readonly #held = new Map<SessionId, LockLease>();

  constructor(context: SessionLocksContext) {
    this.#context = context;
  }

  /** Gets the right to write to a session. */
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
   * Throws if the session is another's by now. Called with the log open, before it is written to, and again before a caller is told
   * that it is written.
   */
  fence(session: SessionId): void {
    const lease = this.#held.get(session);
    if (lease === undefined) return;
    try {
      const owner = lease.takenBy();
      if (owner !== "nobody") throw sessionTakenOver(session, owner);
    } catch (error) {
      // The whole session is gone; the write itself reports that better.
      if (!isMissing(error)) throw error;
    }
  }

  /** A trashed session has no holder. */
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
 * Puts a copy in the place of the live file. The lock was taken from an owner that may live: if it was about to write at this very
 * moment, that goes to the file that it has open, which is no longer part of the log.
 */
function replaceLiveFile(disk: Disk, places: SessionPlaces): void {
  const { leftover } = listLogFiles(disk, places);
  if (disk.stat(places.log) === undefined) return;
  // A second name of the live file; beside a copy it would pass for a file of its own.
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

/** Who has that right, as the lock says. One that cannot be read has an owner too, somewhere. */
export function holderOf(
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
