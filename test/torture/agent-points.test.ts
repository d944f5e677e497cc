import { describe, expect, it } from "vitest";
import { inTempFolder } from "../../src/testing/testing.ts";
import { bundleAgentChild } from "../crash/agent/children/bundle.ts";
import { pointsOfTurn, sweep } from "../crash/agent/sweep.ts";
import { printRow } from "./print-row.ts";

/**
 * How many rounds to run. Rounds rotate through four wires and both ways to continue, so more rounds try each
 * point with several of them. A value below 1 is the share of points to try, evenly spread.
 */
const ROUNDS = Number(process.env["WORLDLINE_TORTURE"] ?? "1");

describe("an agent that dies at every point of a turn", () => {
  it.each(["work", "delegate"] as const)(
    "says what was open, runs nothing by itself and goes on: %s",
    async (turn) => {
      await inTempFolder(async (folder) => {
        const script = await bundleAgentChild(folder);
        const { count } = await pointsOfTurn({ script, folder, turn });
        const pace = Math.max(1, 1 / ROUNDS);
        const kills = Array.from({ length: Math.floor(count * ROUNDS) }, (_, at) => ({
          point: 1 + (Math.floor(at * pace) % count),
        }));
        const report = await sweep({ script, folder, turn, kills });
        printRow({
          points: count,
          turns: report.turns,
          killed: report.killed,
          "acknowledged lines": report.acknowledged,
          lost: report.lost,
          "interrupted before the first step": report.cutBefore,
          "interrupted during a reply": report.cutReplying,
          "interrupted during tool calls": report.cutInTools,
          "with open calls": report.withOpenCalls,
          "sub-agents' sessions opened": report.subSessions,
          "run again automatically": report.ranAgain,
        });
        expect(report).toMatchObject({ lost: 0, ranAgain: 0 });
      });
    },
  );
});
