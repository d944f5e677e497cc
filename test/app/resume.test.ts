import { describe, expect, it } from "vitest";
import type { Notice } from "../../src/app/notices.ts";
import { retryStep } from "../../src/app/resume.ts";
import type { TurnEnd } from "../../src/ports/agent-events.ts";
import type { ErrorCode } from "../../src/record/error.ts";
import { turnEnd } from "../cli/support/played-agent.ts";
import { said } from "./support/open-app-at.ts";

const failed = (code: ErrorCode): TurnEnd =>
  turnEnd({ outcome: "failed", answer: "", cost: 1, error: { code, message: "Not now." } });

/** Runs a retry whose turns end in these ways, one after the other. */
async function retrying(ends: readonly TurnEnd[], { retries = 3, stopIn = 0 } = {}) {
  const warnings: string[] = [];
  const listener = {
    report: (notice: Notice) => warnings.push(said(notice).message),
    progress: () => undefined,
    afterWork: () => undefined,
  };
  const stop = new AbortController();
  const pauses: number[] = [];
  const asked: string[] = [];
  const end = await retryStep(
    { listener },
    {
      resume: async (how) => {
        asked.push(how);
        return ends[asked.length - 1] ?? turnEnd();
      },
    },
    {
      retries,
      signal: stop.signal,
      clock: {
        wait: async (milliseconds) => {
          pauses.push(milliseconds);
          if (pauses.length === stopIn) stop.abort();
        },
      },
    },
  );
  return { end, warnings, pauses, asked };
}

describe("retrying a step", () => {
  it.each(["MODEL_BUSY", "MODEL_FAILED", "MODEL_UNREACHABLE"] as const)(
    "is repeated while the provider fails with %s, with growing pauses, and counts everything that it used",
    async (code) => {
      const { end, warnings, pauses, asked } = await retrying([
        failed(code),
        failed(code),
        turnEnd({ cost: 1 }),
      ]);
      expect(end).toEqual(
        turnEnd({
          steps: 6,
          usage: { input: 30, output: 15, cacheRead: 0, cacheWrite: 0 },
          cost: 3,
          milliseconds: 21,
        }),
      );
      expect([asked, pauses]).toEqual([
        ["retry", "retry", "retry"],
        [5_000, 10_000],
      ]);
      expect(warnings).toEqual([
        "Retrying the step in 5 s (1 of 3): Not now.",
        "Retrying the step in 10 s (2 of 3): Not now.",
      ]);
    },
  );

  it("ends as the last attempt did, when the settings allow no more", async () => {
    const always = Array.from({ length: 9 }, () => failed("MODEL_BUSY"));
    expect(await retrying(always, { retries: 2 })).toMatchObject({
      end: { outcome: "failed", error: { code: "MODEL_BUSY" } },
      asked: ["retry", "retry", "retry"],
    });
    expect(await retrying(always, { retries: 0 })).toMatchObject({ pauses: [], asked: ["retry"] });
  });

  it.each([failed("MODEL_KEY"), turnEnd(), turnEnd({ outcome: "interrupted" })])(
    "is left at that where time changes nothing: %o",
    async (end) => {
      expect(await retrying([end])).toEqual({ end, warnings: [], pauses: [], asked: ["retry"] });
    },
  );

  it("stops in the middle of a pause, as interrupted", async () => {
    const { end, asked } = await retrying([failed("MODEL_BUSY")], { stopIn: 1 });
    expect(end).toEqual(turnEnd({ outcome: "interrupted", answer: "", cost: 1 }));
    expect(asked).toEqual(["retry"]);
  });
});
