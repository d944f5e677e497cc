const MOST_RESERVED = 50_000;

export interface Fill {
  /** What the context holds now. */
  readonly tokens: number;
  /** What the model's context can hold; 0 where nobody knows. */
  readonly window: number;
  /** The part of the window from which on it is time, whatever is left: `compaction.ratio`. */
  readonly ratio: number;
}

/** Room for the reply and for the results of its calls. */
export function reserveOf(window: number): number {
  return Math.min(MOST_RESERVED, window / 4);
}

/** Whether it is time to compact. Without a known window it never is: then the provider says so. */
export function isDue({ tokens, window, ratio }: Fill): boolean {
  if (window <= 0) return false;
  return tokens + reserveOf(window) >= window || tokens >= ratio * window;
}
