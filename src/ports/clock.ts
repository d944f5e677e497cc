/** Time and randomness, so that tests can control both. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  random(count: number): Uint8Array;
  /** Resolves after this time, or as soon as the signal aborts. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
}
