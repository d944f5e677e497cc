import type { Owner, TakeOver } from "../../ports/lease.ts";
import { type Disk, errnoOf, isMissing } from "../disk.ts";
import { readWhole, tryToRemove } from "../durable-files.ts";
import { isUnreadable, lifeOf, readOwner } from "./owner.ts";
import type { Processes } from "./processes.ts";

/** What came of trying to get a lock. */
export type Attempt =
  | { readonly got: "lock"; readonly takenFrom?: Owner }
  | { readonly got: "nothing"; readonly owner: Owner }
  /** The lock changed while we looked. */
  | { readonly got: "changed" };

export interface LockTry {
  readonly disk: Disk;
  readonly processes: Processes;
  readonly lock: string;
  /** A file of ours that holds our owner: linked, content and name appear together. */
  readonly ticket: string;
  readonly takeOver: TakeOver;
}

/**
 * Tries once to get the lock.
 *
 * A free lock is got by linking our ticket to its name, which the file system grants to one.
 *
 * A dead owner's lock must be replaced, and a file's name can be replaced by anybody who
 * thinks that its owner is dead. So whoever wants to replace the lock of the dead token D
 * first links its ticket to `lock.after-D`; that, again, is granted to one. Having it, it
 * reads the lock once more. Tokens are never used twice: if the lock is still D's, nobody
 * has replaced it, and nobody but the holder of the guard may; if it is not, D is gone for
 * ever, and the guard means nothing any more and is removed.
 *
 * If the guard's holder G died too, the right to act in its place is got in the same way, by
 * linking to `lock.after-G`, and so on along the chain. A guard is only removed by its own
 * holder, or by the lock's new owner after D is gone; so while the lock is D's, the chain
 * stays as it was read, and its end belongs to one living process.
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
    // A living holder is about to replace the lock, or to find that it need not.
    if (!mayReplace(attempt, holder)) return { got: "nothing", owner: holder };
    chain.push(holder);
  }
}

/** The guard is ours. It is removed last, so that nobody acts between the look and the rename. */
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

/** Whether the lock is still the first one's, and each guard still that of the next. */
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

/** Who took the lock over from an owner that may live. That is never undone: not even a free lock is that owner's again. */
export function takerFrom(disk: Disk, lock: string, { token }: Owner): Owner | undefined {
  return ownerOf(disk, takenOf(lock, token));
}

/** Undefined when there is no such file. */
export function ownerOf(disk: Disk, path: string): Owner | undefined {
  try {
    return readOwner(readWhole(disk, path));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Whether the name was free, and is now a name of `from`. */
function linkOnce(disk: Disk, from: string, to: string): boolean {
  try {
    disk.link(from, to);
    return true;
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return false;
    throw error;
  }
}
