import { describe, expect, it } from "vitest";
import { inTempFolder } from "../../../src/testing/testing.ts";
import { storesForTests } from "../../support/places-for-tests.ts";
import { bundleAgentChild } from "./children/bundle.ts";
import { pointsOfTurn, sampleOf, sweep } from "./sweep.ts";

const KILLS = 4;
const databases = storesForTests.filter(([name]) => name !== "files");

/** `npm run torture` covers all points and many random moments. */
describe.each(databases)("an agent whose session is in %s", (_name, storeIn) => {
  it("says which calls were open when it died, runs none of them again by itself, and continues", async () => {
    await inTempFolder(async (folder) => {
      const request = { script: await bundleAgentChild(folder), folder, storeIn, turn: "work" } as const;
      const { inCalls } = await pointsOfTurn(request);
      const report = await sweep({ ...request, kills: sampleOf(inCalls, KILLS, 6) });
      expect(report).toMatchObject({ turns: KILLS, killed: KILLS, lost: 0, ranAgain: 0 });
      expect(report.withOpenCalls).toBeGreaterThan(0);
    });
  });
});
