import { join } from "node:path";
import type { Disk } from "../../disk/disk.ts";
import type { DurableFolders } from "../../disk/durable-files.ts";
import { namesIn, removeFile, tryToRemove, writeAll } from "../../disk/durable-files.ts";
import type { LockContext } from "../../disk/lock.ts";
import { mayReplace, ownerOf, tryLock } from "../../disk/lock.ts";
import { newOwner } from "../../disk/lock-owner.ts";
import type { Segment } from "./segment.ts";
import { endToGoOnFrom, newSegmentId, SEGMENT_MAGIC } from "./segment-format.ts";

interface LiveOptions {
  readonly disk: Disk;
  readonly segment: Segment;
  readonly lock: SegmentLock;
  /** The position after the last acknowledged record. */
  readonly end: number;
  /** Makes the segment's name durable. */
  readonly syncName: () => void;
  readonly name: "durable" | "new";
}

/**
 * The segment that a store appends to, with the position where acknowledged data ends. A failed batch leaves no trace,
 * because the file is truncated to the acknowledged end. If truncating fails, the file is opened again and truncated
 * before anything else is written. The same applies if a sync fails, because the kernel may then have silently dropped
 * the bytes.
 */
export class LiveSegment {
  readonly segment: Segment;
  readonly #disk: Disk;
  readonly #lock: SegmentLock;
  readonly #syncName: () => void;
  #end: number;
  #file: number | undefined;
  /** Whether bytes from a failed batch may follow the acknowledged end. */
  #state: "sound" | "to-cut-back" = "sound";
  #isNameDurable: boolean;

  constructor({ disk, segment, lock, end, syncName, name }: LiveOptions) {
    this.#disk = disk;
    this.segment = segment;
    this.#lock = lock;
    this.#end = end;
    this.#syncName = syncName;
    this.#isNameDurable = name === "durable";
  }

  get end(): number {
    return this.#end;
  }

  /**
   * Appends the bytes with one write and one sync. Returns the position of the first byte. Throws if the bytes are not
   * durable.
   */
  append(bytes: Buffer): number {
    if (!this.#isNameDurable) {
      this.#syncName();
      this.#isNameDurable = true;
    }
    const file = this.#open();
    const start = this.#end === 0 ? SEGMENT_MAGIC.length : this.#end;
    try {
      writeAll(this.#disk, file, this.#end === 0 ? Buffer.concat([SEGMENT_MAGIC, bytes]) : bytes);
      this.#disk.sync(file);
    } catch (error) {
      this.#cutBack(file);
      throw error;
    }
    this.#end = start + bytes.length;
    return start;
  }

  /**
   * Removes what a failed batch left behind, and then allows other processes to append to the segment. If this call
   * throws, the caller can repeat it.
   */
  release(): void {
    if (this.#state === "to-cut-back") this.#open();
    this.#close();
    this.#lock.release();
    this.segment.disown();
  }

  #open(): number {
    if (this.#file !== undefined) return this.#file;
    const file = this.#disk.open(this.segment.places.segment, "append");
    try {
      if (this.#state === "to-cut-back") {
        this.#disk.truncate(file, this.#end);
        this.#disk.sync(file);
      }
    } catch (error) {
      this.#disk.close(file);
      throw error;
    }
    this.#state = "sound";
    this.#file = file;
    return file;
  }

  #close(): void {
    if (this.#file === undefined) return;
    const file = this.#file;
    this.#file = undefined;
    this.#disk.close(file);
  }

  #cutBack(file: number): void {
    this.#state = "to-cut-back";
    this.#file = undefined;
    try {
      try {
        this.#disk.truncate(file, this.#end);
      } finally {
        this.#disk.close(file);
      }
    } catch {
      // The file is truncated again before the next batch is written. The caller receives the first error.
    }
  }
}

export interface WritingContext extends LockContext {
  readonly folder: string;
  readonly folders: DurableFolders;
  readonly segmentBytes: number;
}

/**
 * Resumes writing to a segment that has no writer. Otherwise, a thousand short-lived programs would leave a thousand
 * segments behind. Does not change a segment that cannot be appended to.
 */
export function resumeWriting(
  context: WritingContext,
  segments: readonly Segment[],
): LiveSegment | undefined {
  for (const segment of segments) {
    // A full segment must be examined only if its writer may have died.
    if (segment.lock === "free" && segment.size >= context.segmentBytes) continue;
    const live = tryToGoOn(context, segment);
    if (live === undefined) continue;
    if (live.end < context.segmentBytes) return live;
    finish(live);
  }
  return undefined;
}

/**
 * Writes the index of a full segment and releases the segment. Ignores failures, because everything in the segment is
 * already durable.
 */
export function finish(live: LiveSegment): void {
  live.segment.writeIndex("always");
  try {
    live.release();
  } catch {
    // The lock remains until this process ends. After that, any other process can take over the lock.
  }
}

function tryToGoOn(context: WritingContext, segment: Segment): LiveSegment | undefined {
  let lock: SegmentLock | undefined;
  try {
    lock = trySegmentLock(context, segment.places.lock);
    return lock === undefined ? undefined : continueSegment(context, segment, lock);
  } catch {
    // The error is ignored, because another segment can be used instead. The lock of a dead writer is kept, because the
    // data that it protects may not be durable.
    if (lock?.takenFrom === "nobody") releaseQuietly(lock);
    return undefined;
  }
}

function continueSegment(
  context: WritingContext,
  segment: Segment,
  lock: SegmentLock,
): LiveSegment | undefined {
  const { disk, folder } = context;
  const { stretches, range } = segment.unsettled();
  const end = segment.isOurFormat() ? endToGoOnFrom(stretches, range) : undefined;
  const isOfDead = lock.takenFrom === "dead";
  // A dead writer may have written data without syncing it, and other processes trust the data in a segment without a
  // holder.
  if (isOfDead || (end !== undefined && end < range.to)) {
    makeDurable(context, segment, end === undefined || end === range.to ? undefined : end);
  }
  if (isOfDead) disk.syncFolder(folder);
  if (end === undefined) {
    // If the writer is dead, its lock is kept, but this process is now the owner. Until gc copies everything that is
    // intact, the lock shows that the last batch was never finished.
    if (!isOfDead) lock.release();
    return undefined;
  }
  segment.own(end, stretches);
  return new LiveSegment({
    disk,
    segment,
    lock,
    end,
    name: "durable",
    syncName: () => disk.syncFolder(folder),
  });
}

/**
 * Syncs a segment that another process has written. If a position is given, first truncates the segment at that
 * position.
 */
export function makeDurable({ disk }: LockContext, segment: Segment, cutAt?: number): void {
  const file = disk.open(segment.places.segment, "append");
  try {
    if (cutAt !== undefined) disk.truncate(file, cutAt);
    disk.sync(file);
  } finally {
    disk.close(file);
  }
}

/** Starts a new segment. Throws if the segment cannot be created. */
export function beginWriting(context: WritingContext, segmentOf: (id: string) => Segment): LiveSegment {
  const { disk, clock, folder, folders } = context;
  folders.make(folder);
  sweepQuietly(context);
  const segment = segmentOf(newSegmentId(clock));
  const lock = trySegmentLock(context, segment.places.lock);
  if (lock === undefined) throw new Error(`The segment name ${segment.id} is already in use.`);
  try {
    disk.close(disk.open(segment.places.segment, "create"));
  } catch (error) {
    releaseQuietly(lock);
    throw error;
  }
  segment.own(0, []);
  return new LiveSegment({
    disk,
    segment,
    lock,
    end: 0,
    name: "new",
    syncName: () => disk.syncFolder(folder),
  });
}

function releaseQuietly(lock: SegmentLock): void {
  try {
    lock.release();
  } catch {
    // Another process will remove or take over the lock when this process has ended.
  }
}

function sweepQuietly(context: WritingContext): void {
  try {
    sweepSegments(context, context.folder);
  } catch {
    // The error is ignored, because a leftover file is harmless.
  }
}

interface SegmentLock {
  /** "dead" means that the writer of the segment has died and may have left torn data. */
  readonly takenFrom: "dead" | "nobody";
  release(): void;
}

/**
 * Allows a lock without content to be taken over. Such a lock was torn by a power loss: a living owner writes its lock
 * completely before giving it its name. A lock therefore need not be synced when it is written.
 */
const REPLACED = { takeOver: "unreadable" } as const;

/** Tries once to become the writer of a segment. Returns undefined if another process is the writer. */
export function trySegmentLock(
  { disk, clock, processes }: LockContext,
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
 * Removes files that dead processes left next to segments: tickets, locks, and indexes without a segment. A process
 * that is still running can lose only a cache. The guard of an existing lock is kept, because it may still be needed.
 */
export function sweepSegments({ disk, processes }: LockContext, folder: string): void {
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

function isOfNobody({ disk, processes }: Omit<LockContext, "clock">, path: string, ending: string): boolean {
  if (ending.startsWith("idx")) return true;
  // A ticket may be unreadable because it is being written. A lock is never unreadable for that reason.
  const takeOver = ending === "lock" ? "unreadable" : "no";
  const owner = ownerOf(disk, path);
  return owner !== undefined && mayReplace({ processes, takeOver }, owner);
}
