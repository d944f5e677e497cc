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
