import { expect, it } from "vitest";
import { inTempFolder } from "../../../src/testing/testing.ts";
import { bundleAgentChild } from "./children/bundle.ts";
import { momentsOf, sweep } from "./sweep.ts";

it("an agent killed with SIGKILL at 10 random moments has lost nothing, runs nothing again, and continues", async () => {
  await inTempFolder(async (folder) => {
    const script = await bundleAgentChild(folder);
    const kills = momentsOf(10, 30, 11);
    const report = await sweep({ script, folder, turn: "work", kills });
    expect(report).toMatchObject({ turns: 10, lost: 0, ranAgain: 0 });
    expect(report.killed).toBeGreaterThan(6);
  });
});
