import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import type { Environment } from "../../../src/agent/http-fetch.ts";
import {
  checkModel,
  chooseModel,
  listModels,
  type ModelCheck,
} from "../../../src/agent/models/choose-model.ts";
import { openModelServer } from "../../../src/testing/model-server/model-server.ts";
import { scripted } from "../../../src/testing/model-server/script.ts";
import { keysOf, settingsOf } from "./sources.ts";

async function check(wanted: string, environment: Environment, silenceMs = 5_000): Promise<ModelCheck> {
  const patience = { silenceMs, firstByteMs: silenceMs };
  const sources = { settings: settingsOf(), environment, keys: keysOf(environment), patience };
  const { model } = await chooseModel(wanted, sources);
  return checkModel(model, new AbortController().signal);
}

/** Runs a proxy that connects every tunnel to `target`, or refuses it when `target` is a status code. */
async function withProxy(
  target: URL | number,
  work: (proxy: string, asked: readonly string[]) => Promise<void>,
): Promise<void> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const proxy = createServer();
  proxy.on("connect", (request: IncomingMessage, client: Socket) => {
    asked.push(request.url ?? "");
    sockets.add(client);
    client.on("error", () => client.destroy());
    if (typeof target === "number") {
      client.end(`HTTP/1.1 ${target} Refused\r\n\r\n`);
      return;
    }
    const upstream = connect(Number(target.port), target.hostname, () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on("error", () => client.destroy());
    sockets.add(upstream);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  try {
    await work(`http://me:secret@127.0.0.1:${(proxy.address() as AddressInfo).port}`, asked);
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => proxy.close(resolve));
  }
}

/** The URL of a port that nothing listens on. */
async function deadUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

describe("reaching a provider", () => {
  it("goes through the proxy of the environment", async () => {
    const server = await openModelServer(scripted({ text: "ready" }));
    try {
      await withProxy(new URL(server.url), async (proxy, asked) => {
        const environment = {
          ANTHROPIC_BASE_URL: "http://provider.test",
          ANTHROPIC_API_KEY: "k",
          HTTP_PROXY: proxy,
        };
        expect(await check("anthropic/claude-opus-5", environment)).toEqual({ outcome: "ok" });
        expect(asked).toEqual(["provider.test:80"]);
      });
    } finally {
      await server.close();
    }
  });

  it("says which proxy refused, without its password", async () => {
    await withProxy(403, async (proxy) => {
      const environment = {
        OPENAI_BASE_URL: "https://provider.test/v1",
        OPENAI_API_KEY: "k",
        HTTPS_PROXY: proxy,
      };
      const result = await check("openai/gpt-5", environment);
      const shown = new URL(proxy).host;
      expect(result).toMatchObject({
        outcome: "failed",
        failure: {
          code: "MODEL_UNREACHABLE",
          retry: "never",
          message: `openai/gpt-5 cannot be reached: the proxy refused the connection (status 403). Worldline tried https://provider.test/v1 through the proxy http://${shown} (HTTPS_PROXY).`,
        },
      });
    });
  });

  it("says that the proxy itself is not there", async () => {
    const environment = {
      OPENAI_BASE_URL: "https://provider.test/v1",
      OPENAI_API_KEY: "k",
      HTTPS_PROXY: await deadUrl(),
    };
    expect(await check("openai-chat/gpt-4.1", environment)).toMatchObject({
      failure: {
        code: "MODEL_UNREACHABLE",
        retry: "never",
        message: expect.stringContaining("through the proxy"),
      },
    });
  });

  it.each(["ftp://proxy.test", "http://%%"])("says that %s is not a proxy", async (proxy) => {
    const environment = { OPENAI_API_KEY: "k", HTTPS_PROXY: proxy };
    expect(await check("openai/gpt-5", environment)).toMatchObject({
      failure: { code: "MODEL_UNREACHABLE", retry: "never", message: expect.stringContaining("HTTPS_PROXY") },
    });
  });

  it.each(["anthropic/claude-opus-5", "openai/gpt-5", "openai-chat/gpt-4.1", "deepseek/x"])(
    "%s says that a key with a quotation mark from a word processor is invalid",
    async (model) => {
      const key = "sk-\u201csecret\u201d";
      const environment = { ANTHROPIC_API_KEY: key, OPENAI_API_KEY: key, DEEPSEEK_API_KEY: key };
      const result = await check(model, { ...environment, HTTPS_PROXY: await deadUrl() });
      expect(result).toMatchObject({ failure: { code: "MODEL_KEY", retry: "never" } });
      expect(result.outcome === "failed" && result.failure.message).not.toContain("secret");
    },
  );

  it.each([
    ["anthropic/claude-opus-5", "ANTHROPIC_BASE_URL"],
    ["openai/gpt-5", "OPENAI_BASE_URL"],
    ["ollama/qwen3", "OLLAMA_HOST"],
  ])("%s says at once that nothing listens", async (model, variable) => {
    const url = await deadUrl();
    expect(await check(model, { [variable]: url, HTTP_PROXY: "http://proxy.test" })).toMatchObject({
      failure: {
        code: "MODEL_UNREACHABLE",
        retry: "never",
        message: expect.stringMatching(/Worldline tried http:\S+ directly\.$/u),
      },
    });
  });

  it("counts a long silence as a cut, before the first byte and in the middle, on every wire", async () => {
    const wires = [
      ["anthropic/claude-opus-5", "anthropic"],
      ["openai/gpt-5", "responses"],
      ["openai-chat/gpt-4.1", "chat"],
      ["ollama/qwen3", "ollama"],
    ] as const;
    const silence = { misbehave: { do: "silence" } } as const;
    const server = await openModelServer((_request, index) =>
      index < wires.length ? silence : { text: "I was about to", hold: new Promise(() => {}) },
    );
    try {
      const checks = [...wires, ...wires].map(([model, wire]) => check(model, server.environment(wire), 150));
      for (const result of await Promise.all(checks)) {
        expect(result).toMatchObject({
          failure: {
            code: "MODEL_FAILED",
            retry: "soon",
            message: expect.stringContaining("no data arrived"),
          },
        });
      }
      expect(server.requests).toHaveLength(8);
    } finally {
      await server.close();
    }
  });
});

describe("the list of models", () => {
  it("says of every provider whether it can be used, and why not", async () => {
    const server = await openModelServer(scripted(), { models: ["qwen3", "llama3"] });
    try {
      const environment = { OPENAI_API_KEY: "sk-secret", OLLAMA_HOST: server.url };
      const settings = settingsOf({
        providers: { lmstudio: { kind: "compatible", baseUrl: await deadUrl() } },
      });
      const listed = await listModels({ settings, environment, keys: keysOf(environment) });
      expect(listed.map(({ name, usable, why, model }) => ({ name, usable, why, model }))).toEqual([
        {
          name: "anthropic",
          usable: "no",
          why: "No key: ANTHROPIC_API_KEY is not set, and no key is stored.",
          model: "anthropic/claude-sonnet-5-5",
        },
        { name: "openai", usable: "yes", why: "OPENAI_API_KEY is set.", model: "openai/gpt-6.1-sol" },
        { name: "openai-chat", usable: "yes", why: "OPENAI_API_KEY is set.", model: "openai-chat/gpt-4.1" },
        expect.objectContaining({ name: "moonshot", usable: "no" }),
        expect.objectContaining({ name: "deepseek", usable: "no" }),
        expect.objectContaining({ name: "openrouter", usable: "no" }),
        { name: "ollama", usable: "yes", why: "The server has 2 models.", model: undefined },
        expect.objectContaining({
          name: "lmstudio",
          usable: "no",
          why: expect.stringContaining("No server responds"),
        }),
      ]);
      expect(listed.find(({ name }) => name === "ollama")?.models).toEqual(["ollama/llama3", "ollama/qwen3"]);
      expect(JSON.stringify(listed)).not.toContain("sk-secret");
    } finally {
      await server.close();
    }
  });

  it("shows addresses without their names and passwords", async () => {
    const dead = (await deadUrl()).replace("://", "://me:secret@");
    const settings = settingsOf({
      providers: {
        house: { kind: "compatible", baseUrl: "https://me:secret@house.test/v1" },
        broken: { kind: "openai", baseUrl: "http://me:se/cret@:house" },
        lmstudio: { kind: "compatible", baseUrl: dead },
      },
    });
    const listed = await listModels({ settings, environment: {}, keys: keysOf({}) });
    expect(JSON.stringify(listed)).not.toMatch(/secret|cret@|me:/);
    const whys = new Map(listed.map(({ name, baseUrl, why }) => [name, [baseUrl, why]]));
    expect(whys.get("house")).toEqual(["https://house.test/v1", "No key is needed."]);
    expect(whys.get("broken")?.[1]).toContain("Not a valid base URL");
  });
});
