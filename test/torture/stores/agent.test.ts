import { describe, expect, it } from "vitest";
import { inTempFolder } from "../../../src/testing/testing.ts";
import { bundleAgentChild } from "../../crash/agent/children/bundle.ts";
import { type KillsReport, momentsOf, pointsOfTurn, sweep } from "../../crash/agent/sweep.ts";
import { storesForTests } from "../../support/places-for-tests.ts";
import { printRow } from "../print-row.ts";

const MOMENTS = 60;
const MAX_LINES = 31;
const databases = storesForTests.filter(([name]) => name !== "files");

function print(how: Readonly<Record<string, number | string>>, report: KillsReport): void {
  printRow({
    ...how,
    killed: report.killed,
    "acknowledged lines": report.acknowledged,
    lost: report.lost,
    "interrupted before the first step": report.cutBefore,
    "interrupted during a reply": report.cutReplying,
    "interrupted during tool calls": report.cutInTools,
    "with open calls": report.withOpenCalls,
    "run again automatically": report.ranAgain,
  });
}

describe.each(databases)("an agent whose session is in %s", (store, storeIn) => {
  it("says what was open and runs nothing by itself, at whichever point of a turn it dies", async () => {
    await inTempFolder(async (folder) => {
      const request = { script: await bundleAgentChild(folder), folder, storeIn, turn: "work" } as const;
      const { count } = await pointsOfTurn(request);
      const report = await sweep({
        ...request,
        kills: Array.from({ length: count }, (_, at) => ({ point: at + 1 })),
      });
      print({ store, points: count }, report);
      expect(report).toMatchObject({ lost: 0, ranAgain: 0 });
    });
  });

  it("says what was open and runs nothing by itself, at whichever moment it is killed from outside", async () => {
    await inTempFolder(async (folder) => {
      const request = { script: await bundleAgentChild(folder), folder, storeIn, turn: "work" } as const;
      const report = await sweep({ ...request, kills: momentsOf(MOMENTS, MAX_LINES, 19) });
      print({ store, moments: MOMENTS }, report);
      expect(report).toMatchObject({ turns: MOMENTS, lost: 0, ranAgain: 0 });
    });
  });
});
