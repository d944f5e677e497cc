import { describe, expect, it } from "vitest";
import { playground } from "../cli/support/command-line.ts";
import { stationAt, talkingStation } from "./support/open-app-at.ts";

describe("a station", () => {
  it("opens without a model, and says what was looked for", async () => {
    const place = playground();
    const { station, warnings } = await stationAt(place);
    expect(station.model).toEqual({
      state: "none",
      lookedFor: {
        variables: [
          "ANTHROPIC_API_KEY",
          "ANTHROPIC_AUTH_TOKEN",
          "OPENAI_API_KEY",
          "MOONSHOT_API_KEY",
          "DEEPSEEK_API_KEY",
          "OPENROUTER_API_KEY",
        ],
        setting: "",
      },
    });
    expect(warnings).toEqual([]);
    const { error } = await station.agent.prompt("hello");
    expect(error).toEqual({
      code: "MODEL_KEY",
      message: "There is no model that could answer.",
      hint: "Connect one with /setup, or choose one with /model. Everything else works without.",
    });
  });

  it("warns of a model that the settings name and that cannot be used", async () => {
    const place = playground();
    place.write("user", '{ "model": "anthropic/claude-sonnet-5-5" }');
    const { station, warnings } = await stationAt(place);
    expect(station.model.state).toBe("none");
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/settings\.json.*No API key for anthropic\/claude-sonnet-5-5/u),
    ]);
  });

  it("does not open with a model that was asked for by name and cannot be used", async () => {
    const place = playground();
    await expect(
      stationAt(place, { request: { model: "anthropic/claude-sonnet-5-5" } }),
    ).rejects.toMatchObject({
      code: "NO_MODEL",
    });
    await expect(stationAt(place, { request: { model: "nobody/x" } })).rejects.toMatchObject({
      code: "MODEL_UNKNOWN",
    });
  });

  it("takes the finder for a model", async () => {
    const { station } = await stationAt(playground(), { request: { model: "worldline/finder" } });
    expect(station.model).toEqual({ state: "ready", name: "worldline/finder", window: 200_000 });
  });

  it("says how to resume a session, and removes one without a conversation", async () => {
    const place = playground();
    const empty = await stationAt(place);
    expect(await empty.close()).toEqual({});
    expect(JSON.parse((await place.worldline("sessions list --all --json")).stdout)).toMatchObject({
      sessions: [],
      inTrash: 0,
    });
    const { station, close } = await talkingStation(place, { text: "Hello." });
    expect((await station.agent.prompt("hello")).answer).toBe("Hello.");
    const { session } = station.agent;
    expect(await close()).toEqual({ resume: session });
    expect((await place.worldline(["checkpoint", "free"])).code).toBe(0);
  });

  it("keeps nothing of a session that is not to be kept", async () => {
    const place = playground();
    const { station, close } = await stationAt(place, { request: { keepSession: "no" } });
    await station.agent.prompt("hello");
    expect(await close()).toEqual({});
  });

  it("prints nothing: what commands would warn of is emitted", async () => {
    const place = playground();
    place.write("user", '{ "lock": { "waitMsec": 3 } }');
    const { warnings } = await stationAt(place);
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining("unknown setting lock.waitMsec"),
    ]);
  });

  it("continues the session last used, and not one that is just being created", async () => {
    const place = playground();
    const { station, close, environment } = await talkingStation(place, { text: "Hello." });
    await station.agent.prompt("hello");
    await close();
    await stationAt(place, { environment });
    const last = await stationAt(place, { environment, request: { resume: { how: "continue" } } });
    expect(last.station.agent.session).toBe(station.agent.session);
    expect((await last.station.queries.recap())?.session).toBe(station.agent.session);
  });

  it("finishes manual work before it closes", async () => {
    const { station, close } = await stationAt(playground());
    const saving = station.journeys.save("before", undefined);
    const farewell = close();
    expect(await saving).toBe(1);
    expect(await farewell).toEqual({ resume: station.agent.session });
    expect(await station.close()).toEqual(await farewell);
  });

  it("says the same of the settings once", async () => {
    const place = playground();
    place.write("user", '{ "lock": { "waitMsec": 3 } }');
    const { station, told } = await stationAt(place);
    await station.upkeep.set("ui.theme", "dark");
    await station.sessions.begin();
    expect(told.filter(({ type }) => type === "notice")).toEqual([]);
  });

  it("goes by the settings of the screen, also when they change", async () => {
    const { station } = await stationAt(playground());
    expect({ ...station.settings }).toEqual({
      doubleEscapeMs: 500,
      theme: "auto",
      mouse: "on",
      backtrackDisplay: "card",
    });
    await station.upkeep.set("ui.theme", "light");
    await station.upkeep.set("ui.mouse", "off");
    expect({ ...station.settings }).toMatchObject({ theme: "light", mouse: "off" });
  });
});
