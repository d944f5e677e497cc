import { describe, expect, it } from "vitest";
import { fuzzCompaction } from "./fuzz-compaction.ts";

/** A sample of the 1,000 sessions that the benchmark plays for figure 9. */
const SESSIONS = 150;

describe("automatic compaction with a bad summarizer", () => {
  it("law: never continues without progress, and nothing is lost or separated", async () => {
    const { tried, done, calls, stopped, ...faults } = await fuzzCompaction(SESSIONS, 9);
    expect(faults).toEqual({
      sessions: SESSIONS,
      withoutProgress: 0,
      tooManyCalls: 0,
      touchedOnFailure: 0,
      broken: 0,
    });
    // Without enough failures, successes and stops, the law would hold trivially.
    expect(Math.min(tried - done, done, calls, stopped)).toBeGreaterThan(SESSIONS / 10);
  }, 60_000);
});
