import type { SessionView } from "../../machine/view.ts";
import type { Entry, EntryOf } from "../../record/entry.ts";
import { isWorldlineError } from "../../record/error.ts";
import { reachesOf } from "../../timeline/calls.ts";
import { branchOf } from "../../timeline/outline.ts";
import type { Row } from "../../timeline/row.ts";
import { weighSummary } from "../../timeline/token-count.ts";
import { type CompactionCut, compactionCut } from "../../travel/compact.ts";

const DEFAULT_RESERVE = 50_000;

interface Fill {
  /** What the context holds now. */
  readonly tokens: number;
  /** What the model's context can hold; 0 where nobody knows. */
  readonly window: number;
  /** The part of the window from which on it is time, whatever is left: `compaction.ratio`. */
  readonly ratio: number;
  /** How many tokens stay free: `compaction.reserve`. Absent: "auto". */
  readonly reserve?: Reserve;
}

export type Reserve = number | "auto";

/** Room for the reply and for the results of its calls. Never more than half of the window: a compaction could not free it. */
export function reserveOf(window: number, reserve: Reserve = "auto"): number {
  return reserve === "auto" ? Math.min(DEFAULT_RESERVE, window / 4) : Math.min(reserve, window / 2);
}

/** Whether it is time to compact. Without a known window it never is: then the provider says so. */
export function isDue({ tokens, window, ratio, reserve }: Fill): boolean {
  if (window <= 0) return false;
  return tokens + reserveOf(window, reserve) >= window || tokens >= ratio * window;
}

/** Counts automatic compactions that brought nothing. Each one costs a model call, and the next would cost it again. */
interface Breaker {
  readonly fruitless: number;
}

/** As it begins, and as a new prompt of the person or their own /compact leaves it. */
export const freshBreaker: Breaker = { fruitless: 0 };

const MOST_FRUITLESS = 2;
/** A context that is still larger than this part of what it was has not become smaller. */
const PROGRESS = 0.9;

/** How an automatic compaction went. One that failed, or that found nothing, leaves the context as it was. */
interface Tried {
  readonly before: number;
  readonly after: number;
  /** Whether it is time to compact all the same. */
  readonly due: "still" | "no-longer";
}

export function afterCompacting(breaker: Breaker, { before, after, due }: Tried): Breaker {
  const isProgress = due === "no-longer" || after <= PROGRESS * before;
  return isProgress ? freshBreaker : { fruitless: breaker.fruitless + 1 };
}

/** Whether the agent may compact by itself no more. */
export function isStopped({ fruitless }: Breaker): boolean {
  return fruitless >= MOST_FRUITLESS;
}

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
