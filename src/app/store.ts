import { existsSync } from "node:fs";
import { openSnapshotUpkeep } from "../open-files.ts";
import { snapshotPlaces } from "../snapshots/context.ts";
import type { GcPlan } from "../snapshots/keeping/gc.ts";
import type { Usage } from "../snapshots/keeping/usage.ts";
import type { VerifiedStore } from "../snapshots/keeping/verify.ts";
import type { CollectedGarbage, SnapshotUpkeep } from "../snapshots/snapshot-upkeep.ts";
import type { AppContext } from "./context.ts";
import { retentionOf } from "./files/files.ts";

// Maintains the store that contains the files of all checkpoints in all workspaces. Results are undefined if nothing
// was ever stored.

interface StoreUsage {
  readonly usage: Usage | undefined;
  /** The value of the setting `snapshots.maxBytes`. */
  readonly limit: number;
}

export async function storeUsage(context: AppContext): Promise<StoreUsage> {
  const { values } = await context.settings();
  const usage = await withUpkeep(context, "worldline store du", (upkeep) => upkeep.usage());
  return { usage, limit: values["snapshots.maxBytes"] };
}

/** Reads everything in the store, without changing anything. */
export async function verifyStore(context: AppContext): Promise<VerifiedStore | undefined> {
  const { listener } = context;
  return withUpkeep(context, "worldline store verify", (upkeep) =>
    upkeep.verify((progress) => listener.progress({ doing: "verify", ...progress })),
  ).finally(() => listener.progress("done"));
}

/**
 * Checks whether the store is undamaged. Files that the user removed with `forget` are missing, but do not count as
 * damaged.
 */
export function isSound({ problems, damage, refDamage }: VerifiedStore): boolean {
  return problems.length + damage.length + refDamage.length === 0;
}

export interface CollectRequest {
  /** Whether damaged snapshots are kept or released. */
  readonly damaged: "keep" | "release";
  /** Decides whether to perform the plan. Nothing is removed unless this function resolves with "yes". */
  readonly confirm: (plan: GcPlan, limit: number) => Promise<"yes" | "no">;
}

export interface CollectedStore {
  readonly plan: GcPlan;
  /** The result; undefined if the plan was not confirmed. */
  readonly done: CollectedGarbage | undefined;
  /** The value of the setting `snapshots.maxBytes`. */
  readonly limit: number;
}

/**
 * Removes everything that is no longer needed, and releases the files of old checkpoints while the store exceeds its
 * limit.
 */
export async function collectStore(
  context: AppContext,
  { damaged, confirm }: CollectRequest,
): Promise<CollectedStore | undefined> {
  const { listener } = context;
  const settings = await context.settings();
  const limit = settings.values["snapshots.maxBytes"];
  const request = {
    ...{ retention: retentionOf(settings), maxBytes: limit, damaged },
    onProgress: (done: number, of: number) => listener.progress({ doing: "collect", done, of }),
  };
  const collected = await withUpkeep(context, "worldline store gc", (upkeep) =>
    upkeep.collect(request, async (plan) => {
      listener.progress("done");
      return confirm(plan, limit);
    }),
  ).finally(() => listener.progress("done"));
  return collected === undefined ? undefined : { ...collected, limit };
}

/** Runs `work` on the store. Returns undefined if nothing was ever stored. */
async function withUpkeep<Result>(
  context: AppContext,
  name: string,
  work: (upkeep: SnapshotUpkeep) => Promise<Result>,
): Promise<Result | undefined> {
  if (!existsSync(snapshotPlaces(context.home).root)) return undefined;
  const { values } = await context.settings();
  const { takeOver } = context.common;
  const upkeep = openSnapshotUpkeep({ home: context.home, name, waitMs: values["lock.waitMs"], takeOver });
  try {
    return await work(upkeep);
  } finally {
    upkeep.close();
  }
}
