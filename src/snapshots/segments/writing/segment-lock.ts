import { join } from "node:path";
import type { Disk } from "../../../disk/disk.ts";
import { namesIn, removeFile, tryToRemove, writeAll } from "../../../disk/durable-files.ts";
import { mayReplace, ownerOf, tryLock } from "../../../disk/lock.ts";
import type { Processes } from "../../../disk/lock-owner.ts";
import { newOwner } from "../../../disk/lock-owner.ts";
import type { Clock } from "../../../ports/clock.ts";

export interface LockGround {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly processes: Processes;
}

export interface SegmentLock {
  /** "dead": its writer died, and may have left something torn. */
  readonly takenFrom: "dead" | "nobody";
  release(): void;
}

/**
 * A lock that says nothing was torn by the loss of power: a living owner's is whole before it has its name. So
 * it is taken, and needs no sync when it is written.
 */
const REPLACED = { takeOver: "unreadable" } as const;

/** Tries once to become the one who writes to a segment. Undefined when somebody else is. */
export function trySegmentLock(
  { disk, clock, processes }: LockGround,
  lock: string,
): SegmentLock | undefined {
  const holder = ownerOf(disk, lock);
  if (holder !== undefined && !mayReplace({ processes, ...REPLACED }, holder)) return undefined;
  const owner = newOwner(processes, clock, "worldline");
  const ticket = `${lock}.by-${owner.token}`;
  try {
    writeTicket(disk, ticket, Buffer.from(`${JSON.stringify(owner)}\n`));
    const attempt = tryLock({ disk, processes, lock, ticket, ...REPLACED });
    if (attempt.got !== "lock") return undefined;
    return {
      takenFrom: attempt.takenFrom === undefined ? "nobody" : "dead",
      release: () => {
        if (ownerOf(disk, lock)?.token === owner.token) removeFile(disk, lock);
      },
    };
  } finally {
    tryToRemove(disk, ticket);
  }
}

function writeTicket(disk: Disk, ticket: string, bytes: Buffer): void {
  const file = disk.open(ticket, "create");
  try {
    writeAll(disk, file, bytes);
  } finally {
    disk.close(file);
  }
}

/**
 * Removes what the dead have left beside segments: tickets, locks and indexes without a segment. Only a cache is
 * lost by it where somebody is still at work. A guard of a lock that is there may still mean something.
 */
export function sweepSegments({ disk, processes }: LockGround, folder: string): void {
  const names = new Set(namesIn(disk, folder));
  for (const name of names) {
    const [, id = "", ending = ""] = /^([^.]*)[.](.*)$/.exec(name) ?? [];
    const path = join(folder, name);
    if (isLeftOver({ ending, names, id }) && isOfNobody({ disk, processes }, path, ending)) {
      tryToRemove(disk, path);
    }
  }
}

interface Beside {
  readonly id: string;
  readonly ending: string;
  readonly names: ReadonlySet<string>;
}

function isLeftOver({ id, ending, names }: Beside): boolean {
  if (ending === "seg") return false;
  if (ending === "idx" || ending === "lock") return !names.has(`${id}.seg`);
  if (ending.startsWith("lock.after-")) return !names.has(`${id}.lock`);
  return ending.startsWith("idx.") || ending.startsWith("lock.by-");
}

function isOfNobody({ disk, processes }: Omit<LockGround, "clock">, path: string, ending: string): boolean {
  if (ending.startsWith("idx")) return true;
  // A ticket may be unreadable because it is just being written; a lock never is.
  const takeOver = ending === "lock" ? "unreadable" : "no";
  const owner = ownerOf(disk, path);
  return owner !== undefined && mayReplace({ processes, takeOver }, owner);
}
