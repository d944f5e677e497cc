import { basename, dirname, join } from "node:path";
import type { Clock } from "../../ports/clock.ts";
import type { Lease, LeaseRequest, Life, Owner, TakeOver } from "../../ports/lease.ts";
import type { WorldlineError } from "../../record/error.ts";
import type { Stored } from "../../strings/errors/facts.ts";
import type { Disk } from "../disk.ts";
import { writeError } from "../disk-error.ts";
import { namesIn, removeFile, tryToRemove, writeNew } from "../durable-files.ts";
import { type Attempt, mayReplace, ownerOf, takerFrom, tryLock } from "./lock-file.ts";
import { lifeOf, newOwner } from "./owner.ts";
import type { Processes } from "./processes.ts";

export interface LeaseGround {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly processes: Processes;
}

/** What is locked, and what to say of it. */
export interface Locked {
  /** The lock's path, in a folder that is there. */
  readonly lock: string;
  /** What to call the lock. */
  readonly stored: Stored;
  /** What whoever does not get it is told. */
  readonly held: (owner: Owner, life: Life) => WorldlineError;
}

/** A lease that is a lock file. */
export interface LockLease extends Lease {
  /**
   * Who has taken the lock over, also where that one has left since; "nobody" where it is still ours. One whose file is gone
   * otherwise was removed by hand: it is put back, which the file system grants only while the name is free. Throws system errors.
   */
  takenBy(): Owner | "nobody";
}

const FIRST_WAIT_MS = 25;
const LONGEST_WAIT_MS = 250;

/** Gets a lock, waiting for a living owner as long as the request says. */
export async function acquireLease(
  ground: LeaseGround,
  locked: Locked,
  request: LeaseRequest,
): Promise<LockLease> {
  const { clock } = ground;
  const deadline = clock.now() + request.waitMs;
  let waited = 0;
  for (let pause = FIRST_WAIT_MS; ; pause = Math.min(LONGEST_WAIT_MS, pause * 2)) {
    const owner = newOwner(ground.processes, clock, request.name);
    const attempt = tryOnce({ ...ground, ...locked }, owner, request.takeOver ?? "no");
    if (attempt.got === "lock") return leaseOf({ ...ground, ...locked }, owner, attempt.takenFrom);
    if (attempt.got === "changed") continue;
    const left = deadline - clock.now();
    if (left <= 0) throw locked.held(attempt.owner, lifeOf(attempt.owner, ground.processes));
    if (waited === 0) request.onWait?.(attempt.owner);
    waited += 1;
    await clock.wait(Math.min(pause, left));
  }
}

/**
 * Removes a lock whose owner is surely dead, or, where it is to be taken over, one that cannot be asked. A living one's stays.
 */
export function sweepDeadLock(ground: LeaseGround, lock: string, takeOver: TakeOver = "no"): void {
  const { disk, processes, clock } = ground;
  const holder = ownerOf(disk, lock);
  if (holder === undefined || !mayReplace({ processes, takeOver }, holder)) return;
  const owner = newOwner(processes, clock, "worldline, tidying up");
  const attempt = tryOnce({ ...ground, lock, stored: { what: "lock", of: lock } }, owner, takeOver);
  if (attempt.got === "lock") removeFile(disk, lock);
}

type Place = LeaseGround & Pick<Locked, "lock" | "stored">;

function tryOnce({ disk, processes, lock, stored }: Place, owner: Owner, takeOver: TakeOver): Attempt {
  const ticket = `${lock}.by-${owner.token}`;
  try {
    // Whoever waits looks often; only when there may be something to get is anything written.
    const holder = ownerOf(disk, lock);
    if (holder !== undefined && !mayReplace({ processes, takeOver }, holder)) {
      return { got: "nothing", owner: holder };
    }
    try {
      // Synced before it is linked: after a loss of power a lock without content would stop everybody.
      writeNew(disk, ticket, Buffer.from(`${JSON.stringify(owner)}\n`));
      return tryLock({ disk, processes, lock, ticket, takeOver });
    } finally {
      tryToRemove(disk, ticket);
    }
  } catch (error) {
    throw writeError(error, stored);
  }
}

function leaseOf(place: Place, owner: Owner, takenFrom: Owner | undefined): LockLease {
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

/** Another one has another number; should that be given out again, another time. */
function lookOf(disk: Disk, lock: string): string | undefined {
  const stat = disk.stat(lock);
  return stat === undefined ? undefined : `${stat.identity} ${stat.modifiedAt} ${stat.size}`;
}

/** Returns whose the lock is then. */
function putBack({ disk, processes, lock }: Place, owner: Owner): Owner {
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

/** Removes tickets and guards of the dead. The lock is ours now, so no guard of an earlier one has a meaning left. */
function sweep({ disk, lock, processes }: Place): void {
  const [ticket, guard] = [`${basename(lock)}.by-`, `${basename(lock)}.after-`];
  for (const name of namesIn(disk, dirname(lock))) {
    if (!name.startsWith(ticket) && !name.startsWith(guard)) continue;
    const path = join(dirname(lock), name);
    const owner = ownerOf(disk, path);
    if (owner !== undefined && lifeOf(owner, processes) === "dead") tryToRemove(disk, path);
  }
}
