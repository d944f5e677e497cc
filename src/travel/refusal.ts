import type { EntryOf } from "../record/entry.ts";
import { branchSince, isOnBranch } from "../timeline/branch.ts";
import { findCheckpoint, usableSteps } from "../timeline/checkpoints.ts";
import type { Outline } from "../timeline/outline.ts";
import type { BacktrackRequest } from "./backtrack.ts";
import { rangesOf } from "./rewind.ts";

/** Why a backtrack is not filed, in words that the model can act on. */
export interface Refusal {
  readonly message: string;
  readonly hint: string;
}

/** What has been done so far, as far as a refusal depends on it. */
export interface BacktrackTally {
  readonly enabled: "yes" | "no";
  readonly pending: "yes" | "no";
  /** Whether files can be taken back; "gone": not those of this checkpoint. */
  readonly snapshots: "yes" | "no" | "gone";
  /** All backtracks of the session. */
  readonly backtracks: readonly EntryOf<"backtrack">[];
  /** Since the last prompt. */
  readonly inThisTurn: number;
  readonly maxPerTurn: number;
  /** Whether there was a tool call, a prompt of the user or an answer since the last backtrack; either before the first. */
  readonly progress: "some" | "none";
}

/** Why the request must not be filed, or undefined when it may. */
export function refuseBacktrack(
  outline: Outline,
  request: BacktrackRequest,
  tally: BacktrackTally,
): Refusal | undefined {
  const message =
    refuseByTally(tally) ??
    refuseByTarget(outline, request.to) ??
    refuseByFiles(request, tally) ??
    refuseByNote(request, tally.backtracks);
  if (message === undefined) return undefined;
  const numbers = usableSteps(outline).map((row) => row.number);
  const hint =
    numbers.length === 0
      ? "There is no checkpoint to go back to yet."
      : `Usable checkpoints: ${rangesOf(numbers)}`;
  return { message, hint };
}

function refuseByTally(tally: BacktrackTally): string | undefined {
  if (tally.enabled === "no") return "Backtrack is not available in this context.";
  if (tally.pending === "yes")
    return "Another backtrack is pending already; only one can be filed in a step.";
  if (tally.inThisTurn >= tally.maxPerTurn) {
    return `This turn has gone back ${tally.inThisTurn} times, which is the limit.`;
  }
  if (tally.backtracks.length > 0 && tally.progress === "none") {
    return "Nothing was done since the last backtrack: make a tool call first, or answer.";
  }
  return undefined;
}

/** Rather refused than carried out in part: the model would believe that the files went back with it. */
function refuseByFiles(request: BacktrackRequest, tally: BacktrackTally): string | undefined {
  if (request.files === "keep" || tally.snapshots === "yes") return undefined;
  if (tally.snapshots === "gone") {
    return `Checkpoint ${request.to} has no files to restore: go back with files "keep" and undo the changes yourself.`;
  }
  return 'Files cannot be restored here: go back with files "keep" and undo the changes yourself.';
}

function refuseByTarget(outline: Outline, to: number): string | undefined {
  if (!Number.isSafeInteger(to) || to < 1) return `${to} is not a checkpoint: numbers start at 1.`;
  const target = findCheckpoint(outline, to);
  if (target === undefined || target.kind !== "step") return `There is no checkpoint ${to} to go back to.`;
  if (!isOnBranch(outline, target)) return `Checkpoint ${to} is on a branch that was left.`;
  if (branchSince(outline, target.seq).some((row) => row.kind === "compaction")) {
    return `Checkpoint ${to} lies before the last compaction; only the person can rewind there.`;
  }
  return undefined;
}

function refuseByNote(
  request: BacktrackRequest,
  backtracks: BacktrackTally["backtracks"],
): string | undefined {
  const note = request.note.trim();
  if (note === "") return "The note is empty: without it you would not know why you came back.";
  const same = backtracks.some((earlier) => earlier.to === request.to && earlier.note.trim() === note);
  return same ? `You went back to checkpoint ${request.to} with this very note before.` : undefined;
}
