import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { playground } from "../../cli/support/command-line.ts";
import { stationAt, talkingStation } from "../support/open-app-at.ts";

describe("the statistics of a station", () => {
  it("are those of its session, with the current prices in the settings", async () => {
    const place = playground();
    const { station } = await talkingStation(place, { text: "Hello." });
    await station.agent.prompt("find the leak");
    const { model } = station.agent;
    const stats = await station.queries.stats();
    expect(stats).toMatchObject({ prompts: 1, steps: 1, replies: 1, sessions: 1 });
    expect(stats.cost).toBeGreaterThan(0);
    place.write(
      "user",
      JSON.stringify({
        models: { [model]: { window: 1_000, input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } },
      }),
    );
    expect((await station.queries.stats()).cost).toBe(0);
  });

  it("are shown without prices if the settings cannot be read, which is reported", async () => {
    const place = playground();
    const { station, told } = await talkingStation(place, { text: "Hello." });
    await station.agent.prompt("find the leak");
    place.write("user", "{ broken");
    expect(await station.queries.stats()).toMatchObject({ prompts: 1 });
    expect(told.flatMap((event) => (event.type === "notice" ? [event.notice.code] : []))).toEqual([
      "settings-unusable",
    ]);
  });
});

describe("the health of a station", () => {
  it("is checked while its own session is held, and nothing is changed", async () => {
    const place = playground();
    const { station } = await talkingStation(place, { text: "Hello." });
    await station.agent.prompt("find the leak");
    const before = place.everything();
    const checks = await station.upkeep.doctor("1.2.3");
    expect(checks.filter(({ status }) => status === "error")).toEqual([]);
    expect(new Set(checks.map(({ about }) => about))).toEqual(
      new Set(["versions", "home", "settings", "sessions", "files", "trash"]),
    );
    expect(place.everything()).toEqual(before);
  });
});

describe("the settings of a station", () => {
  it("are all listed with their sources, and can be set", async () => {
    const place = playground();
    const { station } = await stationAt(place);
    await station.upkeep.set("trash.days", "7");
    const rows = await station.upkeep.settings();
    expect(rows.find(({ key }) => key === "trash.days")).toEqual({
      key: "trash.days",
      value: "7",
      source: expect.objectContaining({ layer: "user", file: expect.stringContaining("settings.json") }),
    });
    expect(rows.find(({ key }) => key === "lock.waitMs")?.source).toEqual({ layer: "default" });
    await expect(station.upkeep.set("trash.day", "7")).rejects.toThrow(/trash\.day/u);
    await expect(station.upkeep.set("trash.days", "many")).rejects.toThrow(/whole number/u);
  });

  it("include the language", async () => {
    const place = playground();
    const { station } = await stationAt(place);
    await station.upkeep.setLanguage("zh-CN");
    expect(JSON.parse(place.read("user"))).toEqual({ language: "zh-CN" });
    await station.sessions.begin();
    expect(station.model).toMatchObject({
      lookedFor: { variables: expect.arrayContaining(["OPENAI_API_KEY"]) },
    });
  });

  it("of a folder take effect once it is trusted", async () => {
    const place = playground();
    place.write("workspace", '{ "compaction": { "keep": 5 } }');
    writeFileSync(join(place.workspace, ".mcp.json"), '{ "mcpServers": {} }');
    const { station, told } = await stationAt(place);
    const keep = async () =>
      (await station.upkeep.settings()).find(({ key }) => key === "compaction.keep")?.value;
    expect(await keep()).toBe("2");
    const shown = await station.upkeep.untrusted();
    expect(shown).toEqual({
      folder: place.workspace,
      what: ["compaction.keep: 5", join(place.workspace, ".mcp.json")],
      seal: expect.stringMatching(/^[0-9a-f]{64}$/u),
    });
    if (shown === undefined) throw new Error("there is nothing to trust");
    place.write("workspace", '{ "compaction": { "keep": 6 } }');
    expect(await station.upkeep.trust(shown)).toBe("changed");
    expect(await keep()).toBe("2");
    place.write("workspace", '{ "compaction": { "keep": 5 } }');
    expect(await station.upkeep.trust(shown)).toBe("done");
    expect(await station.upkeep.untrusted()).toBeUndefined();
    expect(await keep()).toBe("5");
    expect(told.map(({ type }) => type)).toEqual(["replaced", "model"]);
  });

  it("of a folder are shown with the commands that they would start", async () => {
    const place = playground();
    const tracker = { command: "node", args: ["tracker.mjs", "--all", "one word", ""], env: { LEVEL: "3" } };
    const mcpServers = { tracker, docs: { url: "https://docs.example/mcp" } };
    writeFileSync(join(place.workspace, ".mcp.json"), JSON.stringify({ mcpServers }));
    const { station } = await stationAt(place);
    expect((await station.upkeep.untrusted())?.what).toEqual([
      'MCP tracker: LEVEL=3 node tracker.mjs --all "one word" ""',
      "MCP docs: https://docs.example/mcp",
    ]);
  });

  it("include nothing to trust in a folder without its own", async () => {
    const { station } = await stationAt(playground());
    expect(await station.upkeep.untrusted()).toBeUndefined();
  });
});

describe("the permissions of a station", () => {
  it("are the rules of the settings and of the command line", async () => {
    const place = playground();
    place.write("user", '{ "permissions": { "allow": ["Read"], "ask": ["Write"] } }');
    const { station } = await stationAt(place, { request: { deny: ["Bash(rm:*)"] } });
    expect(await station.upkeep.permissions()).toEqual({
      allow: ["Read"],
      ask: ["Write"],
      deny: ["Bash(rm:*)"],
      granted: [],
    });
  });
});

describe("what was typed at a station", () => {
  it("is remembered for the workspace, by all its sessions", async () => {
    const place = playground();
    const first = await stationAt(place);
    await first.station.upkeep.remember("find the leak");
    await first.station.upkeep.remember("two\nlines");
    await first.close();
    const { station } = await stationAt(place);
    expect(await station.upkeep.history()).toEqual(["find the leak", "two\nlines"]);
    const elsewhere = join(dirname(place.workspace), "elsewhere");
    mkdirSync(elsewhere);
    await station.firstSteps.openFolder(elsewhere);
    expect(await station.upkeep.history()).toEqual([]);
  });
});
