import type { Strings } from "../../../strings/strings.ts";

type Words = Pick<Strings["terminal"]["transcript"], "milliseconds" | "seconds" | "minutes">;

const SECOND = 1000;
const MINUTE = 60 * SECOND;

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
