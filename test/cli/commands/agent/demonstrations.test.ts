import { existsSync, rmSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import type { SampleProgress } from "../../../../src/app/find.ts";
import { demonstrationsIn } from "../../../../src/cli/commands/agent/agent.ts";
import { openAppAt } from "../../../app/support/open-app-at.ts";
import { playground } from "../../support/command-line.ts";
import { frameOf } from "../../support/frame-of.ts";

function folderIn([first]: readonly SampleProgress[]): string {
  return first?.doing === "break" ? first.folder : "/";
}

describe("the demonstrations of the screen", () => {
  it("find what broke a sample, and leave nothing", async () => {
    const demonstrations = demonstrationsIn(frameOf(playground()));
    const progress: SampleProgress[] = [];
    const { answer, verdict } = await demonstrations.findInSample(
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
    const demonstrations = demonstrationsIn(frameOf(playground()));
    const stop = new AbortController();
    const progress: SampleProgress[] = [];
    const found = demonstrations.findInSample((step) => {
      progress.push(step);
      if (progress.length === 2) stop.abort();
    }, stop.signal);
    await expect(found).rejects.toThrow();
    expect(existsSync(folderIn(progress))).toBe(false);
  });

  it("have a project to break, with a test, as the workspace", async () => {
    const place = playground();
    const { app, told } = await openAppAt(place);
    const folder = await demonstrationsIn(frameOf(place)).makePlayground();
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    await app.sessions.openFolder(folder);
    expect(app.agent.workspace).toBe(folder);
    expect(told[0]).toMatchObject({ type: "replaced", how: "begun" });
    const { outcome } = await app.agent.run("node test.mjs", "user-only");
    expect(outcome).toBe("ok");
  });
});
