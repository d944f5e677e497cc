import { describe, expect, it } from "vitest";
import { inTempFolder } from "../../../src/testing/testing.ts";
import { bundleAgentChild } from "./children/bundle.ts";
import type { TurnPoints } from "./killing.ts";
import type { TurnName } from "./script.ts";
import { type KillsReport, pointsOfTurn, sampleOf, sweep } from "./sweep.ts";

const KILLS = 6;

/** Kills at a sample of the points; `npm run torture` covers all of them. */
async function killAtSample(
  turn: TurnName,
  seed: number,
  wanted: (points: TurnPoints) => readonly number[],
): Promise<KillsReport> {
  return inTempFolder(async (folder) => {
    const script = await bundleAgentChild(folder);
    const points = wanted(await pointsOfTurn({ script, folder, turn }));
    return sweep({ script, folder, turn, kills: sampleOf(points, KILLS, seed) });
  });
}

function all({ count }: TurnPoints): readonly number[] {
  return Array.from({ length: count }, (_, at) => at + 1);
}

const NOTHING_AMISS = { turns: KILLS, lost: 0, ranAgain: 0 };

describe("an agent that dies in a turn with parallel reads, two commands, a write and a backtrack", () => {
  it("is opened again and continues, whatever it was doing", async () => {
    const report = await killAtSample("work", 3, all);
    expect(report).toMatchObject(NOTHING_AMISS);
    expect(report.killed).toBeGreaterThan(KILLS - 3);
    expect(report.cutReplying).toBeGreaterThan(KILLS / 4);
  });

  it("says which calls were open, and runs none of them again by itself", async () => {
    const report = await killAtSample("work", 4, ({ inCalls }) => inCalls);
    expect(report).toMatchObject(NOTHING_AMISS);
    expect(report.withOpenCalls).toBeGreaterThan(KILLS / 3);
  });
});

describe("an agent that dies in a turn with two sub-agents", () => {
  it("says that their tasks were open, and the sub-agents' own sessions open too", async () => {
    const report = await killAtSample("delegate", 5, ({ inCalls }) => inCalls);
    expect(report).toMatchObject(NOTHING_AMISS);
    expect(report.withOpenCalls).toBeGreaterThan(KILLS / 3);
    expect(report.subSessions).toBeGreaterThan(KILLS);
  });
});
