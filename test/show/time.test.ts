import { describe, expect, it } from "vitest";
import { relativeTime } from "../../src/show/time.ts";
import { clockTime, dateOf } from "../../src/strings/clock.ts";
import { stringsFor } from "../../src/strings/strings.ts";

const { time } = stringsFor("en");
const now = new Date(2026, 10, 15, 10, 30, 45).getTime();
const second = 1_000;
const hour = 3_600 * second;

describe("how long ago something was", () => {
  it.each([
    [0, "just now"],
    [-hour, "just now"],
    [59 * second, "59 s ago"],
    [60 * second, "1 min ago"],
    [hour - 1, "59 min ago"],
    [23 * hour, "23 h ago"],
    [24 * hour, "yesterday"],
    [72 * hour, "3 days ago"],
    [40 * 24 * hour, "2026-10-06"],
  ])("is described for %i ms", (ago, said) => {
    expect(relativeTime(now - ago, now, time)).toBe(said);
  });
});

it("a moment is shown in the user's time zone", () => {
  expect(`${dateOf(now)} ${clockTime(now)}`).toBe("2026-11-15 10:30:45");
});
