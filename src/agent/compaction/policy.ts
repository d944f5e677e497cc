const DEFAULT_RESERVE = 50_000;

export interface Fill {
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
export interface Breaker {
  readonly fruitless: number;
}

/** As it begins, and as a new prompt of the person or their own /compact leaves it. */
export const freshBreaker: Breaker = { fruitless: 0 };

const MOST_FRUITLESS = 2;
/** A context that is still larger than this part of what it was has not become smaller. */
const PROGRESS = 0.9;

/** How an automatic compaction went. One that failed, or that found nothing, leaves the context as it was. */
export interface Tried {
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
