import type { GcPlan, Retention } from "../snapshots/keeping/gc.ts";
import type { Usage } from "../snapshots/keeping/usage.ts";
import type { VerifiedStore } from "../snapshots/keeping/verify.ts";
import type { CollectedGarbage } from "../snapshots/snapshot-upkeep.ts";
import type { AppContext } from "./context.ts";
import { retentionOf } from "./files/files.ts";
import { withUpkeep } from "./files/with-upkeep.ts";

// The store of the files of all checkpoints of all workspaces. Each of these is undefined where nothing was ever stored.

interface StoreUsage {
  readonly usage: Usage | undefined;
  /** `snapshots.maxBytes`. */
  readonly limit: number;
}

export async function storeUsage(context: AppContext): Promise<StoreUsage> {
  const { values } = await context.settings();
  const usage = await withUpkeep(context, "worldline store du", (upkeep) => upkeep.usage());
  return { usage, limit: values["snapshots.maxBytes"] };
}

interface VerifyProgress {
  readonly phase: "reading" | "walking";
  readonly done: number;
  readonly of: number;
}

/** Reads all that is stored. Changes nothing. */
export async function verifyStore(
  context: AppContext,
  onProgress: (progress: VerifyProgress) => void,
): Promise<VerifiedStore | undefined> {
  return withUpkeep(context, "worldline store verify", (upkeep) => upkeep.verify(onProgress));
}

/** Whether nothing is damaged. What was forgotten on purpose is lacking, and not damaged. */
export function isSound({ problems, damage, refDamage }: VerifiedStore): boolean {
  return problems.length + damage.length + refDamage.length === 0;
}

interface CollectRequest {
  /** What becomes of snapshots that cannot be read through. */
  readonly damaged: "keep" | "release";
  readonly onProgress: (done: number, of: number) => void;
  /** Asked when it is known what would go; nothing goes without a "yes". */
  readonly confirm: (plan: GcPlan, limit: number) => Promise<"yes" | "no">;
}

interface Collected {
  readonly plan: GcPlan;
  /** Undefined where it was not confirmed. */
  readonly done: CollectedGarbage | undefined;
  readonly limit: number;
}

/** Removes what nothing needs, and lets go of old checkpoints' files while the store is over its limit. */
export async function collectStore(
  context: AppContext,
  { damaged, onProgress, confirm }: CollectRequest,
): Promise<Collected | undefined> {
  const settings = await context.settings();
  const limit = settings.values["snapshots.maxBytes"];
  const retention: Retention = retentionOf(settings);
  const collected = await withUpkeep(context, "worldline store gc", (upkeep) =>
    upkeep.collect({ retention, maxBytes: limit, damaged, onProgress }, async (plan) => confirm(plan, limit)),
  );
  return collected === undefined ? undefined : { ...collected, limit };
}
