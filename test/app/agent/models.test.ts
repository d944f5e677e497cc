import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  connectLocal,
  connectProvider,
  defaultModelNow,
  findOllama,
  modelOverview,
  modelRows,
} from "../../../src/app/agent/models.ts";
import { openModelServer, type ScriptedReply, scripted } from "../../../src/testing/testing.ts";
import { REMOTE, reportingContext } from "../support/reporting-context.ts";

const finder = { name: "worldline/finder", window: 200_000, state: "ready", isCurrent: false };
const none = { state: "none", lookedFor: { variables: [], setting: "" } } as const;

describe("the chosen model", () => {
  const chosenWith = async (settings: object, environment: Record<string, string> = {}) =>
    (await modelOverview(reportingContext({ settings, environment }).context)).chosen;
  const here = { providers: { here: REMOTE }, model: "here/one" };

  it("is the one in the settings, with its window, or the default of the first provider with a key", async () => {
    const models = { "here/one": { window: 5_000 } };
    const providers = { here: { ...REMOTE, keyVariable: "HERE_KEY", model: "one" } };
    expect([
      await chosenWith({ model: "worldline/finder" }),
      await chosenWith(here),
      await chosenWith({ ...here, models }),
      await chosenWith({ ...here, models, context: { window: 9_000 } }),
      await chosenWith({ providers }, { HERE_KEY: "k" }),
    ]).toEqual([
      { model: "worldline/finder", window: 200_000, windowIs: "known" },
      { model: "here/one", window: 200_000, windowIs: "assumed" },
      { model: "here/one", window: 5_000, windowIs: "known" },
      { model: "here/one", window: 9_000, windowIs: "known" },
      { model: "here/one", window: 200_000, windowIs: "assumed" },
    ]);
  });

  it("is a problem if there is none, which names the setting if the setting is wrong", async () => {
    expect(await chosenWith({})).toEqual({ problem: expect.objectContaining({ reason: "no-model" }) });
    expect(await chosenWith({ model: "nobody/one" })).toEqual({
      problem: expect.objectContaining({ reason: "model-of-setting-unusable" }),
    });
  });
});

describe("the overview of the models", () => {
  it("has Worldline's own model, and every provider with its models", async () => {
    const models = { "here/two": {}, "here/one": { window: 5_000 } };
    const settings = { providers: { here: REMOTE }, models, model: "here/one", context: { window: 9_000 } };
    const { context, reported } = reportingContext({ settings });
    const overview = await modelOverview(context);
    expect(overview.chosen).toEqual({ model: "here/one", window: 9_000, windowIs: "known" });
    expect(overview.finder).toEqual({
      ...{ name: "worldline", kind: "finder", usable: "yes" },
      ...{ model: "worldline/finder", models: ["worldline/finder"] },
    });
    expect(overview.providers.at(-1)).toMatchObject({
      ...{ name: "here", kind: "compatible", usable: "yes", models: ["here/two", "here/one"] },
    });
    expect(reported).toEqual([]);
  });

  it("reports an unusable key file", async () => {
    const { context, home, reported } = reportingContext();
    mkdirSync(home);
    writeFileSync(join(home, "keys.json"), "[]", { mode: 0o600 });
    await modelOverview(context);
    expect(reported).toEqual([
      { code: "keys-unusable", problem: expect.objectContaining({ reason: "keys-not-an-object" }) },
    ]);
  });
});

describe("the list of models", () => {
  const settings = {
    providers: {
      open: { ...REMOTE, model: "main" },
      locked: { ...REMOTE, keyVariable: "LOCKED_KEY", model: "main" },
      away: { kind: "compatible", baseUrl: "http://127.0.0.1:1/v1", model: "main" },
    },
    models: {
      "worldline/finder": { window: 9 },
      "open/main": { window: 7_000 },
      "open/small": {},
      "away/small": {},
      "ollama/small": {},
    },
  };
  const rowsOf = async (current: Parameters<typeof modelRows>[1], environment = {}) => {
    const rows = await modelRows(reportingContext({ settings, environment }).context, current);
    return rows.filter(
      ({ name }) => !/^(?:anthropic|open(?:ai|ai-chat|router)|moonshot|deepseek)\//u.test(name),
    );
  };

  it("has each usable model once, then those without a key, and none of a server that is not running", async () => {
    const open = { name: "open/small", state: "ready" };
    expect(await rowsOf({ state: "ready", name: "open/small", window: 1 })).toEqual([
      { name: "open/main", window: 7_000, state: "ready", isCurrent: false },
      { ...open, isCurrent: true },
      finder,
      { name: "locked/main", state: "no-key", isCurrent: false },
    ]);
  });

  it("has the current model even if no provider lists it", async () => {
    const gone = { state: "ready", name: "gone/one", window: 1 } as const;
    expect(await rowsOf(gone, { OLLAMA_HOST: "http://[invalid" })).toStrictEqual([
      { name: "open/main", window: 7_000, state: "ready", isCurrent: false },
      { name: "open/small", state: "ready", isCurrent: false },
      finder,
      { name: "gone/one", state: "ready", isCurrent: true },
      { name: "locked/main", state: "no-key", isCurrent: false },
    ]);
  });

  it("has the models of a server on this machine that is running", async () => {
    const server = createServer((_request, response) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ models: [{ name: "qwen3:8b" }] }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const OLLAMA_HOST = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const rows = await rowsOf(none, { OLLAMA_HOST });
    expect(rows.filter(({ name }) => name.startsWith("ollama/"))).toEqual([
      { name: "ollama/qwen3:8b", state: "ready", isCurrent: false },
    ]);
  });

  it("has no current model if there is none", async () => {
    const rows = await rowsOf(none);
    expect(rows.filter(({ isCurrent }) => isCurrent)).toEqual([]);
    expect(rows).toHaveLength(4);
  });
});

describe("connecting a provider", () => {
  async function serverWith(...replies: readonly ScriptedReply[]) {
    const server = await openModelServer(scripted(...replies));
    onTestFinished(() => server.close());
    return server;
  }

  it("uses a model in the table if the provider has no default model", async () => {
    const server = await serverWith({ text: "ready" }, { text: "ready" });
    const here = { kind: "compatible", baseUrl: `${server.url}/v1`, keyVariable: "HERE_KEY" };
    const providers = { here, main: { ...here, model: "best" } };
    const settings = { providers, models: { "there/one": {}, "here/two": {}, "here/three": {} } };
    const { context } = reportingContext({ settings });
    expect([
      await connectProvider(context, "here", "k"),
      await connectProvider(context, "main", "k"),
    ]).toEqual([...["here/two", "main/best"]]);
  });

  it("is refused without a model, without a key, and for a provider that takes none", async () => {
    const settings = { providers: { here: { ...REMOTE, keyVariable: "HERE_KEY" }, open: REMOTE } };
    const { context, everything } = reportingContext({ settings });
    const refused = async (provider: string, key: string) =>
      connectProvider(context, provider, key).catch(({ reason, params }) => ({ reason, params }));
    const before = everything();
    expect([
      await refused("here", "k"),
      await refused("here", " "),
      await refused("open", "k"),
      await refused("nobody", "k"),
    ]).toEqual([
      { reason: "model-to-connect-unknown", params: { provider: "here" } },
      { reason: "key-to-paste-missing", params: {} },
      { reason: "provider-takes-no-key", params: { provider: "open" } },
      { reason: "provider-takes-no-key", params: { provider: "nobody" } },
    ]);
    expect(everything()).toEqual(before);
  });

  it("fails with the provider's reason, without the request that holds the key", async () => {
    const server = await serverWith({ misbehave: { do: "status", status: 401 } });
    const { ANTHROPIC_API_KEY: _, ...environment } = server.environment("anthropic");
    const { context } = reportingContext({ environment });
    const error = await connectProvider(context, "anthropic", "sk-1").catch((thrown) => thrown);
    expect(error).toMatchObject({
      reason: "key-to-connect-refused",
      params: { code: "MODEL_KEY", why: expect.any(String), problem: { reason: expect.any(String) } },
    });
    expect(error.cause).toBeUndefined();
  });

  it("accepts a model on this machine that answers", async () => {
    const server = await serverWith({ text: "ready" });
    const { context } = reportingContext({ environment: server.environment("ollama") });
    await expect(connectLocal(context, server.modelFor("ollama"))).resolves.toBeUndefined();
    expect(server.requests).not.toEqual([]);
  });
});

describe("the model that a new start would use", () => {
  it("is the default of a provider with a key, or none", async () => {
    const providers = { here: { ...REMOTE, keyVariable: "HERE_KEY", model: "one" } };
    const now = (environment: Record<string, string>) =>
      defaultModelNow(reportingContext({ settings: { providers }, environment }).context);
    expect([await now({ HERE_KEY: "k" }), await now({})]).toEqual(["here/one", undefined]);
  });
});

describe("looking for Ollama", () => {
  it("asks the address in the settings only if it is on this machine", async () => {
    const server = await openModelServer(scripted());
    onTestFinished(() => server.close());
    const found = async (baseUrl: string) => {
      const settings = { providers: { ollama: { kind: "ollama", baseUrl } } };
      return findOllama(reportingContext({ settings }).context);
    };
    expect(await found("https://ollama.example")).toBeUndefined();
    expect(await found("http://127.0.0.1:1")).toBeUndefined();
  });

  it("finds none if the settings replace Ollama with another kind of server", async () => {
    const settings = { providers: { ollama: { kind: "compatible", baseUrl: "http://127.0.0.1:1" } } };
    expect(await findOllama(reportingContext({ settings }).context)).toBeUndefined();
  });
});
