import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import type { AgentRequest } from "../../../src/app/agent/agent-request.ts";
import { withoutPassword } from "../../../src/app/agent/make-agent.ts";
import { type StartOptions, startAgent } from "../../../src/app/agent/start-agent.ts";
import { openStore } from "../../../src/app/sessions/store.ts";
import { printPerson } from "../../../src/cli/commands/agent/print-person.ts";
import type { AgentEvent } from "../../../src/ports/agent-events.ts";
import { toSeq } from "../../../src/record/ids.ts";
import { openModelServer, type ScriptedReply, scripted } from "../../../src/testing/testing.ts";
import { playground } from "../../cli/support/command-line.ts";
import { REMOTE, reportingContext } from "../support/reporting-context.ts";

const script = fileURLToPath(new URL("../../agent/mcp/stdio-server.mjs", import.meta.url));

const MIB = 1_048_576;

const request: AgentRequest = {
  allow: [],
  deny: [],
  resume: { how: "new" },
  fork: "no",
  host: "native",
  keepSession: "yes",
  model: "worldline/finder",
};

interface Given extends NonNullable<Parameters<typeof reportingContext>[0]> {
  readonly request?: Partial<AgentRequest>;
  readonly start?: Partial<StartOptions>;
}

/** Starts an agent, with the finder as its model unless another one is requested. */
async function started({ request: fields, start, ...given }: Given = {}) {
  const place = given.place ?? playground();
  const environment = { PATH: process.env["PATH"] ?? "", HOME: place.root, ...given.environment };
  const at = reportingContext({ ...given, place, environment });
  const options = { request: { ...request, ...fields }, person: printPerson(() => undefined), ...start };
  const opened = await startAgent(at.context, options);
  let closing: Promise<void> | undefined;
  const close = async () => {
    closing ??= opened.close();
    return closing;
  };
  onTestFinished(() => close().catch(() => undefined));
  return { ...at, ...opened, close };
}

/** A server whose model gives these replies, as an environment. */
async function modelThatSays(...replies: readonly ScriptedReply[]) {
  const server = await openModelServer(scripted(...replies));
  onTestFinished(() => server.close());
  return { environment: { ...server.environment("anthropic") }, model: server.modelFor("anthropic"), server };
}

describe("an agent", () => {
  it("has its host, its request, its rules and its settings, and has not searched for a model", async () => {
    const {
      agent,
      host,
      rules,
      settings,
      opened,
      lookedFor,
      request: settled,
    } = await started({
      request: { allow: ["Read"] },
      settings: { permissions: { deny: ["Bash(rm:*)"] } },
    });
    expect({ host, rules, settled, lookedFor, resumed: opened.resumed, model: agent.model }).toEqual({
      host: "native",
      rules: { allow: ["Read"], ask: [], deny: ["Bash(rm:*)"] },
      settled: { ...request, allow: ["Read"] },
      lookedFor: undefined,
      resumed: "new",
      model: "worldline/finder",
    });
    expect(settings["permissions.deny"]).toEqual(["Bash(rm:*)"]);
  });

  it("has the requested mode and model, or those in the settings, or the places that were searched", async () => {
    const settings = { permissions: { mode: "plan" }, providers: { here: REMOTE }, model: "here/main" };
    const modelAfter = async (before: "native" | "claude") =>
      (await started({ settings, start: { before } })).agent.model;
    expect([await modelAfter("native"), await modelAfter("claude")]).toEqual([
      "worldline/finder",
      "here/main",
    ]);
    const usual = await started({ settings });
    expect([usual.agent.mode, usual.agent.model]).toEqual(["plan", "worldline/finder"]);
    expect((await started({ settings, request: { mode: "accept-edits" } })).agent.mode).toBe("accept-edits");
    const { lookedFor, agent } = await started({ request: { model: undefined, withoutModel: "open" } });
    expect([lookedFor?.setting, agent.model]).toEqual(["", "none"]);
  });

  it("hides the providers' keys from commands", async () => {
    const settings = { providers: { here: { ...REMOTE, keyVariable: "HERE_KEY" }, open: REMOTE } };
    const environment = { HERE_KEY: "secret", OTHER: "seen" };
    const { agent, workspace } = await started({ settings, environment });
    await agent.run('echo "[$HERE_KEY][$OTHER]" > seen.txt', "user-only");
    expect(readFileSync(join(workspace, "seen.txt"), "utf8")).toBe("[][seen]\n");
  });

  it("reports that its changes to files cannot be undone, but not if the user has chosen that", async () => {
    const place = playground();
    mkdirSync(place.home);
    writeFileSync(join(place.home, "snapshots"), "no folder");
    const refused = await started({ place });
    expect(refused.reported).toEqual([
      { code: "without-files", problem: expect.objectContaining({ reason: expect.any(String) }) },
    ]);
    const chosen = await started({ settings: { enableFileCheckpointing: false } });
    expect(chosen.reported).toEqual([]);
  });

  it("knows what its calls cost, and starts sub-agents in the store of its own session", async () => {
    const { environment, model } = await modelThatSays(
      { calls: [{ name: "Task", input: { description: "look", prompt: "look around" } }] },
      { text: "Nothing here." },
      { text: "Done." },
    );
    const settings = { models: { [model]: { input: 10, output: 10, cacheRead: 10, cacheWrite: 10 } } };
    const { agent, context, opened } = await started({
      ...{ environment, settings },
      request: { model, mode: "auto" },
    });
    const end = await agent.prompt("look");
    expect(end).toMatchObject({ outcome: "done", answer: "Done." });
    expect(end.cost).toBeCloseTo((10 * (end.usage.input + end.usage.output)) / 1e6, 9);
    expect(end.cost).toBeGreaterThan(0);
    const store = openStore(context);
    const headers = await Promise.all(
      (await store.list()).map(async (id) => (await store.read(id, toSeq(1), toSeq(1)))[0]),
    );
    expect(
      headers.filter((header) => header?.kind === "session" && header.session !== agent.session),
    ).toEqual([
      expect.objectContaining({
        workspace: opened.session.header.workspace,
        task: { session: agent.session, call: expect.any(String) },
        backtrack: "off",
      }),
    ]);
  });
});

describe("closing an agent", () => {
  it("lets the session go, and keeps its long outputs", async () => {
    const { agent, opened, close, home, workspace } = await started();
    mkdirSync(opened.outputs, { recursive: true });
    await close();
    expect(existsSync(opened.outputs)).toBe(true);
    const place = { ...playground(), home, workspace };
    const again = await started({ place, request: { resume: { how: "resume", wanted: agent.session } } });
    expect([again.opened.resumed, again.agent.session]).toEqual(["resumed", agent.session]);
  });

  it("removes the long outputs of a session that is not kept", async () => {
    const kept = await started({ request: { keepSession: "no" } });
    const { outputs } = kept.opened;
    mkdirSync(outputs, { recursive: true });
    writeFileSync(join(outputs, "1.txt"), "long");
    await kept.close();
    expect(existsSync(outputs)).toBe(false);
    const unused = await started({ request: { keepSession: "no" } });
    await expect(unused.close()).resolves.toBeUndefined();
  });

  it("tidies the store of the snapshots, which are closed", async () => {
    const { agent, close, home, workspace, reported } = await started({
      settings: { snapshots: { maxBytes: MIB } },
    });
    writeFileSync(join(workspace, "large.bin"), randomBytes(2 * MIB));
    await agent.run("echo two > b.txt", "user-only");
    await close();
    expect(readdirSync(join(home, "snapshots"))).toContain("tidied");
    expect(reported.map(({ code }) => code)).toEqual([expect.stringMatching(/^store-/u)]);
  });
});

describe("the MCP servers of an agent", () => {
  const configured = (servers: object) => {
    const place = playground();
    writeFileSync(join(place.workspace, ".mcp.json"), JSON.stringify(servers));
    return place;
  };
  const toolsOf = (agent: Awaited<ReturnType<typeof started>>["agent"]) => {
    let tools: readonly string[] = [];
    agent.on((event: AgentEvent) => {
      if (event.type === "session") tools = event.tools;
    })();
    return tools.filter((name) => name.startsWith("mcp__"));
  };

  it("are started only if the user trusts the workspace", async () => {
    const servers = { mcpServers: { tools: { command: process.execPath, args: [script] } } };
    const place = configured(servers);
    const untrusted = await started({ place });
    expect([toolsOf(untrusted.agent), untrusted.reported]).toEqual([
      [],
      [{ code: "mcp-untrusted", file: join(place.workspace, ".mcp.json") }],
    ]);
    await place.worldline("config trust");
    const trusted = await started({ place });
    expect(toolsOf(trusted.agent).length).toBeGreaterThan(0);
    expect(trusted.reported).toEqual([]);
  });

  it("are reported if they do not start", async () => {
    const place = configured({ mcpServers: { broken: { command: "/nowhere/server" } } });
    await place.worldline("config trust");
    const { reported } = await started({ place });
    expect(reported).toEqual([{ code: "mcp-trouble", server: "broken", problem: expect.anything() }]);
  });
});

const NAME = "@anthropic-ai/claude-agent-sdk";

describe("Claude's agent", () => {
  const machine = () => {
    const place = playground();
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(place.root, path)), { recursive: true });
      writeFileSync(join(place.root, path), text);
    };
    const names = ["query", "getSessionMessages", "forkSession", "createSdkMcpServer", "tool"];
    const folder = `sdk/node_modules/${NAME}`;
    write(`${folder}/package.json`, JSON.stringify({ name: NAME, version: "0.3.325", main: "sdk.mjs" }));
    write(`${folder}/sdk.mjs`, names.map((name) => `export const ${name} = () => undefined;`).join("\n"));
    return { place, environment: { WORLDLINE_CLAUDE_SDK: join(place.root, "sdk") } };
  };

  it("has a list of models, and no MCP servers or finder of ours", async () => {
    const { place, environment } = machine();
    writeFileSync(join(place.workspace, ".mcp.json"), JSON.stringify({ mcpServers: {} }));
    const settings = { context: { window: 9_000 } };
    const { host, models, lookedFor, reported, agent, opened } = await started({
      ...{ place, environment, settings },
      request: { host: "claude", model: "opus" },
    });
    expect([host, typeof models, lookedFor, reported]).toEqual([
      ...["claude", "function", undefined, [{ code: "claude-untrusted" }]],
    ]);
    expect(agent.session).toBe(opened.session.id);
    let window: number | undefined;
    agent.on((event: AgentEvent) => {
      if (event.type === "session") window = event.window;
    })();
    expect(window).toBe(9_000);
  });

  it("keeps its own sessions even if Worldline's are not kept, which is reported", async () => {
    const { place, environment } = machine();
    const { reported, close } = await started({
      ...{ place, environment },
      request: { host: "claude", model: undefined, keepSession: "no" },
    });
    expect(reported).toEqual([{ code: "claude-keeps-its-own" }]);
    await close();
  });
});

describe("the environment of an agent's commands", () => {
  it("names the store without its password", () => {
    const url = "postgres://me:secret@db.example/worldline";
    const store = { kind: "postgres", url, name: "worldline" } as const;
    expect(withoutPassword({ PATH: "/bin" }, store)).toEqual({ PATH: "/bin" });
    expect(withoutPassword({ PATH: "/bin", WORLDLINE_STORE: url }, store)).toEqual({
      PATH: "/bin",
      WORLDLINE_STORE: "postgres://me@db.example/worldline",
    });
  });
});
