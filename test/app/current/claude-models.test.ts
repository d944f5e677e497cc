import { readFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { openModelServer } from "../../../src/testing/testing.ts";
import { playground } from "../../cli/support/command-line.ts";
import { claudePlace } from "../../support/claude/claude-place.ts";
import { claudeSdkFolder, describeWithClaude } from "../../support/claude/describe-with-claude.ts";
import { claudeScript } from "../../support/claude/series.ts";
import { stationAt } from "../support/open-app-at.ts";

describeWithClaude("the models of a station of Claude's", () => {
  it("are the SDK's, follow what it says, and stay with its sessions", async () => {
    const server = await openModelServer(claudeScript({ main: [{ text: "Ours." }, { text: "Claude's." }] }));
    onTestFinished(() => server.close());
    const claude = claudePlace();
    const environment = { ...claude.environment(server), WORLDLINE_CLAUDE_SDK: claudeSdkFolder() };
    const place = playground();
    const ours = await place.worldline(["-p", "begin", "--json"], { environment });
    const { session } = JSON.parse(ours.stdout);

    const { station, told, close } = await stationAt(place, { environment, request: { host: "claude" } });
    expect(station.model).toEqual({ state: "ready", name: "claude", window: 200_000 });
    expect((await station.agent.prompt("hello")).answer).toBe("Claude's.");
    const answered = station.model;
    expect(answered).toMatchObject({ state: "ready", name: expect.stringMatching(/^anthropic\/claude-/u) });
    expect(told).toContainEqual({ type: "model", model: answered });

    const rows = await station.models.list();
    expect(rows.map(({ state }) => state)).toEqual(rows.map(() => "ready"));
    expect(rows.map(({ name }) => name)).toContain("haiku");
    expect(await station.models.providers()).toEqual([
      { provider: "anthropic", keyVariable: "ANTHROPIC_API_KEY", state: "key" },
    ]);
    expect(await station.models.findOllama()).toBeUndefined();
    await expect(station.models.connectLocal("ollama/qwen")).rejects.toMatchObject({ code: "INPUT_INVALID" });
    await station.models.choose("haiku", "yes");
    expect(station.model).toMatchObject({ name: "anthropic/haiku" });
    expect(JSON.parse(readFileSync(place.files.user, "utf8"))).toEqual({
      claude: { model: "anthropic/haiku" },
    });

    const own = station.agent.session;
    await station.sessions.begin();
    expect(station.model).toMatchObject({ name: "anthropic/haiku" });
    await station.sessions.open(session);
    expect(station.model).toMatchObject({ name: expect.stringMatching(/^anthropic\/claude-sonnet/u) });
    expect((await station.models.list()).map(({ name }) => name)).toContain("worldline/finder");
    await station.sessions.open(own);
    expect(station.model).toMatchObject({ name: "anthropic/haiku" });
    await close();
  });
});
