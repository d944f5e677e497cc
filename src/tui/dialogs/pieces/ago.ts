import type { Strings } from "../../../strings/strings.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MOST_DAYS = 30;

/** How long ago that was; the date, where it was long ago. */
export function ago(at: number, now: number, { time }: Strings): string {
  const past = now - at;
  if (past < SECOND) return time.now;
  if (past < MINUTE) return time.seconds(Math.floor(past / SECOND));
  if (past < HOUR) return time.minutes(Math.floor(past / MINUTE));
  if (past < DAY) return time.hours(Math.floor(past / HOUR));
  if (past < MOST_DAYS * DAY) return time.days(Math.floor(past / DAY));
  const date = new Date(at);
  return [date.getFullYear(), twoDigits(date.getMonth() + 1), twoDigits(date.getDate())].join("-");
}

/** `10:30:45`, where the person is. */
export function clockTime(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(":");
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
