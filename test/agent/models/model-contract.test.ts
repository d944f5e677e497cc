import { describe, it } from "vitest";
import { chooseModel } from "../../../src/agent/models/choose-model.ts";
import type { Model } from "../../../src/ports/model.ts";
import { modelContract } from "../../../src/testing/model-contract.ts";
import type { ModelServer } from "../../../src/testing/model-server/model-server.ts";
import type { Wire } from "../../../src/testing/model-server/script.ts";
import { keysOf, settingsOf } from "./sources.ts";

const wires: readonly (readonly [string, Wire, string])[] = [
  ["Anthropic's Messages", "anthropic", "anthropic/claude-sonnet-4-5"],
  ["OpenAI's Responses", "responses", "openai/gpt-5"],
  ["OpenAI's Chat Completions", "chat", "openai-chat/gpt-4.1"],
  ["a compatible server", "chat", "gateway/some-model"],
  ["Moonshot", "chat", "moonshot/kimi-k2.6"],
  ["Ollama", "ollama", "ollama/qwen3"],
];

for (const [name, wire, model] of wires) {
  modelContract(name, { describe, it, wire, open: (server) => open(server, wire, model) });
}

async function open(server: ModelServer, wire: Wire, name: string): Promise<Model> {
  const environment = { ...server.environment(wire), GATEWAY_KEY: "scripted-key" };
  const gateway = { kind: "compatible", baseUrl: `${server.url}/v1`, keyVariable: "GATEWAY_KEY" } as const;
  const settings = settingsOf({ providers: { gateway, moonshot: gateway } });
  const { model } = await chooseModel(name, { settings, environment, keys: keysOf(environment) });
  return model;
}
