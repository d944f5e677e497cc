import { randomFillSync } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../ports/clock.ts";

/**
 * Number of random bytes to fetch at a time. This is enough for a few hundred ids. A system call for each id would cost
 * more than writing the entry.
 */
const POOL_BYTES = 4_096;
const pool = new Uint8Array(POOL_BYTES);
let used = POOL_BYTES;

export const systemClock: Clock = {
  now: () => Date.now(),
  random: (count) => {
    if (count > POOL_BYTES) return randomFillSync(new Uint8Array(count));
    if (used + count > POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    used += count;
    return pool.slice(used - count, used);
  },
  wait: async (milliseconds, signal) => {
    if (signal === undefined) return sleep(milliseconds);
    // When the signal aborts, the wait resolves rather than rejects.
    await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
  },
};
