import { dirname, join } from "node:path";
import type { Clock } from "../../../ports/clock.ts";
import type { Lease, LeaseRequest, Owner, TakeOver } from "../../../ports/lease.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { Disk } from "../disk/disk.ts";
import { namesIn, removeFile, tryToRemove, writeNew } from "../disk/durable-files.ts";
import type { SessionPlaces } from "../places.ts";
import { sessionUnknown, writeError } from "../store-error.ts";
import { type Attempt, mayReplace, ownerOf, tryLock } from "./lock-file.ts";
import { isUnreadable, type Life, lifeOf, newOwner } from "./owner.ts";
import type { Processes } from "./processes.ts";

export interface LeaseGround {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly processes: Processes;
  readonly places: SessionPlaces;
}

const FIRST_WAIT_MS = 25;
const LONGEST_WAIT_MS = 250;

/** Gets the right to write to a session, waiting for a living owner as long as the request says. */
export async function acquireLease(ground: LeaseGround, request: LeaseRequest): Promise<Lease> {
  const { clock, places } = ground;
  const deadline = clock.now() + request.waitMs;
  let waited = 0;
  for (let pause = FIRST_WAIT_MS; ; pause = Math.min(LONGEST_WAIT_MS, pause * 2)) {
    const owner = newOwner(ground.processes, clock, request.name);
    const attempt = tryOnce(ground, owner, request.takeOver ?? "no");
    if (attempt.got === "lock") return leaseOf(ground, owner, attempt.takenFrom);
    if (attempt.got === "changed") continue;
    const left = deadline - clock.now();
    if (left <= 0) throw sessionHeld(places, attempt.owner, lifeOf(attempt.owner, ground.processes));
    if (waited === 0) request.onWait?.(attempt.owner);
    waited += 1;
    await clock.wait(Math.min(pause, left));
  }
}

function tryOnce(ground: LeaseGround, owner: Owner, takeOver: TakeOver): Attempt {
  const { disk, places, processes } = ground;
  if (disk.stat(places.folder)?.kind !== "folder") throw sessionUnknown(places.session);
  const ticket = `${places.lock}.by-${owner.token}`;
  try {
    // Whoever waits looks often; only when there may be something to get is anything written.
    const holder = ownerOf(disk, places.lock);
    if (holder !== undefined && !mayReplace({ processes, takeOver }, holder)) {
      return { got: "nothing", owner: holder };
    }
    // Synced before it is linked: after a loss of power a lock without content would stop everybody.
    writeNew(disk, ticket, Buffer.from(`${JSON.stringify(owner)}\n`));
    try {
      return tryLock({ disk, processes, lock: places.lock, ticket, takeOver });
    } finally {
      tryToRemove(disk, ticket);
    }
  } catch (error) {
    throw writeError(error, `The lock of session ${places.session}`);
  }
}

function leaseOf(ground: LeaseGround, owner: Owner, takenFrom: Owner | undefined): Lease {
  const { disk, places } = ground;
  sweep(ground);
  return {
    owner,
    ...(takenFrom === undefined ? {} : { takenFrom }),
    release: async () => {
      try {
        if (ownerOf(disk, places.lock)?.token === owner.token) removeFile(disk, places.lock);
      } catch (error) {
        throw writeError(error, `The lock of session ${places.session}`);
      }
    },
  };
}

/** Removes tickets and guards of the dead. The lock is ours now, so no guard of an earlier one has a meaning left. */
function sweep({ disk, places, processes }: LeaseGround): void {
  for (const name of namesIn(disk, places.folder)) {
    if (!/^lock\.(by|after)-/.test(name)) continue;
    const path = join(dirname(places.lock), name);
    const owner = ownerOf(disk, path);
    if (owner !== undefined && lifeOf(owner, processes) === "dead") tryToRemove(disk, path);
  }
}

function sessionHeld(places: SessionPlaces, owner: Owner, life: Life): WorldlineError {
  const who = isUnreadable(owner)
    ? "a lock that cannot be read"
    : `${owner.name} (pid ${owner.pid} on ${owner.host}, since ${owner.since})`;
  return new WorldlineError("SESSION_HELD", `Session ${places.session} is held by ${who}.`, {
    hint:
      life === "elsewhere"
        ? "It cannot be seen from here whether its owner lives. If nothing uses the session any more, use --take-over."
        : "Only one program writes to a session at a time. Close it there, or fork the session.",
  });
}
