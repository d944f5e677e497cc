import { dirname, join } from "node:path";
import { type Disk, writeError } from "../../disk/disk.ts";
import { DurableFolders, namesIn, removeFile, tryToRemove, writeAll } from "../../disk/durable-files.ts";
import {
  acquireLease,
  type LockContext,
  type Locked,
  type LockLease,
  ownerOf,
  sweepDeadLock,
} from "../../disk/lock.ts";
import { isUnreadable, lifeOf, newOwner, ownerFacts } from "../../disk/lock-owner.ts";
import type { LeaseRequest, Life, Owner } from "../../ports/lease.ts";
import { isMissing, isWorldlineError, WorldlineError } from "../../record/error.ts";

export interface SharedLeaseRequest extends LeaseRequest {
  /** What is leased, for error messages. The default is the snapshot store. */
  readonly what?: "workspace" | "snapshots";
}

export interface SharedLease {
  readonly owner: Owner;
  release(): Promise<void>;
}

const SHARED = "shared-";
const EXCLUSIVE = "exclusive";
/**
 * Prefix of the files that `acquireLease` links as the lock. The next holder of the lock removes leftover files, but
 * the lock may never have another holder.
 */
const TICKET = `${EXCLUSIVE}.by-`;
/** Far more time than any process needs to create a file. */
const MAKING_MS = 60 * 60 * 1000;
const FIRST_WAIT_MS = 25;
const MAX_WAIT_MS = 250;

/**
 * Acquires the right to work in `folder` together with other sharers, while no process has exclusive access. A sharer
 * first creates its file and then checks for the exclusive lock. A process that needs exclusive access first takes the
 * lock and then checks for sharers' files. The file system makes changes to a folder one after another. If two
 * processes arrive at the same time, whichever writes second therefore sees the other's file, and they never both
 * proceed. If both see each other, the sharer steps back and waits, so that a process that waits for exclusive access
 * never starves.
 *
 * A file that cannot be read is removed like the file of a dead sharer. Either the file's creator was killed before it
 * wrote the owner into the file, or it has not done so yet. In the second case, the creator has not checked for the
 * lock yet either. When it does, it sees the lock of the process that removed the file. Otherwise, it finds that its
 * own file no longer exists, and tries again.
 *
 * On a network file system that caches names, this works only between processes on the same host.
 */
export async function acquireShared(
  context: LockContext,
  folder: string,
  request: SharedLeaseRequest,
): Promise<SharedLease> {
  await releaseLeft(context.disk);
  if (request.takeOver === "yes") sweepDeadLock(context, join(folder, EXCLUSIVE), "yes");
  return untilGot(context, request, (tries) => {
    // Waiters only poll; creating lock files would starve the exclusive holder.
    const holder = tries > 1 ? exclusiveOf(context, folder) : undefined;
    return holder === undefined ? tryToShare(context, folder, request) : { blockedBy: holder };
  });
}

/**
 * Acquires the exclusive right to work in `folder`. A process that shares the folder must release its share first,
 * because it would otherwise wait for itself forever. Sharers that cannot be checked are assumed to be alive, unless
 * `takeOver` is "yes".
 */
export async function acquireExclusive(
  context: LockContext,
  folder: string,
  request: SharedLeaseRequest,
): Promise<LockLease> {
  const deadline = context.clock.now() + request.waitMs;
  await releaseLeft(context.disk);
  if (context.disk.stat(folder) === undefined) makeFolder(context, folder);
  const lock = join(folder, EXCLUSIVE);
  const locked: Locked = {
    lock,
    stored: { what: "lock", of: lock },
    held: (owner, life) => held(request, owner, life),
  };
  let hasWaited = false;
  const onWait = (owner: Owner): void => {
    if (!hasWaited) request.onWait?.(owner);
    hasWaited = true;
  };
  const lease = await acquireLease(context, locked, { ...request, onWait });
  const elsewhere = request.takeOver === "yes" ? "remove" : "keep";
  const left = { ...request, onWait, waitMs: deadline - context.clock.now() };
  try {
    return await untilGot(context, left, () => {
      const [sharer] = sweepShared(context, folder, elsewhere);
      return sharer === undefined ? { got: surelyReleased(context.disk, lease) } : { blockedBy: sharer };
    });
  } catch (error) {
    await lease.release();
    throw writeError(error, { what: "lease-of", of: folder });
  }
}

type Release = () => Promise<void>;

/** Leases that could not be released, grouped by the disk on which removing their files failed. */
const left = new WeakMap<Disk, Set<Release>>();

/**
 * Wraps a lease so that its release never fails, because an error would hide the result of the work under the lease. If
 * the lease's file cannot be removed, the removal is tried again before the process requests its next lease. After the
 * process has ended, the file no longer counts.
 */
function surelyReleased<Held extends { readonly release: Release }>(disk: Disk, lease: Held): Held {
  const release = async (): Promise<void> => {
    try {
      await lease.release();
    } catch (error) {
      if (!isWorldlineError(error)) throw error;
      left.set(disk, (left.get(disk) ?? new Set()).add(lease.release));
    }
  };
  return { ...lease, release };
}

async function releaseLeft(disk: Disk): Promise<void> {
  for (const release of left.get(disk) ?? []) {
    try {
      await release();
      left.get(disk)?.delete(release);
    } catch (error) {
      if (!isWorldlineError(error)) throw error;
    }
  }
}

type Attempt<Got> = { readonly got: Got } | { readonly blockedBy: Owner };

/** Retries for as long as the request allows. */
async function untilGot<Got>(
  { clock, processes }: LockContext,
  request: SharedLeaseRequest,
  attempt: (tries: number) => Attempt<Got>,
): Promise<Got> {
  const deadline = clock.now() + request.waitMs;
  let pause = FIRST_WAIT_MS;
  for (let tries = 1; ; tries += 1) {
    const result = attempt(tries);
    if ("got" in result) return result.got;
    const left = deadline - clock.now();
    if (left <= 0) throw held(request, result.blockedBy, lifeOf(result.blockedBy, processes));
    if (tries === 1) request.onWait?.(result.blockedBy);
    await clock.wait(Math.min(pause, left));
    pause = Math.min(MAX_WAIT_MS, pause * 2);
  }
}

/**
 * Removes the files of processes that are certainly dead and that shared the folder, had exclusive access to it, or
 * requested exclusive access. Any process may call this function at any time.
 */
export function sweepDead(context: LockContext, folder: string): void {
  sweepDeadLock(context, join(folder, EXCLUSIVE));
  for (const name of namesIn(context.disk, folder)) {
    const isTheirs = name.startsWith(SHARED) || name.startsWith(TICKET);
    if (isTheirs && isOfTheDead(context, join(folder, name))) tryToRemove(context.disk, join(folder, name));
  }
}

/**
 * Checks whether the file belongs to a dead process. An empty file belongs to a process that is creating it or was
 * killed while creating it.
 */
function isOfTheDead({ disk, clock, processes }: LockContext, path: string): boolean {
  const owner = ownerOf(disk, path);
  if (owner === undefined) return false;
  if (!isUnreadable(owner)) return lifeOf(owner, processes) === "dead";
  return (disk.stat(path)?.modifiedAt ?? Number.POSITIVE_INFINITY) < clock.now() - MAKING_MS;
}

/**
 * Returns the owners that share the folder, have exclusive access to it, or wait for exclusive access. Owners that are
 * known to be dead are left out.
 */
export function holdersOf({ disk, processes }: LockContext, folder: string): readonly Owner[] {
  const names = namesIn(disk, folder).filter((name) => name === EXCLUSIVE || name.startsWith(SHARED));
  return names
    .flatMap((name) => ownerOf(disk, join(folder, name)) ?? [])
    .filter((owner) => lifeOf(owner, processes) !== "dead");
}

/**
 * Removes the files of dead sharers, and returns the living sharers. Only the holder of the exclusive lease may call
 * this function.
 */
function sweepShared(
  { disk, processes }: LockContext,
  folder: string,
  elsewhere: "keep" | "remove",
): readonly Owner[] {
  const living: Owner[] = [];
  for (const name of namesIn(disk, folder)) {
    if (!name.startsWith(SHARED)) continue;
    const owner = ownerOf(disk, join(folder, name));
    if (owner === undefined) continue;
    const life = isUnreadable(owner) ? "dead" : lifeOf(owner, processes);
    if (life === "living" || (life === "elsewhere" && elsewhere === "keep")) living.push(owner);
    else tryToRemove(disk, join(folder, name));
  }
  return living;
}

function tryToShare(context: LockContext, folder: string, request: SharedLeaseRequest): Attempt<SharedLease> {
  const { disk } = context;
  const owner = newOwner(context.processes, context.clock, request.name);
  const path = join(folder, `${SHARED}${owner.token}`);
  const release = async (): Promise<void> => {
    try {
      removeFile(disk, path);
    } catch (error) {
      throw writeError(error, { what: "lease", of: path });
    }
  };
  try {
    writeUnsynced(context, path, Buffer.from(`${JSON.stringify(owner)}\n`));
    const holder = exclusiveOf(context, folder);
    if (holder !== undefined) {
      removeFile(disk, path);
      return { blockedBy: holder };
    }
    if (disk.stat(path) !== undefined) return { got: surelyReleased(disk, { owner, release }) };
  } catch (error) {
    tryToRemove(disk, path);
    throw writeError(error, { what: "lease", of: path });
  }
  // Another process found our file before it was readable and removed the file. That process has finished by now.
  return tryToShare(context, folder, request);
}

/** Writes a file without a sync, because a sharer does not survive a power loss anyway. */
function writeUnsynced(context: LockContext, path: string, bytes: Uint8Array): void {
  const file = openNew(context, path);
  try {
    writeAll(context.disk, file, bytes);
  } finally {
    context.disk.close(file);
  }
}

function openNew(context: LockContext, path: string): number {
  try {
    return context.disk.open(path, "create");
  } catch (error) {
    if (!isMissing(error)) throw error;
    makeFolder(context, dirname(path));
    return context.disk.open(path, "create");
  }
}

function makeFolder({ disk }: LockContext, folder: string): void {
  try {
    new DurableFolders(disk, folder).make(folder);
  } catch (error) {
    throw writeError(error, { what: "folder", of: folder });
  }
}

/**
 * Returns the living process that has exclusive access to the folder or waits for it, or undefined if there is none.
 */
function exclusiveOf({ disk, processes }: LockContext, folder: string): Owner | undefined {
  const lock = join(folder, EXCLUSIVE);
  if (disk.stat(lock) === undefined) return undefined;
  const owner = ownerOf(disk, lock);
  return owner === undefined || lifeOf(owner, processes) === "dead" ? undefined : owner;
}

function held({ what }: SharedLeaseRequest, owner: Owner, life: Life): WorldlineError {
  return new WorldlineError(what === "workspace" ? "workspace-in-use" : "snapshots-in-use", {
    owner: ownerFacts(owner),
    life: life === "elsewhere" ? "elsewhere" : "here",
  });
}
