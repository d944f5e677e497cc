import { join } from "node:path";
import type { Clock } from "../../ports/clock.ts";

export interface SegmentPlaces {
  readonly id: string;
  readonly segment: string;
  readonly index: string;
  readonly lock: string;
}

const ENDING = ".seg";
const CHANCE_BYTES = 8;
const TIME_DIGITS = 9;

export function segmentPlaces(folder: string, id: string): SegmentPlaces {
  return {
    id,
    segment: join(folder, `${id}${ENDING}`),
    index: join(folder, `${id}.idx`),
    lock: join(folder, `${id}.lock`),
  };
}

/** Never used twice, and in the order of time, so that what belongs together is found together. */
export function newSegmentId(clock: Clock): string {
  const time = clock.now().toString(36).padStart(TIME_DIGITS, "0");
  return `${time}-${Buffer.from(clock.random(CHANCE_BYTES)).toString("hex")}`;
}

/** Those of the names in a folder that are segments. */
export function segmentIds(names: readonly string[]): string[] {
  return names.filter((name) => name.endsWith(ENDING)).map((name) => name.slice(0, -ENDING.length));
}
