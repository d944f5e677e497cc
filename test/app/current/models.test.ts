import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openModelServer, scripted } from "../../../src/testing/testing.ts";
import { playground } from "../../cli/support/command-line.ts";
import { openAppAt, talkingApp } from "../support/open-app-at.ts";

/** An address that nothing listens on. */
const NOBODY = { OLLAMA_HOST: "127.0.0.1:1" };

async function ollamaWith(...names: string[]): Promise<string> {
  const server = createServer((request, response) => {
    const models = names.map((name) => ({ name }));
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(request.url === "/api/tags" ? { models } : {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("the models of a app", () => {
  it("are listed, those that can be used first", async () => {
    const environment = { ...NOBODY, ANTHROPIC_API_KEY: "k" };
    const { app } = await openAppAt(playground(), { environment });
    const rows = await app.models.list();
    const states = rows.map(({ state }) => state);
    expect(states).toEqual([...states].sort((a, b) => (a === b ? 0 : a === "ready" ? -1 : 1)));
    expect(rows).toContainEqual({
      name: "worldline/finder",
      window: 200_000,
      state: "ready",
      isCurrent: false,
    });
    expect(rows.filter(({ isCurrent }) => isCurrent)).toEqual([
      { name: "anthropic/claude-sonnet-5-5", window: expect.any(Number), state: "ready", isCurrent: true },
    ]);
    expect(rows.some(({ name, state }) => name.startsWith("openai/") && state === "no-key")).toBe(true);
    expect(rows.some(({ name }) => name.startsWith("ollama/"))).toBe(false);
  });

  it("are chosen for the session, and remembered only when asked to", async () => {
    const place = playground();
    const { app, told } = await talkingApp(place, { text: "Hello." });
    await app.models.choose("worldline/finder", "no");
    const finder = { state: "ready", name: "worldline/finder", window: 200_000 };
    expect(app.model).toEqual(finder);
    expect(told).toEqual([{ type: "model", model: finder }]);
    expect(app.agent.model).toBe("worldline/finder");
    expect(existsSync(place.files.user)).toBe(false);
    await expect(app.models.choose("nobody/x", "yes")).rejects.toMatchObject({ code: "MODEL_UNKNOWN" });
    expect(app.model).toEqual(finder);
    await app.models.choose("worldline/finder", "yes");
    expect(JSON.parse(place.read("user"))).toEqual({ model: "worldline/finder" });
  });

  it("are chosen where there was none", async () => {
    const { app } = await openAppAt(playground(), { environment: NOBODY });
    expect(app.model.state).toBe("none");
    await app.models.choose("worldline/finder", "no");
    expect(app.model.state).toBe("ready");
    const { answer } = await app.agent.prompt("find what broke: true");
    expect(answer).not.toBe("");
  });

  it("come with a key that works, which only its owner can read", async () => {
    const server = await openModelServer(scripted({ text: "OK" }, { text: "Hello." }));
    onTestFinished(() => server.close());
    const place = playground();
    const { ANTHROPIC_API_KEY: key = "", ...environment } = server.environment("anthropic");
    const { app } = await openAppAt(place, { environment });
    expect(await app.models.providers()).toContainEqual({
      provider: "anthropic",
      keyVariable: "ANTHROPIC_API_KEY",
      state: "no-key",
    });
    await app.models.connect("anthropic", ` ${key}\n`);
    expect(app.model).toMatchObject({ state: "ready", name: "anthropic/claude-sonnet-5-5" });
    const file = join(place.home, "keys.json");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ ANTHROPIC_API_KEY: key });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await app.models.providers())[0]).toMatchObject({ provider: "anthropic", state: "key" });
    // Worldline would choose the same model at the next start anyway.
    expect(existsSync(place.files.user)).toBe(false);
    expect((await app.agent.prompt("hello")).answer).toBe("Hello.");
  });

  it("are remembered where another one would be used at the next start", async () => {
    const server = await openModelServer(scripted({ text: "OK" }));
    onTestFinished(() => server.close());
    const place = playground();
    const { OPENAI_API_KEY: key = "", ...openai } = server.environment("responses");
    const { app } = await openAppAt(place, {
      environment: { ...openai, ...server.environment("anthropic") },
    });
    await app.models.connect("openai", key);
    expect(app.model).toMatchObject({ state: "ready", name: expect.stringMatching(/^openai\//u) });
    expect(JSON.parse(place.read("user"))).toEqual({ model: app.agent.model });
  });

  it("are not connected to with a key that does not work; nothing is kept then", async () => {
    const server = await openModelServer(scripted({ misbehave: { do: "status", status: 401 } }));
    onTestFinished(() => server.close());
    const place = playground();
    const { ANTHROPIC_API_KEY: _, ...environment } = server.environment("anthropic");
    const { app } = await openAppAt(place, { environment });
    await expect(app.models.connect("anthropic", "wrong")).rejects.toMatchObject({ code: "MODEL_KEY" });
    await expect(app.models.connect("ollama", "x")).rejects.toMatchObject({ code: "INPUT_INVALID" });
    await expect(app.models.connect("anthropic", "  ")).rejects.toMatchObject({ code: "INPUT_INVALID" });
    expect(app.model.state).toBe("none");
    expect((await app.models.providers())[0]).toMatchObject({ state: "no-key" });
  });

  it("that need no key are tried before they are taken, and then remembered", async () => {
    const bad = { misbehave: { do: "status", status: 404 } } as const;
    const server = await openModelServer(scripted(bad, { text: "ready" }));
    onTestFinished(() => server.close());
    const place = playground();
    const { app } = await openAppAt(place, { environment: server.environment("ollama") });
    const name = server.modelFor("ollama");
    await expect(app.models.connectLocal(name)).rejects.toMatchObject({
      hint: expect.stringContaining("Nothing was saved."),
    });
    expect(app.model.state).toBe("none");
    await app.models.connectLocal(name);
    expect(app.model).toMatchObject({ state: "ready", name });
    expect(JSON.parse(place.read("user"))).toEqual({ model: name });
  });

  it("may be an Ollama's on this machine, and only there", async () => {
    const host = await ollamaWith("qwen3:8b", "llama3.2");
    const found = async (OLLAMA_HOST: string) => {
      const { app, close } = await openAppAt(playground(), { environment: { OLLAMA_HOST } });
      const ollama = await app.models.findOllama();
      await close();
      return ollama;
    };
    expect(await found(host)).toEqual({ models: ["ollama/llama3.2", "ollama/qwen3:8b"] });
    expect(await found(NOBODY.OLLAMA_HOST)).toBeUndefined();
    expect(await found("http://ollama.example.com")).toBeUndefined();
  });
});
