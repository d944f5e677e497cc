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
  /** Tells other processes that what they remember of the store may be gone. */
  readonly announce: () => void;
  /** Throws if the store's lease is another's by now: then nothing more may be removed. */
  readonly requireLease?: () => void;
}

export interface GcRequest {
  readonly retention: Retention;
  /** Over this, more is let go than what nothing refers to. */
  readonly maxBytes: number;
  /** What is in use without a reference: the root folders that manifests name, and contents that journals are to write. */
  readonly inUse?: { readonly folders: readonly ObjectHash[]; readonly contents: readonly ObjectHash[] };
  /**
   * What to do with a snapshot that cannot be walked, and so does not say all that it needs. "keep", as usual: what is
   * left of it stays, and so does what no other snapshot has, which may be its own. "release": it is let go.
   */
  readonly damaged?: "keep" | "release";
  readonly onProgress?: (done: number, of: number) => void;
}

/** A gc, decided but not done. True only as long as the lease under which it was made is held. */
export interface GcPlan {
  /** These checkpoints and journeys will no longer have files. Oldest first. */
  readonly release: readonly Ref[];
  /** How many objects go, and what room that makes. */
  readonly objects: number;
  readonly freedBytes: number;
  readonly storedBytes: number;
  /** Whether the store is within the limit then: what must be kept may be too much by itself. */
  readonly fits: "yes" | "no";
  /** Lines of references that cannot be read; what they may have meant is kept. */
  readonly refDamage: readonly RefDamage[];
  /** Snapshots that cannot be walked, and stay all the same. */
  readonly damaged: readonly DamagedSnapshot[];
  readonly segments: readonly SegmentInfo[];
  readonly isKept: (hash: ObjectHash) => boolean;
}

interface DamagedSnapshot {
  readonly snapshot: SnapshotId;
  /** `session:checkpoint` of each that refers to it. */
  readonly names: readonly string[];
  /** In English, for scripts; `reason` and `params` are what it was made from. */
  readonly why: string;
  readonly reason: string;
  readonly params: unknown;
}

/** A segment of which this much is in use is not worth rewriting, unless room is short. */
const LIVE_ENOUGH = 0.7;
const KEPT = 1;

/** Decides what goes. Changes nothing. The caller has the store's lease alone, up to the end of `performGc`. */
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
  /** Less than was planned where a program that stays open holds a segment: that one is left for the next time. */
  readonly freedBytes: number;
}

/**
 * Does what was decided. The references go first, durably: a crash in between leaves objects that nothing refers to,
 * and never a reference to what is gone. Then one segment after the other, so that little extra space is needed. One whose copies do
 * not fit on the disk waits until the others have made room.
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
  /** Those that cannot be walked, and why. */
  readonly damaged: Map<SnapshotId, WorldlineError>;
}

interface SortedOut {
  readonly kept: ReadonlySet<SnapshotId>;
  /** Those that may be let go, newest first. One is as old as the newest that refers to it. */
  readonly candidates: readonly SnapshotId[];
}

/** By snapshots, since nothing is freed until the last that refers to one has let go. */
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
 * Marks what is kept, then what each candidate reaches beyond that, newest first. As they are let go oldest first, an
 * object goes with the newest candidate that reaches it, which is the first one here; so one walk over everything
 * says what each frees. Returns the bytes of what is kept, and then those of each candidate.
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

/** From the oldest candidate on, until what is left fits. `lastMark` is the last one that stays. */
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
  /** What becomes of objects that no snapshot reaches. */
  readonly unreached: "unneeded" | "may-be-needed";
}

function keeping(
  { table, damaged }: MarkContext,
  { lastMark, released, unreached }: KeepDecision,
): GcPlan["isKept"] {
  return (hash) => {
    const object = table.find(hash);
    // What was written since is none of ours.
    if (object === undefined) return true;
    const mark = table.markOf(object);
    if (mark === 0) return unreached === "may-be-needed";
    const id = asSnapshotId(hash);
    // One that is let go because it is damaged may be marked by what could be walked of it.
    return mark <= lastMark && !(damaged.has(id) && released.has(id));
  };
}

interface Sweep {
  readonly segments: readonly SegmentInfo[];
  readonly objects: number;
  readonly freedBytes: number;
}

/**
 * Which segments to rewrite. One that holds a snapshot that goes always is, and first: what is there of it must not
 * pass for a snapshot that can be restored.
 */
function sweepOf(store: KeptStore, isKept: GcPlan["isKept"], which: "all" | "worthwhile"): Sweep {
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
  // Then those of which the least is to be copied: they make room for the copies of the others.
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
 * What a damaged snapshot needs is not known, so only what is known to be of others may go: marks what the
 * snapshots reach that nothing refers to. What is unmarked then may be the damaged one's.
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

/** For what is only a cache, or perhaps no snapshot at all: as much is kept of it as there is. */
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
  /** How many of a session's prompt checkpoints are kept, the newest ones. */
  readonly keepCount: number;
  /** How many of a session's journeys keep what they left and what they led to. */
  readonly keepJourneys: number;
}

/**
 * What may be let go when room gets short, oldest first. Kept are the newest prompt checkpoints of each session, every
 * label, both ends of the last journeys, and the newest of each session whatever it is. In a session without prompts
 * the user's own checkpoints count instead.
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
