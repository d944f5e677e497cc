import { describe, expect, it } from "vitest";
import { playground } from "../../support/command-line.ts";
import { stationAt } from "../support/station-at.ts";

describe("what /undo takes back", () => {
  it("is the last command, where there is no model", async () => {
    const { station } = await stationAt(playground());
    await expect(station.journeys.undoTarget(1)).rejects.toMatchObject({
      message: "There is nothing on this branch to take back.",
    });
    await station.agent.run("echo one > a.txt", "nobody");
    await station.agent.run("echo two > a.txt", "nobody");
    const { text, number } = await station.journeys.undoTarget(1);
    expect(text).toBe("! echo two > a.txt");
    expect((await station.journeys.undoTarget(2)).text).toBe("! echo one > a.txt");
    await expect(station.journeys.undoTarget(3)).rejects.toMatchObject({
      message: "There are only 2 prompts and commands on this branch, and not 3.",
    });
    await station.journeys.rewind({ session: station.agent.session, number, scope: "both" });
    expect((await station.journeys.undoTarget(1)).text).toBe("! echo one > a.txt");
  });
});
