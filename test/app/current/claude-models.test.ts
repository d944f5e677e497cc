import { readFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { openModelServer } from "../../../src/testing/testing.ts";
import { playground } from "../../cli/support/command-line.ts";
import { claudePlace } from "../../support/claude/claude-place.ts";
import { claudeSdkFolder, describeWithClaude } from "../../support/claude/describe-with-claude.ts";
import { claudeScript } from "../../support/claude/series.ts";
import { openAppAt } from "../support/open-app-at.ts";

describeWithClaude("the models of a app of Claude's", () => {
  it("are the SDK's, follow what it says, and stay with its sessions", async () => {
    const server = await openModelServer(claudeScript({ main: [{ text: "Ours." }, { text: "Claude's." }] }));
    onTestFinished(() => server.close());
    const claude = claudePlace();
    const environment = { ...claude.environment(server), WORLDLINE_CLAUDE_SDK: claudeSdkFolder() };
    const place = playground();
    const ours = await place.worldline(["-p", "begin", "--json"], { environment });
    const { session } = JSON.parse(ours.stdout);

    const { app, told, close } = await openAppAt(place, { environment, request: { host: "claude" } });
    expect(app.model).toEqual({ state: "ready", name: "claude", window: 200_000 });
    expect((await app.agent.prompt("hello")).answer).toBe("Claude's.");
    const answered = app.model;
    expect(answered).toMatchObject({ state: "ready", name: expect.stringMatching(/^anthropic\/claude-/u) });
    expect(told).toContainEqual({ type: "model", model: answered });

    const rows = await app.models.list();
    expect(rows.map(({ state }) => state)).toEqual(rows.map(() => "ready"));
    expect(rows.map(({ name }) => name)).toContain("haiku");
    expect(await app.models.providers()).toEqual([
      { provider: "anthropic", keyVariable: "ANTHROPIC_API_KEY", state: "key" },
    ]);
    expect(await app.models.findOllama()).toBeUndefined();
    await expect(app.models.connectLocal("ollama/qwen")).rejects.toMatchObject({ code: "INPUT_INVALID" });
    await app.models.choose("haiku", "yes");
    expect(app.model).toMatchObject({ name: "anthropic/haiku" });
    expect(JSON.parse(readFileSync(place.files.user, "utf8"))).toEqual({
      claude: { model: "anthropic/haiku" },
    });

    const own = app.agent.session;
    await app.sessions.begin();
    expect(app.model).toMatchObject({ name: "anthropic/haiku" });
    await app.sessions.open(session);
    expect(app.model).toMatchObject({ name: expect.stringMatching(/^anthropic\/claude-sonnet/u) });
    expect((await app.models.list()).map(({ name }) => name)).toContain("worldline/finder");
    await app.sessions.open(own);
    expect(app.model).toMatchObject({ name: "anthropic/haiku" });
    await close();
  });
});
