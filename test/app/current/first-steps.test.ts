import { existsSync, mkdirSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { SampleProgress } from "../../../src/app/current/upkeep.ts";
import { playground } from "../../cli/support/command-line.ts";
import { openAppAt, talkingApp } from "../support/open-app-at.ts";

function folderIn([first]: readonly SampleProgress[]): string {
  return first?.doing === "break" ? first.folder : "/";
}

describe("the first steps at a app", () => {
  it("find what broke a sample, and leave nothing", async () => {
    const { app } = await openAppAt(playground());
    const progress: SampleProgress[] = [];
    const { answer, verdict } = await app.firstSteps.findInSample(
      (step) => progress.push(step),
      new AbortController().signal,
    );
    expect(progress.slice(0, 2)).toMatchObject([
      { doing: "break", steps: expect.any(Number) },
      { doing: "state", why: "present" },
    ]);
    expect([answer.finding.verdict, verdict]).toEqual(["found", "right"]);
    expect(existsSync(folderIn(progress))).toBe(false);
  });

  it("can be stopped", async () => {
    const { app } = await openAppAt(playground());
    const stop = new AbortController();
    const progress: SampleProgress[] = [];
    const found = app.firstSteps.findInSample((step) => {
      progress.push(step);
      if (progress.length === 2) stop.abort();
    }, stop.signal);
    await expect(found).rejects.toThrow();
    expect(existsSync(folderIn(progress))).toBe(false);
  });

  it("have a project to break, with a test, as the workspace", async () => {
    const { app, told } = await openAppAt(playground());
    const folder = await app.firstSteps.playground();
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    expect(app.agent.workspace).toBe(folder);
    expect(told[0]).toMatchObject({ type: "replaced", how: "begun" });
    const { outcome } = await app.agent.run("node test.mjs", "user-only");
    expect(outcome).toBe("ok");
  });

  it("open a folder, with the session that was last used there", async () => {
    const place = playground();
    const folder = join(place.root, "other");
    mkdirSync(folder);
    const other = { ...place, workspace: realpathSync(folder) };
    const { app: there, close, environment } = await talkingApp(other, { text: "Hello." });
    await there.agent.prompt("find the leak");
    const { session } = there.agent;
    const { app, told } = await openAppAt(place, { environment });
    await app.firstSteps.openFolder("../other");
    // Another program holds that session, so a new one begins.
    expect(told[0]).toMatchObject({ type: "replaced", how: "begun" });
    expect(app.agent.workspace).toBe(other.workspace);
    await close();
    await app.firstSteps.openFolder(place.workspace);
    await app.firstSteps.openFolder(folder);
    expect(app.agent.session).toBe(session);
    await expect(app.firstSteps.openFolder("/nonexistent")).rejects.toMatchObject({
      code: "WORKSPACE_UNUSABLE",
    });
    expect(app.agent.session).toBe(session);
  });
});
