import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { Environment } from "../../../src/agent/http-fetch.ts";
import type { ModelSettings } from "../../../src/agent/models/catalogue.ts";
import { checkModel, chooseModel } from "../../../src/agent/models/choose-model.ts";
import { type ModelServer, openModelServer } from "../../../src/testing/model-server/model-server.ts";
import { scripted } from "../../../src/testing/model-server/script.ts";
import { keysOf, settingsOf } from "./sources.ts";

interface Given {
  readonly wanted?: string;
  readonly environment?: Environment;
  readonly settings?: Partial<ModelSettings>;
}

async function chosen({ wanted, environment = {}, settings = {} }: Given): Promise<string> {
  const sources = { settings: settingsOf(settings), environment, keys: keysOf(environment) };
  return (await chooseModel(wanted, sources)).model.name;
}

const both = { ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "o" };

describe("choosing a model", () => {
  it.each<[string, Given, string]>([
    ["takes provider and name", { wanted: "openai/gpt-5", environment: both }, "openai/gpt-5"],
    [
      "keeps slashes in the name",
      { wanted: "openrouter/qwen/qwen3", environment: { OPENROUTER_API_KEY: "k" } },
      "openrouter/qwen/qwen3",
    ],
    ["finds a name that the table has", { wanted: "gpt-5-mini", environment: both }, "openai/gpt-5-mini"],
    ["takes a provider's default", { wanted: "openai-chat", environment: both }, "openai-chat/gpt-4.1"],
    [
      "prefers what is wanted to the setting",
      { wanted: "openai/gpt-5", settings: { model: "anthropic/x" }, environment: both },
      "openai/gpt-5",
    ],
    ["takes the setting", { settings: { model: "anthropic/x" }, environment: both }, "anthropic/x"],
    [
      "takes the default of the first provider with a key",
      { environment: { DEEPSEEK_API_KEY: "d", OPENROUTER_API_KEY: "r" } },
      "deepseek/deepseek-v4-pro",
    ],
    [
      "counts a bearer's token as a key",
      { environment: { ANTHROPIC_AUTH_TOKEN: "t" } },
      "anthropic/claude-sonnet-5-5",
    ],
    [
      "needs no key for a server on this machine",
      { wanted: "lmstudio/qwen/qwen3-coder" },
      "lmstudio/qwen/qwen3-coder",
    ],
    [
      "takes a provider of the settings",
      {
        wanted: "house/llama",
        settings: { providers: { house: { kind: "compatible", baseUrl: "https://llm.house.test/v1" } } },
      },
      "house/llama",
    ],
  ])("%s", async (_title, given, expected) => {
    expect(await chosen(given)).toBe(expected);
  });

  it.each<[string, Given, object]>([
    [
      "says what it looked for when there is no key",
      {},
      {
        code: "NO_MODEL",
        message: expect.stringContaining("ANTHROPIC_API_KEY, OPENAI_API_KEY, MOONSHOT_API_KEY"),
        hint: expect.stringContaining("worldline setup"),
      },
    ],
    [
      "says which key the wanted model lacks",
      { wanted: "anthropic/claude-opus-5", environment: { OPENAI_API_KEY: "o" } },
      { code: "NO_MODEL", message: expect.stringContaining("ANTHROPIC_API_KEY and ANTHROPIC_AUTH_TOKEN") },
    ],
    [
      "lists the providers when one is not known",
      { wanted: "acme/one" },
      { code: "MODEL_UNKNOWN", hint: expect.stringContaining("anthropic, openai, openai-chat, moonshot") },
    ],
    [
      "asks for the provider of a name that no table has",
      { wanted: "llama" },
      { code: "MODEL_UNKNOWN", hint: expect.stringContaining("provider/llama") },
    ],
    [
      "asks for a name where the provider has no default",
      { wanted: "ollama" },
      { code: "MODEL_UNKNOWN", hint: expect.stringContaining("ollama/<model>") },
    ],
    [
      "refuses an address that is none",
      { wanted: "openai/x", environment: { OPENAI_API_KEY: "o", OPENAI_BASE_URL: "http://:not:one" } },
      { code: "SETTINGS_INVALID" },
    ],
  ])("%s", async (_title, given, expected) => {
    await expect(chosen(given)).rejects.toMatchObject(expected);
  });
});

describe("a chosen model", () => {
  async function asked(
    wanted: string,
    work: (server: ModelServer) => Given,
  ): Promise<ModelServer["requests"][number] | undefined> {
    const server = await openModelServer(scripted({ text: "ready" }));
    try {
      const { environment = {}, settings } = work(server);
      const sources = { settings: settingsOf(settings), environment, keys: keysOf(environment) };
      const { model } = await chooseModel(wanted, sources);
      expect(await checkModel(model, new AbortController().signal)).toEqual({ outcome: "ok" });
      return server.requests[0];
    } finally {
      await server.close();
    }
  }

  it.each(["", "/", "/v1", "/v1/", "/v1//"])(
    "is reached with ANTHROPIC_BASE_URL ending in %j",
    async (end) => {
      const request = await asked("anthropic/claude-opus-5", ({ url }) => ({
        environment: { ANTHROPIC_BASE_URL: `${url}${end}`, ANTHROPIC_API_KEY: "a" },
      }));
      expect([request?.path, request?.headers["x-api-key"]]).toEqual(["/v1/messages", "a"]);
    },
  );

  it("is shown ANTHROPIC_AUTH_TOKEN as a bearer's token, and no key", async () => {
    const request = await asked("anthropic/claude-opus-5", ({ url }) => ({
      environment: { ANTHROPIC_BASE_URL: url, ANTHROPIC_AUTH_TOKEN: "t" },
    }));
    expect([request?.headers["authorization"], request?.headers["x-api-key"]]).toEqual([
      "Bearer t",
      undefined,
    ]);
  });

  it.each([
    ["openai/gpt-5", "/v1/", "/v1/responses"],
    ["openai/gpt-5", "", "/v1/responses"],
    ["openai-chat/gpt-4.1", "/v1", "/v1/chat/completions"],
    ["openai/gpt-5", "/gateway/openai", "/gateway/openai/responses"],
  ])("%s is reached with OPENAI_BASE_URL ending in %j at %s", async (model, end, path) => {
    const request = await asked(model, ({ url }) => ({
      environment: { OPENAI_BASE_URL: `${url}${end}`, OPENAI_API_KEY: "o" },
    }));
    expect(request?.path).toBe(path);
  });

  it("of OpenAI's has nothing kept there", async () => {
    const request = await asked("openai/gpt-5", ({ url }) => ({
      environment: { OPENAI_BASE_URL: url, OPENAI_API_KEY: "o" },
    }));
    expect(request?.body).toMatchObject({ store: false, include: ["reasoning.encrypted_content"] });
  });

  it("of Ollama's runs with the window that was set", async () => {
    const request = await asked("ollama/qwen3", ({ url }) => ({
      environment: { OLLAMA_HOST: url.replace("http://", "") },
      settings: { models: { "ollama/qwen3": { window: 50_000 } } },
    }));
    expect(request?.body).toMatchObject({ model: "qwen3", options: { num_ctx: 50_000 } });
  });

  it.each([
    [50_000, 50_000],
    [500_000, 100_000],
  ])("of Ollama's runs with the window that the user sets, %i, up to its limit", async (window, used) => {
    const server = await openModelServer(scripted({ text: "ready" }), { window: 100_000 });
    try {
      const environment = server.environment("ollama");
      const settings = settingsOf({ models: { "ollama/qwen3": { window: 8_192 } } });
      const { model } = await chooseModel("ollama/qwen3", {
        settings,
        environment,
        keys: keysOf({}),
        window,
      });
      await checkModel(model, new AbortController().signal);
      expect(model.window).toBe(used);
      expect(server.requests.at(-1)?.body).toMatchObject({ options: { num_ctx: used } });
    } finally {
      await server.close();
    }
  });

  it.each(["openai/x", "house/x", "ollama/x"])(
    "%s is reached with the name and the password of its address, which are not shown",
    async (wanted) => {
      const server = await openModelServer(scripted({ misbehave: { do: "status", status: 401 } }));
      try {
        const address = server.url.replace("://", "://me:pass%20word@");
        const settings = settingsOf({ providers: { house: { kind: "compatible", baseUrl: address } } });
        const environment = { OPENAI_BASE_URL: address, OLLAMA_HOST: address };
        const { model } = await chooseModel(wanted, { settings, environment, keys: keysOf({}) });
        const result = await checkModel(model, new AbortController().signal);
        expect(server.requests.at(-1)?.headers["authorization"]).toBe(
          `Basic ${Buffer.from("me:pass word").toString("base64")}`,
        );
        expect(result).toMatchObject({
          failure: { code: "MODEL_KEY", message: expect.stringContaining(`${server.url}`) },
        });
        expect(inspect(result, { depth: 9 })).not.toMatch(/pass.{0,3}word/);
      } finally {
        await server.close();
      }
    },
  );

  it("of Ollama's has no larger window than the server says that it holds", async () => {
    const server = await openModelServer(scripted(), { window: 8_192 });
    try {
      const environment = server.environment("ollama");
      const { row, model } = await chooseModel("ollama/small", {
        settings: settingsOf(),
        environment,
        keys: keysOf({}),
      });
      expect([row, model.window]).toEqual([
        { model: "ollama/small", window: 8_192, windowIs: "known" },
        8_192,
      ]);
    } finally {
      await server.close();
    }
  });
});
