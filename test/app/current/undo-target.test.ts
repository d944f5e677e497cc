import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { playground } from "../../cli/support/command-line.ts";
import { openAppAt, talkingApp } from "../support/open-app-at.ts";

describe("what /undo takes back", () => {
  it("is the last command if there is no model", async () => {
    const { app } = await openAppAt(playground());
    await expect(app.journeys.undoTarget(1)).rejects.toMatchObject({
      message: "There is nothing to undo on this branch.",
    });
    await app.agent.run("echo one > a.txt", "user-only");
    await app.agent.run("echo two > a.txt", "user-only");
    const { text, number } = await app.journeys.undoTarget(1);
    expect(text).toBe("! echo two > a.txt");
    expect((await app.journeys.undoTarget(2)).text).toBe("! echo one > a.txt");
    await expect(app.journeys.undoTarget(3)).rejects.toMatchObject({
      message: "There are only 2 prompts and commands on this branch, not 3.",
    });
    await app.journeys.rewind({ session: app.agent.session, number, scope: "both" });
    expect((await app.journeys.undoTarget(1)).text).toBe("! echo one > a.txt");
  });

  it("is what was asked last, also where a backtrack took that prompt along", async () => {
    const place = playground();
    const back = { name: "Backtrack", input: { checkpoint_id: 2, note: "Two is a file." } };
    const write = { name: "Write", input: { file_path: "two.txt", content: "two\n" } };
    const { app } = await talkingApp(
      place,
      { text: "One." },
      { calls: [back] },
      { calls: [write] },
      { text: "Two." },
    );
    app.auto.confirm();
    app.agent.setMode("auto");
    await app.agent.prompt("n-one");
    await app.agent.prompt("n-two");
    const last = await app.journeys.undoTarget(1);
    expect([last.text, (await app.journeys.undoTarget(2)).text]).toEqual(["n-two", "n-one"]);
    await app.journeys.rewind({ session: last.session, number: last.number, scope: "both" });
    expect(existsSync(join(place.workspace, "two.txt"))).toBe(false);
    const [redo] = await app.journeys.redoable();
    expect(redo?.place).toMatchObject({ text: "n-two" });
    expect((await app.journeys.undoTarget(1)).text).toBe("n-one");
  });

  it("is a loaded file, which is not a command", async () => {
    const place = playground();
    writeFileSync(join(place.workspace, "my ctx.md"), "Pears.\n");
    const { app } = await openAppAt(place);
    await app.upkeep.loadContext("my ctx.md", () => undefined);
    expect((await app.journeys.undoTarget(1)).text).toBe("/load-context my ctx.md");
  });
});
