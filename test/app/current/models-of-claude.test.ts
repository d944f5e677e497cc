import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openModelServer, scripted } from "../../../src/testing/testing.ts";
import { playground } from "../../cli/support/command-line.ts";
import { openAppAt } from "../support/open-app-at.ts";

const NAME = "@anthropic-ai/claude-agent-sdk";

/** A package that can be loaded in place of the SDK: each process lists the models in a file, and is counted. */
const CODE = `
import { appendFileSync, readFileSync } from "node:fs";
const beside = (name) => new URL(name, import.meta.url);
export const query = () => ({
  supportedModels: async () => {
    appendFileSync(beside("asked"), "x");
    return JSON.parse(readFileSync(beside("models.json"), "utf8"));
  },
  close: () => undefined,
});
${["getSessionMessages", "forkSession", "createSdkMcpServer", "tool"]
  .map((name) => `export const ${name} = () => undefined;`)
  .join("\n")}`;

const HAIKU = { value: "haiku", description: "Fast", resolvedModel: "claude-haiku-4-5" };
const SONNET = { value: "sonnet", description: "Balanced", resolvedModel: "claude-sonnet-5-5" };
const DEFAULT = { value: "default", description: "Recommended", resolvedModel: "claude-sonnet-5-5" };

/** An app whose session is Claude's. `model`: the model in the settings. */
async function claudeApp({ model = "", environment = {} }: { model?: string; environment?: object } = {}) {
  const place = playground();
  const folder = join(place.root, "sdk", "node_modules", NAME);
  mkdirSync(folder, { recursive: true });
  const facts = { name: NAME, version: "0.3.325", main: "sdk.mjs", type: "module" };
  writeFileSync(join(folder, "package.json"), JSON.stringify(facts));
  writeFileSync(join(folder, "sdk.mjs"), CODE);
  writeFileSync(join(folder, "asked"), "");
  const list = (models: unknown) => writeFileSync(join(folder, "models.json"), JSON.stringify(models));
  list([DEFAULT, HAIKU, SONNET]);
  const opened = await openAppAt(place, {
    environment: { ...environment, WORLDLINE_CLAUDE_SDK: join(place.root, "sdk") },
    request: { host: "claude" },
    settings: { "claude.model": model },
  });
  const asked = () => readFileSync(join(folder, "asked"), "utf8").length;
  return { ...opened, place, list, asked };
}

async function currentModels(model: string): Promise<readonly string[]> {
  const { app, close } = await claudeApp({ model });
  const rows = await app.models.list();
  await close();
  return rows.filter(({ isCurrent }) => isCurrent).map(({ name }) => name);
}

describe("the models of a session of Claude's", () => {
  it("are those that its process lists, which is asked once", async () => {
    const { app, asked } = await claudeApp({ model: "haiku" });
    const rows = [
      { name: "default", state: "ready", isCurrent: false },
      { name: "haiku", state: "ready", isCurrent: true },
      { name: "sonnet", state: "ready", isCurrent: false },
    ];
    expect([await app.models.list(), await app.models.list(), asked()]).toEqual([rows, rows, 1]);
  });

  it("are asked for again if the process could not answer", async () => {
    const { app, list, asked } = await claudeApp();
    list("no list");
    await expect(app.models.list()).rejects.toThrow();
    list([HAIKU]);
    expect(await app.models.list()).toEqual([{ name: "haiku", state: "ready", isCurrent: false }]);
    expect(asked()).toBe(2);
  });

  it("include the current one by its own name, or else the first one that stands for it", async () => {
    expect(await currentModels("claude-sonnet-5-5")).toEqual(["default"]);
    expect(await currentModels("anthropic/sonnet")).toEqual(["sonnet"]);
    expect(await currentModels("gateway/anthropic/sonnet")).toEqual([]);
  });

  it("are chosen for the session, and remembered only when asked to", async () => {
    const { app, place } = await claudeApp();
    place.write("user", "{}");
    await app.models.choose("haiku", "no");
    expect([app.model, app.agent.model]).toEqual([
      { state: "ready", name: "anthropic/haiku", window: 200_000 },
      "anthropic/haiku",
    ]);
    expect(place.read("user")).toBe("{}");
    await app.models.choose("sonnet", "yes");
    expect(JSON.parse(place.read("user"))).toEqual({ claude: { model: "anthropic/sonnet" } });
  });

  it("come from one provider, and never from this machine", async () => {
    const { app } = await claudeApp({ environment: { OLLAMA_HOST: "127.0.0.1:1" } });
    expect(await app.models.providers()).toEqual([
      { provider: "anthropic", keyVariable: "ANTHROPIC_API_KEY", state: "no-key" },
    ]);
    expect(await app.models.findOllama()).toBeUndefined();
    await expect(app.models.connectLocal("ollama/qwen")).rejects.toMatchObject({
      reason: "model-not-of-the-sdk",
      params: { model: "ollama/qwen" },
    });
  });

  it("are connected to with a key that the session gets when it is opened again", async () => {
    const server = await openModelServer(scripted({ text: "OK" }));
    onTestFinished(() => server.close());
    const { ANTHROPIC_API_KEY: key = "", ...environment } = server.environment("anthropic");
    const { app, told, place } = await claudeApp({ environment });
    const { session } = app.agent;
    await app.models.connect("anthropic", key);
    expect(JSON.parse(readFileSync(join(place.home, "keys.json"), "utf8"))).toEqual({
      ANTHROPIC_API_KEY: key,
    });
    expect(told[0]).toEqual({ type: "replaced", how: "reopened", from: session });
    expect((await app.models.providers())[0]).toMatchObject({ state: "key" });
  });
});
