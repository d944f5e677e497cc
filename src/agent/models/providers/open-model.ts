import type { JSONValue } from "@ai-sdk/provider";
import type { Model } from "../../../ports/model.ts";
import { ANTHROPIC, CHAT, COMPATIBLE, COMPATIBLE_THINKING, RESPONSES } from "../wire/dialect.ts";
import { sdkModel } from "../wire/sdk-model.ts";
import { type Access, nameOf, outputLimit, sceneOf } from "./access.ts";
import { ollamaModel } from "./ollama.ts";

/** Makes no request, and imports no provider's package before the first one. */
export function openModel(access: Access): Model {
  switch (access.kind) {
    case "anthropic":
      return anthropicModel(access);
    case "openai":
      return responsesModel(access);
    case "openai-chat":
      return chatModel(access);
    case "compatible":
      return compatibleModel(access);
    case "ollama":
      return ollamaModel(access);
    default:
      return access.kind satisfies never;
  }
}

/** Anthropic wants a limit in every request. */
const DEFAULT_OUTPUT = 32_000;
/** Models that think by themselves, and what they say between calls too; none of it is shown unless it is asked for. */
const THINKING = /^claude-[a-z]+-5/;
/** Models whose thinking is bound to all that stood before it, which a compaction changes. */
const BOUND_THINKING = /^claude-([a-z]+-5-5|fable-5-1)/;

function anthropicModel(access: Access): Model {
  const { row, baseUrl, key = "", keyAs, fetch } = access;
  const name = nameOf(row.model);
  return sdkModel({
    model: row.model,
    window: row.window,
    maxOutput: outputLimit(row) ?? Math.min(DEFAULT_OUTPUT, Math.floor(row.window / 4)),
    dialect: ANTHROPIC,
    open: async () => {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      const shown = keyAs === "bearer" ? { authToken: key } : { apiKey: key };
      return createAnthropic({ baseURL: baseUrl, ...shown, fetch })(name);
    },
    providerOptions: { anthropic: { toolStreaming: false, ...thinkingOptions(name) } },
    scene: sceneOf(access),
  });
}

function thinkingOptions(name: string): { thinking?: Record<string, JSONValue> } {
  if (!THINKING.test(name)) return {};
  const shown = { type: "adaptive", display: "summarized" };
  if (!BOUND_THINKING.test(name)) return { thinking: shown };
  // Thinking that no longer fits is left out by the provider, instead of a refusal of this and every later request.
  return { thinking: { ...shown, blockBinding: { prefixMismatchBehavior: "drop_block" } } };
}

/** OpenAI's Responses. Nothing is kept there: the whole conversation goes along each time, without ids of theirs. */
function responsesModel(access: Access): Model {
  return sdkModel({
    ...shared(access),
    dialect: RESPONSES,
    open: async () => (await provider(access)).responses(nameOf(access.row.model)),
    providerOptions: { openai: { store: false } },
  });
}

/** OpenAI's Chat Completions. */
function chatModel(access: Access): Model {
  return sdkModel({
    ...shared(access),
    dialect: CHAT,
    open: async () => (await provider(access)).chat(nameOf(access.row.model)),
  });
}

async function provider({ baseUrl, key = "", fetch }: Access) {
  const { createOpenAI } = await import("@ai-sdk/openai");
  return createOpenAI({ baseURL: baseUrl, apiKey: key, fetch });
}

function shared(access: Access) {
  const { row } = access;
  return { model: row.model, window: row.window, maxOutput: outputLimit(row), scene: sceneOf(access) };
}

/** Others refuse a request for a field that they do not know. */
const WANT_THINKING = new Set(["deepseek", "moonshot"]);

/** Any server that speaks OpenAI's Chat Completions. */
function compatibleModel(access: Access): Model {
  const { row, provider, baseUrl, key, fetch } = access;
  return sdkModel({
    model: row.model,
    window: row.window,
    maxOutput: outputLimit(row),
    dialect: WANT_THINKING.has(provider) ? COMPATIBLE_THINKING : COMPATIBLE,
    open: async () => {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const apiKey = key === undefined ? {} : { apiKey: key };
      const create = createOpenAICompatible({
        name: provider,
        baseURL: baseUrl,
        ...apiKey,
        includeUsage: true,
        fetch,
      });
      return create(nameOf(row.model));
    },
    scene: sceneOf(access),
  });
}
