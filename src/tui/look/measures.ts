import type { Strings } from "../../strings/strings.ts";

const THOUSAND = 1000;
const MINUTE_S = 60;

/** `812`, `41k`, `1.2M`: what a glance can take in. */
export function shortCount(count: number): string {
  if (count < THOUSAND) return String(Math.round(count));
  if (count < THOUSAND * THOUSAND) return `${trimmed(count / THOUSAND)}k`;
  return `${trimmed(count / (THOUSAND * THOUSAND))}M`;
}

function trimmed(value: number): string {
  return value >= 10 ? String(Math.round(value)) : value.toFixed(1).replace(/\.0$/u, "");
}

/** `12 s`, `2 min 5 s`. */
export function durationText(
  milliseconds: number,
  { seconds, minutes }: Strings["terminal"]["screen"],
): string {
  const whole = Math.max(0, Math.floor(milliseconds / THOUSAND));
  return whole < MINUTE_S ? seconds(whole) : minutes(Math.floor(whole / MINUTE_S), whole % MINUTE_S);
}

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

type Words = Pick<Strings["terminal"]["transcript"], "milliseconds" | "seconds" | "minutes">;

/** `40 ms`, `1.2 s`, `12 s`, `2 min 5 s`; whole seconds for what still goes on. */
export function tookText(milliseconds: number, words: Words, parts: "fine" | "whole" = "fine"): string {
  if (milliseconds >= MINUTE) {
    const minutes = Math.floor(milliseconds / MINUTE);
    return words.minutes(minutes, Math.floor((milliseconds % MINUTE) / SECOND));
  }
  if (parts === "whole") return words.seconds(String(Math.floor(milliseconds / SECOND)));
  if (milliseconds < SECOND / 10) return words.milliseconds(Math.round(milliseconds));
  const digits = milliseconds < 10 * SECOND ? 1 : 0;
  return words.seconds((milliseconds / SECOND).toFixed(digits));
}
