import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  keyChoices,
  providerNamed,
  providerRows,
  requireRoomForKey,
  setUpKey,
} from "../../../src/app/agent/keys.ts";
import { openModelServer, type ScriptedReply, scripted } from "../../../src/testing/testing.ts";
import { REMOTE, reportingContext } from "../support/reporting-context.ts";

const variable = "ANTHROPIC_API_KEY";

async function atServer(...replies: readonly ScriptedReply[]) {
  const server = await openModelServer(scripted(...replies));
  onTestFinished(() => server.close());
  const { [variable]: key = "", ...environment } = server.environment("anthropic");
  const at = reportingContext({ environment });
  const provider = await providerNamed(at.context, "anthropic");
  const tried: string[] = [];
  const wanted = { provider, variable, key, onTrying: (model: string) => void tried.push(model) };
  return { ...at, server, tried, wanted };
}

describe("trying a key", () => {
  it("asks the provider's model, or the one that was named, and stores the key afterwards", async () => {
    const { context, home, wanted, tried, server } = await atServer({ text: "ready" }, { text: "ready" });
    const file = join(home, "keys.json");
    const stored = { file, environment: "unset" };
    expect(await setUpKey(context, { ...wanted, check: "tried", model: undefined })).toEqual({
      ...stored,
      tested: "anthropic/claude-sonnet-5-5",
    });
    expect(await setUpKey(context, { ...wanted, check: "tried", model: "claude-opus-4-8" })).toEqual({
      ...stored,
      tested: "anthropic/claude-opus-4-8",
    });
    expect(tried).toEqual(["anthropic/claude-sonnet-5-5", "anthropic/claude-opus-4-8"]);
    expect(server.requests).toHaveLength(2);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ [variable]: wanted.key });
  });

  it("fails with the provider's reason, and stores nothing", async () => {
    const { context, wanted, everything } = await atServer({
      misbehave: { do: "status", status: 401 },
    });
    const before = everything();
    const error = await setUpKey(context, { ...wanted, check: "tried", model: undefined }).catch(
      (thrown) => thrown,
    );
    expect({ ...error.params, reason: error.reason, cause: error.cause }).toMatchObject({
      ...{ reason: "key-try-failed", code: "MODEL_KEY", why: expect.any(String) },
      problem: { reason: "key-refused", params: { key: { from: "file", variable } } },
    });
    expect(error.cause).toBeUndefined();
    expect(everything()).toEqual(before);
  });

  it("needs a model if the provider has no default one", async () => {
    const settings = { providers: { here: { ...REMOTE, keyVariable: "HERE_KEY" } } };
    const { context } = reportingContext({ settings });
    const provider = await providerNamed(context, "here");
    const wanted = { provider, variable: "HERE_KEY", key: "k", model: undefined, check: "tried" } as const;
    await expect(
      setUpKey(context, { ...wanted, onTrying: () => expect.unreachable() }),
    ).rejects.toMatchObject({ reason: "model-to-try-unknown", params: { provider: "here" } });
  });
});

describe("the providers that take a key", () => {
  const settings = {
    providers: {
      open: REMOTE,
      here: { ...REMOTE, baseUrl: "https://me:secret@models.example/v1/", keyVariable: "HERE_KEY" },
    },
  };

  it("are offered with their addresses, which contain no secrets", async () => {
    const { providers, withoutKey } = await keyChoices(reportingContext({ settings }).context);
    expect(providers.map(({ provider }) => provider.name)).toEqual([
      ...["anthropic", "openai", "openai-chat", "moonshot", "deepseek", "openrouter", "here"],
    ]);
    expect(providers.at(-1)?.address).toBe("https://models.example/v1");
    expect(withoutKey).toBe("worldline/finder");
  });

  it("are listed with whether they have one, even if the key file cannot be used", async () => {
    const { context, home } = reportingContext({ settings, environment: { OPENAI_API_KEY: "k" } });
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, "keys.json"), "[]", { mode: 0o600 });
    const rows = await providerRows(context);
    expect(rows.map(({ provider, state }) => `${provider}: ${state}`)).toEqual([
      ...["anthropic: no-key", "openai: key", "openai-chat: key", "moonshot: no-key", "deepseek: no-key"],
      ...["openrouter: no-key", "here: no-key"],
    ]);
    expect(rows.at(-1)).toEqual({ provider: "here", keyVariable: "HERE_KEY", state: "no-key" });
  });

  it("are named in the error for another name", async () => {
    const { context } = reportingContext({ settings });
    await expect(providerNamed(context, "sk-secret")).rejects.toMatchObject({
      reason: "provider-name-unknown",
      params: { providers: expect.arrayContaining(["anthropic", "ollama", "open", "here"]) },
    });
  });

  it("cannot be given one if the key file cannot be replaced", () => {
    const { context, home } = reportingContext();
    requireRoomForKey(context);
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, "keys.json"), "[]", { mode: 0o600 });
    expect(() => requireRoomForKey(context)).toThrow(
      expect.objectContaining({ reason: "keys-not-an-object" }),
    );
  });
});
