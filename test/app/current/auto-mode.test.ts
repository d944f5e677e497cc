import { describe, expect, it } from "vitest";
import type { App } from "../../../src/app/app.ts";
import { playground } from "../../cli/support/command-line.ts";
import { openAppAt } from "../support/open-app-at.ts";

const SETTING = { WORLDLINE_PERMISSIONS_MODE: "auto" };

/** The mode, whether auto is confirmed, and whether the user still has to be asked about it. */
function stateOf({ agent, auto }: App): readonly unknown[] {
  return [agent.mode, auto.isConfirmed, auto.takeRequest()];
}

describe("auto mode on the screen", () => {
  it("is there at once where the command line names it, and asked about where settings do", async () => {
    const flagged = await openAppAt(playground(), { request: { mode: "auto" } });
    expect(stateOf(flagged.app)).toEqual(["auto", true, false]);
    const { app } = await openAppAt(playground(), { environment: SETTING });
    expect(stateOf(app)).toEqual(["manual", false, true]);
    expect(stateOf(app)).toEqual(["manual", false, false]);
    const asked = await openAppAt(playground(), { settings: { "permissions.mode": "auto" } });
    expect(stateOf(asked.app)).toEqual(["auto", true, false]);
    const narrower = await openAppAt(playground(), { environment: SETTING, request: { mode: "plan" } });
    expect(stateOf(narrower.app)).toEqual(["plan", false, false]);
  });

  it("is refused until it is confirmed, which is asked once in a session", async () => {
    const { app } = await openAppAt(playground());
    expect(() => app.agent.setMode("auto")).toThrow("Auto mode was not confirmed in this session.");
    expect(app.agent.mode).toBe("manual");
    app.auto.confirm();
    app.agent.setMode("auto");
    app.agent.setMode("manual");
    app.agent.setMode("auto");
    expect(app.agent.mode).toBe("auto");
  });

  it("is confirmed again in another session, even a resumed one, but not in the same one reopened", async () => {
    const { app } = await openAppAt(playground(), { request: { mode: "auto" } });
    await app.agent.run("echo one > a.txt", "user-only");
    const first = app.agent.session;
    await app.sessions.begin();
    expect(stateOf(app)).toEqual(["manual", false, true]);
    await app.sessions.open(first);
    // The user has been asked by now and has not agreed.
    expect(stateOf(app)).toEqual(["manual", false, false]);
    app.auto.confirm();
    app.agent.setMode("auto");
    await expect(app.sessions.open("none" as typeof first)).rejects.toMatchObject({
      code: "SESSION_UNKNOWN",
    });
    expect([app.agent.session, ...stateOf(app)]).toEqual([first, "auto", true, false]);
    await app.sessions.fork();
    expect(stateOf(app)).toEqual(["manual", false, true]);
  });

  it("is still asked about in the next session where it was not yet", async () => {
    const { app } = await openAppAt(playground(), { environment: SETTING });
    await app.sessions.begin();
    expect(stateOf(app)).toEqual(["manual", false, true]);
  });
});
