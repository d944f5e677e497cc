import { dirname, join } from "node:path";
import { writeError } from "../disk/disk.ts";
import { namesIn, Reserve, tryToRemove } from "../disk/durable-files.ts";
import type { LockLease } from "../disk/lock.ts";
import type { TakeOver } from "../ports/lease.ts";
import { isWorldlineError, WorldlineError } from "../record/error.ts";
import type { ObjectHash, SessionId } from "../record/ids.ts";
import type { SnapshotContext } from "./context.ts";
import { eraseObjects, ForgottenContents, type FoundContents, findContents } from "./keeping/forgotten.ts";
import {
  type GcContext,
  type GcPlan,
  type GcRequest,
  type GcResult,
  performGc,
  planGc,
} from "./keeping/gc.ts";
import { inUse, sweepLeftovers } from "./keeping/in-use.ts";
import { keyOf } from "./keeping/ref.ts";
import type { LabelText } from "./keeping/refs.ts";
import { GcRuns } from "./keeping/refs.ts";
import { acquireExclusive, acquireShared } from "./keeping/shared-lease.ts";
import { measureUsage, type Usage } from "./keeping/usage.ts";
import { type VerifiedStore, type VerifyProgress, verifyStore } from "./keeping/verify.ts";

export interface UpkeepOptions {
  readonly name: string;
  readonly waitMs: number;
  readonly takeOver?: TakeOver;
}

export interface CollectedGarbage extends GcResult {
  /** Workspaces that no longer exist and whose data was removed. */
  readonly swept: readonly string[];
  /**
   * The error that prevented leftover files next to the objects from being removed. The next gc tries again to remove
   * them.
   */
  readonly unswept?: WorldlineError;
}

/**
 * Maintains the whole store: measures and verifies it, and removes data that is no longer needed. Each call acquires
 * the lease that it needs.
 */
export class SnapshotUpkeep {
  readonly #context: SnapshotContext;
  readonly #options: UpkeepOptions;
  readonly #forgotten: ForgottenContents;
  readonly #reserve: Reserve;

  constructor(context: SnapshotContext, options: UpkeepOptions) {
    this.#context = context;
    this.#options = options;
    this.#forgotten = new ForgottenContents(context.disk, context.places.root);
    const { disk, clock, places } = context;
    this.#reserve = new Reserve({ disk, clock, home: dirname(places.root) });
  }

  /** Returns the total size of all segments. Does not read the objects in the segments. */
  storedBytes(): number {
    return this.#context.objects.storedBytes();
  }

  async usage(): Promise<Usage> {
    const { objects, refs } = this.#context;
    return this.#shared(() => measureUsage(objects, refs));
  }

  async verify(onProgress?: (progress: VerifyProgress) => void): Promise<VerifiedStore> {
    const { objects, refs } = this.#context;
    return this.#shared(() => verifyStore({ store: objects, refs, forgotten: this.#forgotten }, onProgress));
  }

  /**
   * Plans a gc, asks the user to confirm it, and performs it if the answer is yes. No lease is held while the user
   * decides. The plan is therefore made again afterward, and nothing that was not shown to the user is released.
   */
  async collect(
    request: Omit<GcRequest, "inUse">,
    confirm: (plan: GcPlan) => Promise<"yes" | "no">,
  ): Promise<{ readonly plan: GcPlan; readonly done: CollectedGarbage | undefined }> {
    const shown = await this.#alone(async () => this.#plan(request));
    if ((await confirm(shown)) === "no") return { plan: shown, done: undefined };
    const before = this.storedBytes();
    const collected = await this.#alone(async (lease) => {
      const plan = this.#plan(request);
      requireNoMore(plan, shown);
      const context = { ...this.#gcContext(), requireLease: () => requireStillAlone(lease) };
      performGc(context, plan, request.onProgress);
      // If the work was repeated because the disk was full, everything that was released since the first attempt is
      // included.
      const left = new Set(this.#context.refs.all().map(keyOf));
      const released = shown.release.filter((ref) => !left.has(keyOf(ref)));
      return { plan, done: { released, freedBytes: before - this.storedBytes(), ...this.#sweep() } };
    });
    this.#reserve.fill();
    return collected;
  }

  /**
   * Returns the sessions in the given store for which snapshots are kept. Does not include sessions in other stores,
   * because they cannot be checked here.
   */
  async sessionsIn(store: string | undefined): Promise<readonly SessionId[]> {
    return this.#shared(() => this.#context.refs.sessionsIn(store));
  }

  /**
   * Drops the references of sessions that were permanently removed from the given store. Nothing is kept for these
   * sessions any longer, and the next gc removes their files.
   */
  async dropSessions(sessions: readonly SessionId[], store?: string): Promise<void> {
    await this.#shared(() => {
      for (const session of sessions) this.#context.refs.dropSession(session, store);
    });
  }

  async findContents(
    matches: (bytes: Buffer) => boolean,
    onProgress?: (done: number, of: number) => void,
  ): Promise<FoundContents> {
    return this.#shared(() => findContents(this.#context.objects, matches, onProgress));
  }

  /**
   * Permanently erases contents from all snapshots that contain them, and erases text from labels. Returns the contents
   * that cannot be erased now.
   */
  async erase(
    hashes: ReadonlySet<ObjectHash>,
    {
      text,
      before = async () => undefined,
    }: { readonly text?: LabelText | undefined; readonly before?: () => Promise<void> } = {},
  ): Promise<{ readonly left: readonly ObjectHash[]; readonly labels: number }> {
    const { disk, places, objects, refs, clock } = this.#context;
    const announce = (): void => new GcRuns(this.#context).announce();
    const context = { disk, places, store: objects, forgotten: this.#forgotten, announce };
    return this.#alone(async () => {
      await before();
      const labels = text === undefined ? 0 : refs.forgetText(text);
      if (hashes.size === 0) return { left: [], labels };
      const left = eraseObjects(context, hashes, new Date(clock.now()).toISOString());
      // The manifests refer to contents that no longer exist, so the next capture must check everything.
      for (const name of namesIn(disk, places.workspaces))
        tryToRemove(disk, join(places.workspaces, name, "manifest"));
      return { left, labels };
    });
  }

  close(): void {
    this.#context.objects.close();
  }

  /** Removes leftover files. A failure must not hide the fact that the garbage has already been removed. */
  #sweep(): Pick<CollectedGarbage, "swept" | "unswept"> {
    try {
      return { swept: sweepLeftovers(this.#context) };
    } catch (error) {
      if (!isWorldlineError(error)) throw error;
      return { swept: [], unswept: error };
    }
  }

  #plan(request: Omit<GcRequest, "inUse">): GcPlan {
    return planGc(this.#gcContext(), { ...request, inUse: inUse(this.#context) });
  }

  #gcContext(): GcContext {
    const { objects, refs } = this.#context;
    return { store: objects, refs, announce: () => new GcRuns(this.#context).announce() };
  }

  async #shared<Result>(work: () => Result): Promise<Result> {
    return this.#withRoom(async () => {
      const lease = await acquireShared(this.#context, this.#context.places.leases, this.#options);
      try {
        return work();
      } finally {
        await lease.release();
      }
    });
  }

  async #alone<Result>(work: (lease: LockLease) => Promise<Result>): Promise<Result> {
    return this.#withRoom(async () => {
      const lease = await acquireExclusive(this.#context, this.#context.places.leases, this.#options);
      try {
        return await work(lease);
      } finally {
        await lease.release();
      }
    });
  }

  /**
   * Runs the work. If the disk is full, frees the reserved space and runs the work again. If that is not enough,
   * removes the caches and tries once more. The work must be repeatable.
   */
  async #withRoom<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await this.#reserve.retryWithRoom(work);
    } catch (error) {
      if (!isWorldlineError(error, "STORE_FULL") || removeCaches(this.#context) === 0) throw error;
    }
    return work();
  }
}

/** Removes all files that can be re-created from the segments and the workspaces. Returns the number of these files. */
function removeCaches({ disk, places }: SnapshotContext): number {
  const indexes = namesIn(disk, places.segments)
    .filter((name) => name.endsWith(".idx"))
    .map((name) => join(places.segments, name));
  const manifests = namesIn(disk, places.workspaces).map((name) => join(places.workspaces, name, "manifest"));
  const caches = [...indexes, ...manifests].filter((path) => disk.stat(path) !== undefined);
  for (const path of caches) tryToRemove(disk, path);
  return caches.length;
}

/**
 * Throws if another program has taken over the store. Nothing may be removed in that case, because the other program
 * may have stored objects that depend on what would be removed.
 */
function requireStillAlone(lease: LockLease): void {
  let owner: ReturnType<LockLease["takenBy"]>;
  try {
    owner = lease.takenBy();
  } catch (error) {
    throw writeError(error, { what: "snapshots-lease" });
  }
  if (owner === "nobody") return;
  throw new WorldlineError("snapshots-taken-over", { owner: owner.name });
}

function requireNoMore(plan: GcPlan, shown: GcPlan): void {
  const known = new Set(shown.release.map(keyOf));
  if (plan.release.every((ref) => known.has(keyOf(ref)))) return;
  throw new WorldlineError("gc-outdated", {});
}
