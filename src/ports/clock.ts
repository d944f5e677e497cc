/** Time and chance, so that tests can hold both still. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  random(count: number): Uint8Array;
  wait(milliseconds: number): Promise<void>;
}
