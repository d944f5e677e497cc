import { errnoOf } from "../../disk/disk.ts";
import { acquireLease, type LeaseGround, type Locked } from "../../disk/lock/lease.ts";
import { ownerOf } from "../../disk/lock/lock-file.ts";
import { isUnreadable, lifeOf } from "../../disk/lock/owner.ts";
import type { Holder, Lease, LeaseRequest, Life, Owner } from "../../ports/lease.ts";
import { WorldlineError } from "../../record/error.ts";
import { sessionUnknown } from "../session-error.ts";
import type { SessionPlaces } from "./places.ts";

/** Gets the right to write to a session. */
export async function acquireSessionLease(
  ground: LeaseGround,
  places: SessionPlaces,
  request: LeaseRequest,
): Promise<Lease> {
  if (ground.disk.stat(places.folder)?.kind !== "folder") throw sessionUnknown(places.session);
  return acquireLease(ground, lockedSession(places), request);
}

/** Who has that right, as the lock says. One that cannot be read has an owner too, somewhere. */
export function holderOf(
  { disk, processes }: Pick<LeaseGround, "disk" | "processes">,
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
    name: `The lock of session ${places.session}`,
    held: (owner, life) => sessionHeld(places, owner, life),
  };
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
