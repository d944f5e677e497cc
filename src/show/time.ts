import { dateOf } from "../strings/clock.ts";
import type { Strings } from "../strings/strings.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Number of days after which a date is more informative than a number of days. */
const MAX_DAYS = 30;

/**
 * Returns a relative time, such as `2 min ago`. A time in the future, which can occur if the clock was set back, counts
 * as now.
 */
export function relativeTime(at: number, now: number, strings: Strings["time"]): string {
  const ago = now - at;
  if (ago < SECOND) return strings.now;
  if (ago < MINUTE) return strings.seconds(Math.floor(ago / SECOND));
  if (ago < HOUR) return strings.minutes(Math.floor(ago / MINUTE));
  if (ago < DAY) return strings.hours(Math.floor(ago / HOUR));
  if (ago < MAX_DAYS * DAY) return strings.days(Math.floor(ago / DAY));
  return dateOf(at);
}
