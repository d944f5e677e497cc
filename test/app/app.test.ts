import { describe, expect, it } from "vitest";
import { en } from "../../src/strings/en.ts";
import { errorOnScreen } from "../../src/strings/wording.ts";
import { playground } from "../cli/support/command-line.ts";
import { openAppAt, talkingApp } from "./support/open-app-at.ts";

describe("a app", () => {
  it("opens without a model, and says what was looked for", async () => {
    const place = playground();
    const { app, warnings } = await openAppAt(place);
    expect(app.model).toEqual({
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
    const { error } = await app.agent.prompt("hello");
    expect(error).toMatchObject({ code: "MODEL_KEY", reason: "model-not-connected" });
    expect(errorOnScreen(en, error ?? { message: "" })).toEqual({
      message: "No model is connected.",
      hint: "Connect a provider with `/setup`, or choose a model with `/model`. Everything else works without a model.",
    });
  });

  it("warns of a model that the settings name and that cannot be used", async () => {
    const place = playground();
    place.write("user", '{ "model": "anthropic/claude-sonnet-5-5" }');
    const { app, warnings } = await openAppAt(place);
    expect(app.model.state).toBe("none");
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/settings\.json.*No API key for anthropic\/claude-sonnet-5-5/u),
    ]);
  });

  it("does not open with a model that was asked for by name and cannot be used", async () => {
    const place = playground();
    await expect(
      openAppAt(place, { request: { model: "anthropic/claude-sonnet-5-5" } }),
    ).rejects.toMatchObject({
      code: "NO_MODEL",
    });
    await expect(openAppAt(place, { request: { model: "nobody/x" } })).rejects.toMatchObject({
      code: "MODEL_UNKNOWN",
    });
  });

  it("takes the finder for a model", async () => {
    const { app } = await openAppAt(playground(), { request: { model: "worldline/finder" } });
    expect(app.model).toEqual({ state: "ready", name: "worldline/finder", window: 200_000 });
  });

  it("says how to resume a session, and removes one without a conversation", async () => {
    const place = playground();
    const empty = await openAppAt(place);
    expect(await empty.close()).toEqual({});
    expect(JSON.parse((await place.worldline("sessions list --all --json")).stdout)).toMatchObject({
      sessions: [],
      inTrash: 0,
    });
    const { app, close } = await talkingApp(place, { text: "Hello." });
    expect((await app.agent.prompt("hello")).answer).toBe("Hello.");
    const { session } = app.agent;
    expect(await close()).toEqual({ resume: session });
    expect((await place.worldline(["checkpoint", "free"])).code).toBe(0);
  });

  it("keeps nothing of a session that is not to be kept", async () => {
    const place = playground();
    const { app, close } = await openAppAt(place, { request: { keepSession: "no" } });
    await app.agent.prompt("hello");
    expect(await close()).toEqual({});
  });

  it("prints nothing: what commands would warn of is emitted", async () => {
    const place = playground();
    place.write("user", '{ "lock": { "waitMsec": 3 } }');
    const { warnings } = await openAppAt(place);
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining("unknown setting lock.waitMsec"),
    ]);
  });

  it("continues the session last used, and not one that is just being created", async () => {
    const place = playground();
    const { app, close, environment } = await talkingApp(place, { text: "Hello." });
    await app.agent.prompt("hello");
    await close();
    await openAppAt(place, { environment });
    const last = await openAppAt(place, { environment, request: { resume: { how: "continue" } } });
    expect(last.app.agent.session).toBe(app.agent.session);
    expect((await last.app.queries.recap())?.session).toBe(app.agent.session);
  });

  it("finishes manual work before it closes", async () => {
    const { app, close } = await openAppAt(playground());
    const saving = app.journeys.save("before", undefined);
    const farewell = close();
    expect(await saving).toBe(1);
    expect(await farewell).toEqual({ resume: app.agent.session });
    expect(await app.close()).toEqual(await farewell);
  });

  it("says the same of the settings once", async () => {
    const place = playground();
    place.write("user", '{ "lock": { "waitMsec": 3 } }');
    const { app, told } = await openAppAt(place);
    await app.upkeep.set("ui.theme", "dark");
    await app.sessions.begin();
    expect(told.filter(({ type }) => type === "notice")).toEqual([]);
  });

  it("goes by the current settings, also when they change", async () => {
    const { app } = await openAppAt(playground());
    expect(app.settings).toMatchObject({
      "ui.doubleEscapeMs": 500,
      "ui.theme": "auto",
      "ui.mouse": true,
      "backtrack.display": "card",
    });
    await app.upkeep.set("ui.theme", "light");
    await app.upkeep.set("ui.mouse", "off");
    expect(app.settings).toMatchObject({ "ui.theme": "light", "ui.mouse": false });
  });
});
