import type { DurableFolders } from "../../../disk/durable-files.ts";
import { endToGoOnFrom } from "../format/settled.ts";
import type { Segment } from "../segment.ts";
import { newSegmentId } from "../segment-places.ts";
import { LiveSegment } from "./live-segment.ts";
import { type LockGround, type SegmentLock, sweepSegments, trySegmentLock } from "./segment-lock.ts";

export interface WritingGround extends LockGround {
  readonly folder: string;
  readonly folders: DurableFolders;
  readonly segmentBytes: number;
}

/**
 * Goes on with a segment that nobody writes to, so that a thousand short programs do not leave a thousand
 * segments. Whatever cannot be gone on with is left as it is.
 */
export function goOnWriting(ground: WritingGround, segments: readonly Segment[]): LiveSegment | undefined {
  for (const segment of segments) {
    // One that is full is only of interest when its writer may have died.
    if (segment.lock === "free" && segment.size >= ground.segmentBytes) continue;
    const live = tryToGoOn(ground, segment);
    if (live === undefined) continue;
    if (live.end < ground.segmentBytes) return live;
    finish(live);
  }
  return undefined;
}

/** The last thing done to a segment that is full. Fails without a word: everything in it is durable already. */
export function finish(live: LiveSegment): void {
  live.segment.writeIndex("always");
  try {
    live.release();
  } catch {
    // The lock stays until this process ends; then whoever comes by takes it.
  }
}

function tryToGoOn(ground: WritingGround, segment: Segment): LiveSegment | undefined {
  let lock: SegmentLock | undefined;
  try {
    lock = trySegmentLock(ground, segment.places.lock);
    return lock === undefined ? undefined : goOn(ground, segment, lock);
  } catch {
    // Nobody has to write to this one. A dead writer's lock is kept: what it guards is not known to be durable.
    if (lock?.takenFrom === "nobody") releaseQuietly(lock);
    return undefined;
  }
}

function goOn(ground: WritingGround, segment: Segment, lock: SegmentLock): LiveSegment | undefined {
  const { disk, folder } = ground;
  const { stretches, range } = segment.unsettled();
  const end = segment.isOurFormat() ? endToGoOnFrom(stretches, range) : undefined;
  const isOfDead = lock.takenFrom === "dead";
  // The dead may have written what they did not sync. Others trust what is in a segment that nobody holds.
  if (isOfDead || (end !== undefined && end < range.to)) {
    makeDurable(ground, segment, end === undefined || end === range.to ? undefined : end);
  }
  if (isOfDead) disk.syncFolder(folder);
  if (end === undefined) {
    // The dead one's lock stays, in our name: it says that the last batch was never finished, until gc copies what is whole.
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

/** Syncs a segment that somebody else has written, cut at a place if one is given. */
export function makeDurable({ disk }: LockGround, segment: Segment, cutAt?: number): void {
  const file = disk.open(segment.places.segment, "append");
  try {
    if (cutAt !== undefined) disk.truncate(file, cutAt);
    disk.sync(file);
  } finally {
    disk.close(file);
  }
}

/** Begins a segment. Throws when it cannot. */
export function beginWriting(ground: WritingGround, segmentOf: (id: string) => Segment): LiveSegment {
  const { disk, clock, folder, folders } = ground;
  folders.make(folder);
  sweepQuietly(ground);
  const segment = segmentOf(newSegmentId(clock));
  const lock = trySegmentLock(ground, segment.places.lock);
  if (lock === undefined) throw new Error(`The name of the segment ${segment.id} is taken.`);
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
    // Swept up, or taken, when this process has ended.
  }
}

function sweepQuietly(ground: WritingGround): void {
  try {
    sweepSegments(ground, ground.folder);
  } catch {
    // What is left over is in nobody's way.
  }
}
