import { basename, dirname, join } from "node:path";
import type { Clock } from "../ports/clock.ts";
import type { Lease, LeaseRequest, Life, Owner, TakeOver } from "../ports/lease.ts";
import { errnoOf, isMissing, type WorldlineError } from "../record/error.ts";
import type { Stored } from "../strings/errors/facts.ts";
import { type Disk, writeError } from "./disk.ts";
import { namesIn, readWhole, removeFile, tryToRemove, writeNew } from "./durable-files.ts";
import { isUnreadable, lifeOf, newOwner, type Processes, readOwner } from "./lock-owner.ts";

export interface LockContext {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly processes: Processes;
}

/** A lock, with the information needed for its error messages. */
export interface Locked {
  /** The path of the lock file. The lock file's folder must exist. */
  readonly lock: string;
  /** What the lock protects, for error messages. */
  readonly stored: Stored;
  /** Creates the error for a caller that failed to acquire the lock. */
  readonly held: (owner: Owner, life: Life) => WorldlineError;
}

/** A lease that is implemented by a lock file. */
export interface LockLease extends Lease {
  /**
   * Returns the owner that took over the lock, even if that owner has since released it. Returns "nobody" as long as
   * this process still has the lock. If the lock file no longer exists for another reason, it was deleted manually. The
   * file is then put back. The file system allows this only as long as the name is free. Throws system errors.
   */
  takenBy(): Owner | "nobody";
}

const FIRST_WAIT_MS = 25;
const MAX_WAIT_MS = 250;

/** Acquires a lock. If the current owner is alive, waits for as long as the request allows. */
export async function acquireLease(
  context: LockContext,
  locked: Locked,
  request: LeaseRequest,
): Promise<LockLease> {
  const { clock } = context;
  const deadline = clock.now() + request.waitMs;
  let waited = 0;
  for (let pause = FIRST_WAIT_MS; ; pause = Math.min(MAX_WAIT_MS, pause * 2)) {
    const owner = newOwner(context.processes, clock, request.name);
    const attempt = tryOnce({ ...context, ...locked }, owner, request.takeOver ?? "no");
    if (attempt.got === "lock") return leaseOf({ ...context, ...locked }, owner, attempt.takenFrom);
    if (attempt.got === "changed") continue;
    const left = deadline - clock.now();
    if (left <= 0) throw locked.held(attempt.owner, lifeOf(attempt.owner, context.processes));
    if (waited === 0) request.onWait?.(attempt.owner);
    waited += 1;
    await clock.wait(Math.min(pause, left));
  }
}

/**
 * Removes a lock if its owner is known to be dead or, with `takeOver`, if its owner cannot be checked. Never removes a
 * living owner's lock.
 */
export function sweepDeadLock(context: LockContext, lock: string, takeOver: TakeOver = "no"): void {
  const { disk, processes, clock } = context;
  const holder = ownerOf(disk, lock);
  if (holder === undefined || !mayReplace({ processes, takeOver }, holder)) return;
  const owner = newOwner(processes, clock, "worldline, cleaning up");
  const attempt = tryOnce({ ...context, lock, stored: { what: "lock", of: lock } }, owner, takeOver);
  if (attempt.got === "lock") removeFile(disk, lock);
}

type LockedContext = LockContext & Pick<Locked, "lock" | "stored">;

function tryOnce(
  { disk, processes, lock, stored }: LockedContext,
  owner: Owner,
  takeOver: TakeOver,
): Attempt {
  const ticket = `${lock}.by-${owner.token}`;
  try {
    // Waiters only poll; a file or row is written only when the lock may be free.
    const holder = ownerOf(disk, lock);
    if (holder !== undefined && !mayReplace({ processes, takeOver }, holder)) {
      return { got: "nothing", owner: holder };
    }
    try {
      // The file is synced before it is linked, because after a power loss, a lock without content would block every
      // process.
      writeNew(disk, ticket, Buffer.from(`${JSON.stringify(owner)}\n`));
      return tryLock({ disk, processes, lock, ticket, takeOver });
    } finally {
      tryToRemove(disk, ticket);
    }
  } catch (error) {
    throw writeError(error, stored);
  }
}

function leaseOf(place: LockedContext, owner: Owner, takenFrom: Owner | undefined): LockLease {
  const { disk, lock, stored } = place;
  sweep(place);
  let seen = lookOf(disk, lock);
  return {
    owner,
    ...(takenFrom === undefined ? {} : { takenFrom }),
    takenBy: () => {
      const look = lookOf(disk, lock);
      if (look !== undefined && look === seen) return "nobody";
      const holder = ownerOf(disk, lock) ?? takerFrom(disk, lock, owner) ?? putBack(place, owner);
      if (holder.token !== owner.token) return holder;
      seen = lookOf(disk, lock);
      return "nobody";
    },
    release: async () => {
      try {
        if (ownerOf(disk, lock)?.token === owner.token) removeFile(disk, lock);
      } catch (error) {
        throw writeError(error, stored);
      }
    },
  };
}

/**
 * Returns a string that changes whenever the lock file is replaced: a new file has a different inode, or at least a
 * different time.
 */
function lookOf(disk: Disk, lock: string): string | undefined {
  const stat = disk.stat(lock);
  return stat === undefined ? undefined : `${stat.identity} ${stat.modifiedAt} ${stat.size}`;
}

/**
 * Puts back a lock that was deleted manually, unless another process has acquired it. Then returns the lock's owner.
 */
function putBack({ disk, processes, lock }: LockedContext, owner: Owner): Owner {
  const ticket = `${lock}.by-${owner.token}`;
  try {
    writeNew(disk, ticket, Buffer.from(`${JSON.stringify(owner)}\n`));
    for (;;) {
      const attempt = tryLock({ disk, processes, lock, ticket, takeOver: "no" });
      if (attempt.got === "lock") return owner;
      if (attempt.got === "nothing") return attempt.owner;
    }
  } finally {
    tryToRemove(disk, ticket);
  }
}

/**
 * Removes the tickets and guards of dead processes. This process has the lock, so guards for earlier owners are
 * obsolete.
 */
function sweep({ disk, lock, processes }: LockedContext): void {
  const [ticket, guard] = [`${basename(lock)}.by-`, `${basename(lock)}.after-`];
  for (const name of namesIn(disk, dirname(lock))) {
    if (!name.startsWith(ticket) && !name.startsWith(guard)) continue;
    const path = join(dirname(lock), name);
    const owner = ownerOf(disk, path);
    if (owner !== undefined && lifeOf(owner, processes) === "dead") tryToRemove(disk, path);
  }
}

/** The outcome of one attempt to acquire a lock. */
type Attempt =
  | { readonly got: "lock"; readonly takenFrom?: Owner }
  | { readonly got: "nothing"; readonly owner: Owner }
  /** The lock changed during the attempt, so the caller must try again. */
  | { readonly got: "changed" };

interface LockTry {
  readonly disk: Disk;
  readonly processes: Processes;
  readonly lock: string;
  /**
   * A file that names this process as the owner. The file is linked to the lock's name, so that the name and the
   * content appear at the same time.
   */
  readonly ticket: string;
  readonly takeOver: TakeOver;
}

/**
 * Tries once to acquire the lock. A free lock is acquired by linking our ticket to the lock's name, which the file
 * system allows only one process to do. A dead owner's lock must be replaced, and every process that considers the
 * owner dead could try to do so. A process that wants to replace the lock of a dead owner with the token D therefore
 * first links its ticket to `lock.after-D`. Only one process can do this. While it holds this guard, it reads the lock
 * again. Tokens are never reused. If the lock still has the token D, no process has replaced it, and only the guard's
 * holder may do so. If the lock has another token, D has lost the lock for good, so the guard is obsolete and is
 * removed. If the guard's holder G has died as well, the right to act in its place is acquired in the same way, by
 * linking to `lock.after-G`, and so on along the chain. A guard is removed only by its own holder, or by the lock's new
 * owner after D has lost the lock. As long as the lock belongs to D, the chain is therefore the same as when it was
 * read, and its end belongs to one living process.
 */
export function tryLock(attempt: LockTry): Attempt {
  const { disk, lock, ticket } = attempt;
  if (linkOnce(disk, ticket, lock)) return { got: "lock" };
  const dead = ownerOf(disk, lock);
  if (dead === undefined) return { got: "changed" };
  if (!mayReplace(attempt, dead)) return { got: "nothing", owner: dead };
  return replaceDead(attempt, dead);
}

function replaceDead(attempt: LockTry, dead: Owner): Attempt {
  const { disk, lock, ticket } = attempt;
  const chain: Owner[] = [dead];
  for (;;) {
    const last = chain.at(-1) ?? dead;
    const guard = guardOf(lock, last.token);
    if (linkOnce(disk, ticket, guard)) return useGuard(attempt, guard, chain);
    const holder = ownerOf(disk, guard);
    if (holder === undefined) return { got: "changed" };
    // The guard's holder is alive. It is about to replace the lock or to find out that the lock no longer needs to be
    // replaced.
    if (!mayReplace(attempt, holder)) return { got: "nothing", owner: holder };
    chain.push(holder);
  }
}

/**
 * Replaces the lock while holding the guard. The guard is removed last, so that no other process can act between the
 * check and the rename.
 */
function useGuard(attempt: LockTry, guard: string, chain: readonly Owner[]): Attempt {
  const { disk, lock, ticket, processes } = attempt;
  const [dead] = chain;
  const isOurs = dead !== undefined && isStillChain(disk, lock, chain);
  if (isOurs) {
    const mayLive = lifeOf(dead, processes) !== "dead" && !isUnreadable(dead);
    if (mayLive) linkOnce(disk, ticket, takenOf(lock, dead.token));
    disk.rename(ticket, lock);
  }
  tryToRemove(disk, guard);
  return isOurs ? { got: "lock", takenFrom: dead } : { got: "changed" };
}

/**
 * Checks whether the lock still belongs to the first owner in the chain, and whether each guard still belongs to the
 * next owner.
 */
function isStillChain(disk: Disk, lock: string, chain: readonly Owner[]): boolean {
  return chain.every((owner, at) => {
    const before = chain[at - 1];
    const found = ownerOf(disk, before === undefined ? lock : guardOf(lock, before.token));
    return found?.token === owner.token;
  });
}

export function mayReplace(
  { processes, takeOver }: Pick<LockTry, "processes" | "takeOver">,
  owner: Owner,
): boolean {
  const life = lifeOf(owner, processes);
  if (life !== "elsewhere") return life === "dead";
  return takeOver === "yes" || (takeOver === "unreadable" && isUnreadable(owner));
}

function guardOf(lock: string, token: string): string {
  return `${lock}.after-${token}`;
}

function takenOf(lock: string, token: string): string {
  return `${lock}.taken-${token}`;
}

/**
 * Returns the owner that took over the lock from an owner that may be alive. A takeover is final. Even if the lock is
 * free again, the earlier owner does not get it back.
 */
function takerFrom(disk: Disk, lock: string, { token }: Owner): Owner | undefined {
  return ownerOf(disk, takenOf(lock, token));
}

/** Reads the owner that a lock file names. Returns undefined if the file does not exist. */
export function ownerOf(disk: Disk, path: string): Owner | undefined {
  try {
    return readOwner(readWhole(disk, path));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Creates `to` as a second name for the file `from`. Returns false if the name is already taken. */
function linkOnce(disk: Disk, from: string, to: string): boolean {
  try {
    disk.link(from, to);
    return true;
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** A store's leases that have not been released yet. */
export class OpenLeases {
  readonly #leases = new Set<Lease>();

  keep(lease: Lease): Lease {
    this.#leases.add(lease);
    return {
      ...lease,
      release: async () => {
        this.#leases.delete(lease);
        await lease.release();
      },
    };
  }

  /** Releases all leases that can be released. A lease that cannot be released ends with the process. */
  async giveBack(): Promise<void> {
    for (const lease of this.#leases) await lease.release().catch(() => undefined);
    this.#leases.clear();
  }
}

/** Runs tasks one after another in the order in which they were added, even if an earlier task failed. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.#last.then(work);
    // The caller receives the error, but the error must not make the next task fail.
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  /** Resolves when all tasks that were added before this call have ended. Never rejects. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
