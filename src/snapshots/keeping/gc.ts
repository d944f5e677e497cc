import { isWorldlineError, type WorldlineError } from "../../record/error.ts";
import type { ObjectHash, SnapshotId } from "../../record/ids.ts";
import { asSnapshotId } from "../objects/tree-objects.ts";
import type { SegmentInfo } from "../segments/segment-store.ts";
import {
  type Enter,
  isDamage,
  type KeptStore,
  type ObjectTable,
  type ReachContext,
  reachContent,
  reachFrom,
  reachFromFolder,
  tableOf,
} from "./object-table.ts";
import { byAge, bySession, nameOf, type Ref } from "./ref.ts";
import type { RefDamage, Refs } from "./refs.ts";

export interface GcContext {
  readonly store: KeptStore;
  readonly refs: Refs;
  /** Notifies other processes that objects they remember may no longer exist in the store. */
  readonly announce: () => void;
  /** Throws if another owner has acquired the store's lease, so that gc stops removing data. */
  readonly requireLease?: () => void;
}

export interface GcRequest {
  readonly retention: Retention;
  /** The store's size limit. If the store is larger, gc also releases snapshots that references keep. */
  readonly maxBytes: number;
  /**
   * Data that is in use without a reference: root folders that manifests refer to, and contents that unfinished
   * restores have yet to write.
   */
  readonly inUse?: { readonly folders: readonly ObjectHash[]; readonly contents: readonly ObjectHash[] };
  /**
   * What to do with a snapshot whose objects are unknown because the snapshot cannot be walked. With "keep", the
   * default, everything that is left of the snapshot is kept. Objects that are not part of any other snapshot are kept
   * as well, because they may be part of this snapshot. With "release", the snapshot is released.
   */
  readonly damaged?: "keep" | "release";
  readonly onProgress?: (done: number, of: number) => void;
}

/**
 * A gc that has been planned but not performed. The plan is valid only as long as the caller holds the lease under
 * which the plan was made.
 */
export interface GcPlan {
  /** The references to release, oldest first. Files from their checkpoints and journeys will no longer be available. */
  readonly release: readonly Ref[];
  /** Number of objects that will be removed, and the space that their removal frees. */
  readonly objects: number;
  readonly freedBytes: number;
  readonly storedBytes: number;
  /**
   * Whether the store will be within its limit after the gc. The data that must be kept may already exceed the limit.
   */
  readonly fits: "yes" | "no";
  /** Damaged lines in the files that contain references. Any snapshot that such a line may refer to is kept. */
  readonly refDamage: readonly RefDamage[];
  /** Snapshots that cannot be walked but are kept anyway. */
  readonly damaged: readonly DamagedSnapshot[];
  readonly segments: readonly SegmentInfo[];
  readonly isKept: (hash: ObjectHash) => boolean;
}

interface DamagedSnapshot {
  readonly snapshot: SnapshotId;
  /** The `session:checkpoint` names of all references to the snapshot. */
  readonly names: readonly string[];
  /** The reason in English, for scripts, rendered from the code in `reason` and the parameters in `params`. */
  readonly why: string;
  readonly reason: string;
  readonly params: unknown;
}

/**
 * Fraction of a segment. If at least this fraction is in use, rewriting the segment is not worthwhile unless the store
 * is over its limit.
 */
const LIVE_ENOUGH = 0.7;
const KEPT = 1;

/**
 * Plans what to remove, without changing anything. The caller must hold the store's lease exclusively until `performGc`
 * has ended.
 */
export function planGc({ store, refs }: Pick<GcContext, "store" | "refs">, request: GcRequest): GcPlan {
  const all = refs.all();
  const refDamage = refs.damage();
  const marking: MarkContext = { store, table: tableOf(store), damaged: new Map(), request };
  const { kept, candidates } = sortOut(all, request.retention);
  markInUse(marking, refDamage);
  const bytes = markAll(marking, kept, candidates);
  const { released: old, lastMark } = letGo(candidates, bytes, request.maxBytes);
  const released = new Set([...old, ...(request.damaged === "release" ? marking.damaged.keys() : [])]);
  const damaged = damagedIn(marking, all, released);
  if (damaged.length > 0) markUnreferenced(marking, candidates);
  const isKept = keeping(marking, {
    lastMark,
    released,
    unreached: damaged.length > 0 ? "may-be-needed" : "unneeded",
  });
  const storedBytes = bytesIn(store);
  const swept = sweepOf(store, isKept, storedBytes > request.maxBytes ? "all" : "worthwhile");
  return {
    ...swept,
    release: all.filter(({ snapshot }) => released.has(snapshot)).sort(byAge),
    storedBytes,
    fits: storedBytes - swept.freedBytes <= request.maxBytes ? "yes" : "no",
    refDamage,
    damaged,
    isKept,
  };
}

export interface GcResult {
  readonly released: readonly Ref[];
  /**
   * Number of bytes that were freed. The number is lower than planned if a running program holds a segment, because
   * that segment is then left for the next gc.
   */
  readonly freedBytes: number;
}

/**
 * Performs the plan. First removes the references durably. A crash after that leaves unreferenced objects, but never a
 * reference to a missing object. Then rewrites the segments one after another, so that little extra space is needed. If
 * the copies from a segment do not fit on the disk, the segment is rewritten after the other segments have freed space.
 */
export function performGc(context: GcContext, plan: GcPlan, onProgress?: GcRequest["onProgress"]): GcResult {
  const { store, refs, announce, requireLease = () => undefined } = context;
  const before = bytesIn(store);
  requireLease();
  refs.release(plan.release);
  if (plan.segments.length > 0) announce();
  let done = 0;
  const rewrite = ({ id }: SegmentInfo): void => {
    requireLease();
    store.rewrite(id, plan.isKept);
    done += 1;
    onProgress?.(done, plan.segments.length);
  };
  const waiting = plan.segments.filter((segment) => {
    try {
      rewrite(segment);
      return false;
    } catch (error) {
      if (!isWorldlineError(error, "STORE_FULL")) throw error;
      return true;
    }
  });
  for (const segment of waiting) rewrite(segment);
  return { released: plan.release, freedBytes: before - bytesIn(store) };
}

interface MarkContext extends ReachContext {
  readonly store: KeptStore;
  readonly request: GcRequest;
  /** Snapshots that cannot be walked, each with the error. */
  readonly damaged: Map<SnapshotId, WorldlineError>;
}

interface SortedOut {
  readonly kept: ReadonlySet<SnapshotId>;
  /** Snapshots that may be released, newest first. A snapshot is as old as its newest reference. */
  readonly candidates: readonly SnapshotId[];
}

/** Sorts the references by snapshot, because nothing is freed until the last reference to a snapshot is released. */
function sortOut(refs: readonly Ref[], retention: Retention): SortedOut {
  const releasable = chooseToRelease(refs, retention);
  const isReleasable = new Set(releasable);
  const kept = new Set(refs.filter((ref) => !isReleasable.has(ref)).map(({ snapshot }) => snapshot));
  const others = releasable.map(({ snapshot }) => snapshot).filter((snapshot) => !kept.has(snapshot));
  return { kept, candidates: [...new Set(others.reverse())] };
}

function markInUse(marking: MarkContext, refDamage: readonly RefDamage[]): void {
  const enter = entering(marking.table, KEPT);
  const { folders, contents } = marking.request.inUse ?? { folders: [], contents: [] };
  for (const hash of contents) reachContent(marking, hash, enter);
  for (const hash of folders) passingDamage(() => reachFromFolder(marking, hash, enter));
  for (const snapshot of refDamage.flatMap(({ snapshots }) => snapshots)) {
    passingDamage(() => reachFrom(marking, snapshot, enter));
  }
}

/**
 * Marks the objects that are kept, and then the additional objects that each candidate needs, newest candidate first.
 * Candidates are released oldest first, so an object is freed together with the newest candidate that reaches it.
 * Candidates are marked newest first, so the walk reaches each object from that candidate first. A single walk
 * therefore shows how much each release frees. Returns the number of bytes that are kept, followed by the number of
 * bytes for each candidate.
 */
function markAll(
  marking: MarkContext,
  kept: ReadonlySet<SnapshotId>,
  candidates: readonly SnapshotId[],
): number[] {
  const { table, request } = marking;
  const of = kept.size + candidates.length;
  let done = 0;
  const walk = (snapshot: SnapshotId, mark: number): void => {
    try {
      reachFrom(marking, snapshot, entering(table, mark));
    } catch (error) {
      if (!isDamage(error)) throw error;
      marking.damaged.set(snapshot, error);
    }
    done += 1;
    request.onProgress?.(done, of);
  };
  for (const snapshot of kept) walk(snapshot, KEPT);
  for (const [at, snapshot] of candidates.entries()) walk(snapshot, KEPT + 1 + at);
  const bytes = new Array<number>(candidates.length + 1).fill(0);
  for (let object = 0; object < table.size; object += 1) {
    const mark = table.markOf(object);
    if (mark !== 0) bytes[mark - KEPT] = (bytes[mark - KEPT] ?? 0) + table.bytesOf(object);
  }
  return bytes;
}

function entering(table: ObjectTable, mark: number): Enter {
  return (object) => {
    if (table.markOf(object) !== 0) return "stop";
    table.mark(object, mark);
    return "descend";
  };
}

/**
 * Releases candidates, oldest first, until the remaining data fits within the limit. `lastMark` is the mark of the last
 * candidate that is kept.
 */
function letGo(
  candidates: readonly SnapshotId[],
  bytes: readonly number[],
  maxBytes: number,
): { readonly released: ReadonlySet<SnapshotId>; readonly lastMark: number } {
  let live = sum(bytes);
  let left = candidates.length;
  while (left > 0 && live > maxBytes) {
    live -= bytes[left] ?? 0;
    left -= 1;
  }
  return { released: new Set(candidates.slice(left)), lastMark: KEPT + left };
}

interface KeepDecision {
  readonly lastMark: number;
  readonly released: ReadonlySet<SnapshotId>;
  /** How to treat objects that cannot be reached from any snapshot. */
  readonly unreached: "unneeded" | "may-be-needed";
}

function keeping(
  { table, damaged }: MarkContext,
  { lastMark, released, unreached }: KeepDecision,
): GcPlan["isKept"] {
  return (hash) => {
    const object = table.find(hash);
    // The object was written after the plan was made, so it must be kept.
    if (object === undefined) return true;
    const mark = table.markOf(object);
    if (mark === 0) return unreached === "may-be-needed";
    const id = asSnapshotId(hash);
    // If a damaged snapshot is released, the objects that could be reached from it may have marks.
    return mark <= lastMark && !(damaged.has(id) && released.has(id));
  };
}

/**
 * Chooses the segments to rewrite. A segment with a snapshot object that will be removed is always included and comes
 * first. Otherwise, the snapshot could look restorable after its other objects have been removed.
 */
function sweepOf(
  store: KeptStore,
  isKept: GcPlan["isKept"],
  which: "all" | "worthwhile",
): { readonly segments: readonly SegmentInfo[]; readonly objects: number; readonly freedBytes: number } {
  const sweeps = store.segments().map((segment) => {
    let [objects, dead, snapshots] = [0, 0, 0];
    store.each(segment.id, ({ hash, kind, storedBytes }) => {
      if (isKept(hash)) return;
      objects += 1;
      dead += storedBytes;
      if (kind === "snapshot") snapshots += 1;
    });
    return { segment, objects, dead, snapshots };
  });
  const chosen = sweeps.filter(({ segment, dead, snapshots }) => {
    if (dead === 0) return false;
    return which === "all" || snapshots > 0 || (segment.bytes - dead) / segment.bytes < LIVE_ENOUGH;
  });
  // Segments with little data to copy come next, because they free space for the copies from the other segments.
  const copied = ({ segment, dead }: (typeof sweeps)[number]): number => segment.bytes - dead;
  chosen.sort((a, b) => Math.sign(b.snapshots) - Math.sign(a.snapshots) || copied(a) - copied(b));
  return {
    segments: chosen.map(({ segment }) => segment),
    objects: sum(chosen.map(({ objects }) => objects)),
    freedBytes: sum(chosen.map(({ dead }) => dead)),
  };
}

function damagedIn(
  { damaged }: MarkContext,
  refs: readonly Ref[],
  released: ReadonlySet<SnapshotId>,
): DamagedSnapshot[] {
  return [...damaged]
    .filter(([snapshot]) => !released.has(snapshot))
    .map(([snapshot, { message, reason, params }]) => ({
      snapshot,
      names: refs.filter((ref) => ref.snapshot === snapshot).map(nameOf),
      why: message,
      reason,
      params,
    }));
}

/**
 * Marks everything that can be reached from unreferenced snapshots. It is unknown which objects a damaged snapshot
 * needs, so only objects that are known to be part of other snapshots may be removed. Any object that still does not
 * have a mark may be part of the damaged snapshot.
 */
function markUnreferenced(marking: MarkContext, candidates: readonly SnapshotId[]): void {
  const { store, table } = marking;
  const unreferenced: SnapshotId[] = [];
  for (const { id } of store.segments()) {
    store.each(id, ({ hash, kind }) => {
      const object = table.find(hash);
      if (kind === "snapshot" && object !== undefined && table.markOf(object) === 0)
        unreferenced.push(asSnapshotId(hash));
    });
  }
  const enter = entering(table, KEPT + 1 + candidates.length);
  for (const snapshot of unreferenced) passingDamage(() => reachFrom(marking, snapshot, enter));
}

/**
 * Walks data and keeps its undamaged parts. Damage is ignored, because the data is only a cache or may not be a
 * snapshot at all.
 */
function passingDamage(walk: () => void): void {
  try {
    walk();
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
}

function bytesIn(store: KeptStore): number {
  return sum(store.segments().map(({ bytes }) => bytes));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

export interface Retention {
  /** Number of newest prompt checkpoints that are kept for each session. */
  readonly keepCount: number;
  /**
   * Number of newest journeys in each session for which both the state before and the state after the journey are kept.
   */
  readonly keepJourneys: number;
}

/**
 * Returns the references that may be released when space runs short, oldest first. Each session keeps its references to
 * its newest prompt checkpoints, to all labeled checkpoints, and to both ends of its newest journeys. It also keeps its
 * newest reference of any kind. In a session without prompts, manual checkpoints count instead of prompt checkpoints.
 */
export function chooseToRelease(refs: readonly Ref[], retention: Retention): Ref[] {
  return [...bySession(refs).values()].flatMap((own) => releasable(own, retention)).sort(byAge);
}

function releasable(refs: readonly Ref[], { keepCount, keepJourneys }: Retention): Ref[] {
  const newestFirst = refs.toSorted(byAge).reverse();
  const counted = newestFirst.some((ref) => isOn(ref, "prompt")) ? "prompt" : "manual";
  const checkpoints = newestFirst.flatMap(({ keptFor }) => ("checkpoint" in keptFor ? [keptFor] : []));
  const numbers = new Set(checkpoints.filter(({ on }) => on === counted).map(({ checkpoint }) => checkpoint));
  const keptNumbers = new Set([...numbers].slice(0, keepCount));
  const kept = new Set<Ref>([
    ...newestFirst.slice(0, 1),
    ...newestFirst.filter((ref) => isJourney(ref, "left")).slice(0, keepJourneys),
    ...newestFirst.filter((ref) => isJourney(ref, "reached")).slice(0, keepJourneys),
    ...newestFirst.filter(({ keptFor }) => "checkpoint" in keptFor && keptNumbers.has(keptFor.checkpoint)),
    ...newestFirst.filter(({ keptFor }) => "checkpoint" in keptFor && keptFor.label !== undefined),
  ]);
  return refs.filter((ref) => !kept.has(ref));
}

function isOn({ keptFor }: Ref, on: "prompt" | "manual"): boolean {
  return "checkpoint" in keptFor && keptFor.on === on;
}

function isJourney({ keptFor }: Ref, end: "left" | "reached"): boolean {
  return "journey" in keptFor && keptFor.journey === end;
}
