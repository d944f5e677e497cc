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
