import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../ports/clock.ts";

export const systemClock: Clock = {
  now: () => Date.now(),
  random: (count) => randomBytes(count),
  wait: (milliseconds) => sleep(milliseconds),
};
