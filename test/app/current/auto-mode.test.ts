import { describe, expect, it } from "vitest";
import type { App } from "../../../src/app/app.ts";
import { playground } from "../../cli/support/command-line.ts";
import { stationAt } from "../support/open-app-at.ts";

const SETTING = { WORLDLINE_PERMISSIONS_MODE: "auto" };

/** The mode, whether auto is confirmed, and whether the user still has to be asked about it. */
function stateOf({ agent, auto }: App): readonly unknown[] {
  return [agent.mode, auto.isConfirmed, auto.takeRequest()];
}

describe("auto mode on the screen", () => {
  it("is there at once where the command line names it, and asked about where settings do", async () => {
    const flagged = await stationAt(playground(), { request: { mode: "auto" } });
    expect(stateOf(flagged.station)).toEqual(["auto", true, false]);
    const { station } = await stationAt(playground(), { environment: SETTING });
    expect(stateOf(station)).toEqual(["manual", false, true]);
    expect(stateOf(station)).toEqual(["manual", false, false]);
    const narrower = await stationAt(playground(), { environment: SETTING, request: { mode: "plan" } });
    expect(stateOf(narrower.station)).toEqual(["plan", false, false]);
  });

  it("is refused until it is confirmed, which is asked once in a session", async () => {
    const { station } = await stationAt(playground());
    expect(() => station.agent.setMode("auto")).toThrow("Auto mode was not confirmed in this session.");
    expect(station.agent.mode).toBe("manual");
    station.auto.confirm();
    station.agent.setMode("auto");
    station.agent.setMode("manual");
    station.agent.setMode("auto");
    expect(station.agent.mode).toBe("auto");
  });

  it("is confirmed again in another session, even a resumed one, but not in the same one reopened", async () => {
    const { station } = await stationAt(playground(), { request: { mode: "auto" } });
    await station.agent.run("echo one > a.txt", "user-only");
    const first = station.agent.session;
    await station.sessions.begin();
    expect(stateOf(station)).toEqual(["manual", false, true]);
    await station.sessions.open(first);
    // The user has been asked by now and has not agreed.
    expect(stateOf(station)).toEqual(["manual", false, false]);
    station.auto.confirm();
    station.agent.setMode("auto");
    await expect(station.sessions.open("none" as typeof first)).rejects.toMatchObject({
      code: "SESSION_UNKNOWN",
    });
    expect([station.agent.session, ...stateOf(station)]).toEqual([first, "auto", true, false]);
    await station.sessions.fork();
    expect(stateOf(station)).toEqual(["manual", false, true]);
  });

  it("is still asked about in the next session where it was not yet", async () => {
    const { station } = await stationAt(playground(), { environment: SETTING });
    await station.sessions.begin();
    expect(stateOf(station)).toEqual(["manual", false, true]);
  });
});
