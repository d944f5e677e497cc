import { existsSync, rmSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { demonstrationsIn } from "../../../../src/cli/commands/agent/agent.ts";
import { openAppAt } from "../../../app/support/open-app-at.ts";
import { playground } from "../../support/command-line.ts";
import { frameOf } from "../../support/frame-of.ts";

describe("the demonstrations of the screen", () => {
  it("find what broke a sample, line by line, and leave nothing", async () => {
    const demonstrations = demonstrationsIn(frameOf(playground()));
    const lines: string[] = [];
    await demonstrations.findInSample((line) => lines.push(line), new AbortController().signal);
    const folder = /passing test: (.+)$/u.exec(lines[0] ?? "")?.[1] ?? "";
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.at(-2)).toBe("Correct: that is the planted fault.");
    expect(existsSync(folder)).toBe(false);
  });

  it("can be stopped", async () => {
    const demonstrations = demonstrationsIn(frameOf(playground()));
    const stop = new AbortController();
    const lines: string[] = [];
    const found = demonstrations.findInSample((line) => {
      lines.push(line);
      if (lines.length === 4) stop.abort();
    }, stop.signal);
    await expect(found).rejects.toThrow();
    expect(existsSync(/passing test: (.+)$/u.exec(lines[0] ?? "")?.[1] ?? "/")).toBe(false);
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
