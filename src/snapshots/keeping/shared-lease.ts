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
  /** What is leased; the snapshot store unless said otherwise. */
  readonly what?: "workspace" | "snapshots";
}

export interface SharedLease {
  readonly owner: Owner;
  release(): Promise<void>;
}

const SHARED = "shared-";
const EXCLUSIVE = "exclusive";
/** As `acquireLease` names what it makes a lock from; the next holder of the lock removes it, but there may be none. */
const TICKET = `${EXCLUSIVE}.by-`;
/** Nobody is busy making a file for so long. */
const MAKING_MS = 60 * 60 * 1000;
const FIRST_WAIT_MS = 25;
const MAX_WAIT_MS = 250;

/**
 * The right to work beside others that share `folder`, while no process has it alone.
 *
 * A sharer first makes its file and then looks for the exclusive lock; a process that wants it alone first takes the
 * lock and then looks for sharers' files. Names in a folder change one after the other, so of two who come at
 * once the later one to write sees the earlier one's name: they never both go on. Should both see each other,
 * the sharer steps back and waits; so waiting for exclusive access never starves.
 *
 * A file that cannot be read is swept like a dead sharer's. Its maker was killed before it wrote its owner, or
 * has not written it yet; then it has not looked yet either, and when it has, it either sees the sweeper's lock
 * or, looking at last at its own file, finds it gone and tries again.
 *
 * On a network file system that caches names this holds between processes of one host only.
 */
export async function acquireShared(
  context: LockContext,
  folder: string,
  request: SharedLeaseRequest,
): Promise<SharedLease> {
  await releaseLeft(context.disk);
  if (request.takeOver === "yes") sweepDeadLock(context, join(folder, EXCLUSIVE), "yes");
  return untilGot(context, request, (tries) => {
    // Who waits only looks: files that come and go would keep the exclusive one waiting.
    const holder = tries > 1 ? exclusiveOf(context, folder) : undefined;
    return holder === undefined ? tryToShare(context, folder, request) : { blockedBy: holder };
  });
}

/**
 * The right to have `folder` alone. A process that holds it shared and asks for this would wait for itself forever: release
 * first. Sharers that cannot be asked count as living, unless `takeOver` is "yes".
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

/** What could not be given back when its time was over, by the disk that refused. */
const left = new WeakMap<Disk, Set<Release>>();

/**
 * The same lease, but giving it back never fails: that would hide what was done under it. What the disk refuses to remove is
 * tried again before this process asks for the next one, and counts for nothing once the process has ended.
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

/** Tries again and again, as long as the request says. */
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

/** Removes the files of those who shared, had it alone or asked to, and are surely dead; anybody may, at any time. */
export function sweepDead(context: LockContext, folder: string): void {
  sweepDeadLock(context, join(folder, EXCLUSIVE));
  for (const name of namesIn(context.disk, folder)) {
    const isTheirs = name.startsWith(SHARED) || name.startsWith(TICKET);
    if (isTheirs && isOfTheDead(context, join(folder, name))) tryToRemove(context.disk, join(folder, name));
  }
}

/** One without a word in it is of somebody who was killed while making it, or who is just making it. */
function isOfTheDead({ disk, clock, processes }: LockContext, path: string): boolean {
  const owner = ownerOf(disk, path);
  if (owner === undefined) return false;
  if (!isUnreadable(owner)) return lifeOf(owner, processes) === "dead";
  return (disk.stat(path)?.modifiedAt ?? Number.POSITIVE_INFINITY) < clock.now() - MAKING_MS;
}

/** The owners that are not known to be dead and share the folder, have it alone, or wait to. */
export function holdersOf({ disk, processes }: LockContext, folder: string): readonly Owner[] {
  const names = namesIn(disk, folder).filter((name) => name === EXCLUSIVE || name.startsWith(SHARED));
  return names
    .flatMap((name) => ownerOf(disk, join(folder, name)) ?? [])
    .filter((owner) => lifeOf(owner, processes) !== "dead");
}

/** Removes the files of dead sharers; returns those that live. Only for who holds the lease alone. */
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
  // Swept before it could be read, by one that is done by now.
  return tryToShare(context, folder, request);
}

/** Not synced: after a power loss there are no sharers. */
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

/** The live process that has it alone or waits to; undefined if there is none. */
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
