import { expect, it } from "vitest";
import { inTempFolder } from "../../src/testing/testing.ts";
import { bundleAgentChild } from "../crash/agent/children/bundle.ts";
import { momentsOf, sweep } from "../crash/agent/sweep.ts";
import { printRow } from "./print-row.ts";

const KILLS = 300;

it.each([
  ["work", 31],
  ["delegate", 33],
] as const)(
  "300 kills of an agent at random moments lose nothing and run nothing again: %s",
  async (turn, lines) => {
    await inTempFolder(async (folder) => {
      const script = await bundleAgentChild(folder);
      const report = await sweep({ script, folder, turn, kills: momentsOf(KILLS, lines, 17) });
      printRow({
        turns: report.turns,
        SIGKILL: report.killed,
        "acknowledged lines": report.acknowledged,
        lost: report.lost,
        "with open calls": report.withOpenCalls,
        "sub-agents' sessions opened": report.subSessions,
        "run again automatically": report.ranAgain,
      });
      expect(report).toMatchObject({ turns: KILLS, lost: 0, ranAgain: 0 });
    });
  },
);
