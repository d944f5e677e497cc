/**
 * How a path was restored, where its old content was not simply put back; for one that was kept, that there is nothing to
 * keep: it is gone, and no snapshot ever had it; for one that failed, that a folder on the way to it was replaced meanwhile.
 */
export type OutcomeDetail = "created" | "removed" | "merged" | "not-restorable" | "parent-changed";

/** How many paths of a journey went which way. Each path is counted once. */
export interface OutcomeCounts {
  readonly restored: number;
  readonly created: number;
  readonly removed: number;
  readonly merged: number;
  readonly kept: number;
  readonly notRestorable: number;
  readonly failed: number;
}

/** As a log has them: older ones count only three ways, and the others among those. */
export type LoggedCounts = Pick<OutcomeCounts, "restored" | "kept" | "failed"> & Partial<OutcomeCounts>;
