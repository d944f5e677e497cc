/** A source of time and randomness that tests can control. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  random(count: number): Uint8Array;
  /** Resolves when this time has passed or the signal aborts. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
}
