import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { playground } from "../../cli/support/command-line.ts";
import { stationAt, talkingStation } from "../support/open-app-at.ts";

describe("what /undo takes back", () => {
  it("is the last command if there is no model", async () => {
    const { station } = await stationAt(playground());
    await expect(station.journeys.undoTarget(1)).rejects.toMatchObject({
      message: "There is nothing to undo on this branch.",
    });
    await station.agent.run("echo one > a.txt", "user-only");
    await station.agent.run("echo two > a.txt", "user-only");
    const { text, number } = await station.journeys.undoTarget(1);
    expect(text).toBe("! echo two > a.txt");
    expect((await station.journeys.undoTarget(2)).text).toBe("! echo one > a.txt");
    await expect(station.journeys.undoTarget(3)).rejects.toMatchObject({
      message: "There are only 2 prompts and commands on this branch, not 3.",
    });
    await station.journeys.rewind({ session: station.agent.session, number, scope: "both" });
    expect((await station.journeys.undoTarget(1)).text).toBe("! echo one > a.txt");
  });

  it("is what was asked last, also where a backtrack took that prompt along", async () => {
    const place = playground();
    const back = { name: "Backtrack", input: { checkpoint_id: 2, note: "Two is a file." } };
    const write = { name: "Write", input: { file_path: "two.txt", content: "two\n" } };
    const { station } = await talkingStation(
      place,
      { text: "One." },
      { calls: [back] },
      { calls: [write] },
      { text: "Two." },
    );
    station.auto.confirm();
    station.agent.setMode("auto");
    await station.agent.prompt("n-one");
    await station.agent.prompt("n-two");
    const last = await station.journeys.undoTarget(1);
    expect([last.text, (await station.journeys.undoTarget(2)).text]).toEqual(["n-two", "n-one"]);
    await station.journeys.rewind({ session: last.session, number: last.number, scope: "both" });
    expect(existsSync(join(place.workspace, "two.txt"))).toBe(false);
    const [redo] = await station.journeys.redoable();
    expect(redo?.place).toMatchObject({ text: "n-two" });
    expect((await station.journeys.undoTarget(1)).text).toBe("n-one");
  });

  it("is a loaded file, which is not a command", async () => {
    const place = playground();
    writeFileSync(join(place.workspace, "my ctx.md"), "Pears.\n");
    const { station } = await stationAt(place);
    await station.upkeep.loadContext("my ctx.md", () => undefined);
    expect((await station.journeys.undoTarget(1)).text).toBe("/load-context my ctx.md");
  });
});
