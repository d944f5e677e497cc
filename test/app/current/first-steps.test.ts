import { existsSync, mkdirSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { playground } from "../../cli/support/command-line.ts";
import { stationAt, talkingStation } from "../support/open-app-at.ts";

describe("the first steps at a station", () => {
  it("find what broke a sample, line by line, and leave nothing", async () => {
    const { station } = await stationAt(playground());
    const lines: string[] = [];
    await station.firstSteps.findInSample((line) => lines.push(line), new AbortController().signal);
    const folder = /passing test: (.+)$/u.exec(lines[0] ?? "")?.[1] ?? "";
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.at(-2)).toBe("Correct: that is the planted fault.");
    expect(existsSync(folder)).toBe(false);
  });

  it("can be stopped", async () => {
    const { station } = await stationAt(playground());
    const stop = new AbortController();
    const lines: string[] = [];
    const found = station.firstSteps.findInSample((line) => {
      lines.push(line);
      if (lines.length === 4) stop.abort();
    }, stop.signal);
    await expect(found).rejects.toThrow();
    expect(existsSync(/passing test: (.+)$/u.exec(lines[0] ?? "")?.[1] ?? "/")).toBe(false);
  });

  it("have a project to break, with a test, as the workspace", async () => {
    const { station, told } = await stationAt(playground());
    const folder = await station.firstSteps.playground();
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    expect(station.agent.workspace).toBe(folder);
    expect(told[0]).toMatchObject({ type: "replaced", how: "begun" });
    const { outcome } = await station.agent.run("node test.mjs", "user-only");
    expect(outcome).toBe("ok");
  });

  it("open a folder, with the session that was last used there", async () => {
    const place = playground();
    const folder = join(place.root, "other");
    mkdirSync(folder);
    const other = { ...place, workspace: realpathSync(folder) };
    const { station: there, close, environment } = await talkingStation(other, { text: "Hello." });
    await there.agent.prompt("find the leak");
    const { session } = there.agent;
    const { station, told } = await stationAt(place, { environment });
    await station.firstSteps.openFolder("../other");
    // Another program holds that session, so a new one begins.
    expect(told[0]).toMatchObject({ type: "replaced", how: "begun" });
    expect(station.agent.workspace).toBe(other.workspace);
    await close();
    await station.firstSteps.openFolder(place.workspace);
    await station.firstSteps.openFolder(folder);
    expect(station.agent.session).toBe(session);
    await expect(station.firstSteps.openFolder("/nonexistent")).rejects.toMatchObject({
      code: "WORKSPACE_UNUSABLE",
    });
    expect(station.agent.session).toBe(session);
  });
});
