import type { SessionView } from "../../machine/view.ts";
import type { Entry, EntryOf } from "../../record/entry.ts";
import { isWorldlineError } from "../../record/error.ts";
import { branchOf } from "../../timeline/branch.ts";
import { reachesOf } from "../../timeline/context/open-calls.ts";
import type { Row } from "../../timeline/row.ts";
import { weighSummary } from "../../timeline/tokens/weigh.ts";
import { type CompactionCut, compactionCut } from "../../travel/compact.ts";

/** What a compaction would do now, before anything is asked or written. */
export interface Cut {
  /** What the summary will stand for, oldest first, an earlier compaction included. */
  readonly summarised: readonly Entry[];
  readonly kept: readonly Row[];
  readonly pinned: readonly Row[];
  /** Raw estimate of what the summary takes the place of: one that is not shorter is of no use. */
  readonly replaced: number;
}

/** Undefined where there is nothing to compact. */
export async function cutOf(view: SessionView, keep: number): Promise<Cut | undefined> {
  const { compaction: last, pinned, entries } = await view.shownAt();
  const cut = tryCut(view, [...pinned, ...entries], { keep, last });
  if (cut === undefined) return undefined;
  const summarised = await view.entries(cut.summarised.map((row) => row.seq));
  const weights = cut.summarised.map((row) => (row.kind === "compaction" ? 0 : row.estimate));
  return {
    summarised,
    kept: cut.kept,
    pinned: cut.pinned,
    replaced: sum(weights) + (last === undefined ? 0 : weighSummary(last.summary, view.header)),
  };
}

/**
 * What the person has said on this branch and the cut no longer shows: also before earlier compactions, and on ways
 * that the agent went back from.
 */
export async function promptsBefore(view: SessionView, cut: Cut): Promise<readonly Entry[]> {
  const shown = new Set([...cut.kept, ...cut.pinned].map((row) => row.seq));
  const lines = branchOf(view.outline)
    .filter((row) => (row.kind === "prompt" || row.kind === "backtrack") && !shown.has(row.seq))
    .map((row) => row.seq);
  return view.entries(lines);
}

/** Whether both would let a summary stand for the same entries. */
export function isSameCut(a: Cut, b: Cut | undefined): boolean {
  if (b === undefined || a.summarised.length !== b.summarised.length) return false;
  return a.summarised.every((entry, index) => entry.id === b.summarised[index]?.id);
}

interface Wanted {
  readonly keep: number;
  readonly last: EntryOf<"compaction"> | undefined;
}

function tryCut(view: SessionView, shown: readonly Entry[], wanted: Wanted): CompactionCut | undefined {
  const asking = shown.filter((entry) => entry.kind === "backtrack" && entry.prompts.length > 0);
  try {
    return compactionCut(view.outline, {
      ...wanted,
      asking: new Set(asking.map(({ id }) => id)),
      reaches: reachesOf(shown),
    });
  } catch (error) {
    if (isWorldlineError(error, "NOTHING_TO_COMPACT")) return undefined;
    throw error;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
