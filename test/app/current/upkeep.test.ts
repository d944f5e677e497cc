import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSession } from "../../../src/open-session.ts";
import { playground } from "../../cli/support/command-line.ts";
import { openAppAt, talkingApp } from "../support/open-app-at.ts";

describe("the statistics of a app", () => {
  it("are those of its session, with the current prices in the settings", async () => {
    const place = playground();
    const { app } = await talkingApp(place, { text: "Hello." });
    await app.agent.prompt("find the leak");
    const { model } = app.agent;
    const stats = await app.queries.stats();
    expect(stats).toMatchObject({ prompts: 1, steps: 1, replies: 1, sessions: 1 });
    expect(stats.cost).toBeGreaterThan(0);
    place.write(
      "user",
      JSON.stringify({
        models: { [model]: { window: 1_000, input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } },
      }),
    );
    expect((await app.queries.stats()).cost).toBe(0);
  });

  it("are shown without prices if the settings cannot be read, which is reported", async () => {
    const place = playground();
    const { app, told } = await talkingApp(place, { text: "Hello." });
    await app.agent.prompt("find the leak");
    place.write("user", "{ broken");
    expect(await app.queries.stats()).toMatchObject({ prompts: 1 });
    expect(told.flatMap((event) => (event.type === "notice" ? [event.notice.code] : []))).toEqual([
      "settings-unusable",
    ]);
  });
});

describe("the instructions of a workspace", () => {
  it("are written as a command of the user, and never over existing ones", async () => {
    const place = playground();
    const { app } = await openAppAt(place);
    expect(await app.upkeep.hasInstructions()).toBe(false);
    expect(await app.upkeep.writeInstructions(["# Don't", "", "$HOME %s"])).toBe("written");
    expect(await app.upkeep.hasInstructions()).toBe(true);
    expect(await app.upkeep.writeInstructions(["other"])).toBe("failed");
    expect(readFileSync(join(place.workspace, "AGENTS.md"), "utf8")).toBe("# Don't\n\n$HOME %s\n");
    expect(await app.journeys.find("1")).toMatchObject({ on: "command" });
  });
});

describe("the health of a app", () => {
  it("is checked while its own session is held, and nothing is changed", async () => {
    const place = playground();
    const { app } = await talkingApp(place, { text: "Hello." });
    await app.agent.prompt("find the leak");
    const before = place.everything();
    const checks = await app.upkeep.doctor("1.2.3");
    expect(checks.filter(({ status }) => status === "error")).toEqual([]);
    expect(new Set(checks.map(({ about }) => about))).toEqual(
      new Set(["versions", "home", "settings", "sessions", "files", "trash"]),
    );
    expect(place.everything()).toEqual(before);
  });
});

describe("the settings of a app", () => {
  it("are all listed with their sources, and can be set", async () => {
    const place = playground();
    const { app } = await openAppAt(place);
    await app.upkeep.set("trash.days", "7");
    const rows = await app.upkeep.settings();
    expect(rows.find(({ key }) => key === "trash.days")).toEqual({
      key: "trash.days",
      value: "7",
      source: expect.objectContaining({ layer: "user", file: expect.stringContaining("settings.json") }),
    });
    expect(rows.find(({ key }) => key === "lock.waitMs")?.source).toEqual({ layer: "default" });
    await expect(app.upkeep.set("trash.day", "7")).rejects.toThrow(/trash\.day/u);
    await expect(app.upkeep.set("trash.days", "many")).rejects.toThrow(/whole number/u);
  });

  it("count now or once a session is opened, unless another layer has precedence", async () => {
    const { app } = await openAppAt(playground(), { environment: { WORLDLINE_TRASH_DAYS: "3" } });
    const file = expect.stringContaining("settings.json");
    const user = expect.objectContaining({ layer: "user", file });
    for (const key of [
      "ui.theme",
      "language",
      "ui.mouse",
      "ui.doubleEscapeMs",
      "backtrack.display",
    ] as const) {
      const row = (await app.upkeep.settings()).find((each) => each.key === key);
      expect(await app.upkeep.set(key, row?.value ?? "")).toMatchObject({ effect: "now", source: user });
    }
    for (const key of ["rewind.confirmDeletes", "lock.waitMs"])
      expect(await app.upkeep.set(key, "9")).toMatchObject({ effect: "now", value: "9" });
    expect(await app.upkeep.set("compaction.keep", "4")).toEqual({
      effect: "later",
      value: "4",
      source: user,
    });
    expect(await app.upkeep.set("trash.days", "7")).toEqual({
      effect: "overridden",
      value: "3",
      source: expect.objectContaining({ layer: "environment" }),
    });
  });

  it("are written even if another file cannot be read, which is reported", async () => {
    const place = playground();
    const { app } = await openAppAt(place);
    place.write("workspace", "{ broken");
    await expect(app.upkeep.set("trash.days", "7")).rejects.toMatchObject({ code: "SETTINGS_INVALID" });
    expect(JSON.parse(place.read("user"))).toEqual({ trash: { days: 7 } });
  });

  it("include the language", async () => {
    const place = playground();
    const { app } = await openAppAt(place);
    await app.upkeep.setLanguage("zh-CN");
    expect(JSON.parse(place.read("user"))).toEqual({ language: "zh-CN" });
    await app.sessions.begin();
    expect(app.model).toMatchObject({
      lookedFor: { variables: expect.arrayContaining(["OPENAI_API_KEY"]) },
    });
  });

  it("of a folder take effect once it is trusted", async () => {
    const place = playground();
    place.write("workspace", '{ "compaction": { "keep": 5 } }');
    writeFileSync(join(place.workspace, ".mcp.json"), '{ "mcpServers": {} }');
    const { app, told } = await openAppAt(place);
    const keep = async () =>
      (await app.upkeep.settings()).find(({ key }) => key === "compaction.keep")?.value;
    expect(await keep()).toBe("2");
    const shown = await app.upkeep.untrusted();
    expect(shown).toEqual({
      folder: place.workspace,
      what: ["compaction.keep: 5", join(place.workspace, ".mcp.json")],
      seal: expect.stringMatching(/^[0-9a-f]{64}$/u),
    });
    if (shown === undefined) throw new Error("there is nothing to trust");
    place.write("workspace", '{ "compaction": { "keep": 6 } }');
    expect(await app.upkeep.trust(shown)).toBe("changed");
    expect(await keep()).toBe("2");
    place.write("workspace", '{ "compaction": { "keep": 5 } }');
    expect(await app.upkeep.trust(shown)).toBe("done");
    expect(await app.upkeep.untrusted()).toBeUndefined();
    expect(await keep()).toBe("5");
    expect(told.map(({ type }) => type)).toEqual(["replaced", "model"]);
  });

  it("of a folder are shown with the commands that they would start", async () => {
    const place = playground();
    const tracker = { command: "node", args: ["tracker.mjs", "--all", "one word", ""], env: { LEVEL: "3" } };
    const mcpServers = { tracker, docs: { url: "https://docs.example/mcp" } };
    writeFileSync(join(place.workspace, ".mcp.json"), JSON.stringify({ mcpServers }));
    const { app } = await openAppAt(place);
    expect((await app.upkeep.untrusted())?.what).toEqual([
      'MCP tracker: LEVEL=3 node tracker.mjs --all "one word" ""',
      "MCP docs: https://docs.example/mcp",
    ]);
  });

  it("include nothing to trust in a folder without its own", async () => {
    const { app } = await openAppAt(playground());
    expect(await app.upkeep.untrusted()).toBeUndefined();
  });
});

/** An app with a session in which the user granted these rules. */
async function openSessionWith(granted: readonly string[]) {
  const place = playground();
  const { home, workspace } = place;
  const session = await openSession({ home, workspace });
  await session.prompt("test it");
  await session.step();
  for (const rule of granted) await session.toolStart(`c-${rule}`, "Bash", { granted: rule });
  await session.close();
  const { app } = await openAppAt(place, { request: { resume: { how: "resume", wanted: session.id } } });
  return { app, session: session.id };
}

describe("the permissions of a app", () => {
  it("are the rules of the settings and of the command line", async () => {
    const place = playground();
    place.write("user", '{ "permissions": { "allow": ["Read"], "ask": ["Write"] } }');
    const { app } = await openAppAt(place, { request: { deny: ["Bash(rm:*)"] } });
    expect(await app.upkeep.permissions()).toEqual({
      allow: ["Read"],
      ask: ["Write"],
      deny: ["Bash(rm:*)"],
      granted: [],
    });
  });

  it("include what the user granted for the session, once each", async () => {
    const { app, session } = await openSessionWith(["Bash(npm test)", "Read", "Read"]);
    expect(app.agent.session).toBe(session);
    expect(await app.upkeep.permissions()).toEqual({
      allow: [],
      ask: [],
      deny: [],
      granted: ["Bash(npm test)", "Read"],
    });
  });
});

describe("what was typed at a app", () => {
  it("is remembered for the workspace, by all its sessions", async () => {
    const place = playground();
    const first = await openAppAt(place);
    await first.app.upkeep.remember("find the leak");
    await first.app.upkeep.remember("two\nlines");
    await first.close();
    const { app } = await openAppAt(place);
    expect(await app.upkeep.history()).toEqual(["find the leak", "two\nlines"]);
    const elsewhere = join(dirname(place.workspace), "elsewhere");
    mkdirSync(elsewhere);
    await app.sessions.openFolder(elsewhere);
    expect(await app.upkeep.history()).toEqual([]);
  });

  it("is not remembered by a session that is not saved", async () => {
    const { app } = await openAppAt(playground(), { request: { keepSession: "no" } });
    await app.upkeep.remember("a secret");
    expect(await app.upkeep.history()).toEqual([]);
  });
});
