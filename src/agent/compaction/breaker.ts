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
