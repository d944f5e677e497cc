import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV3, LanguageModelV3Prompt, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import type { ModelServer } from "../../../src/testing/testing.ts";

export const clients = ["anthropic", "chat", "responses", "compatible"] as const;
export type Client = (typeof clients)[number];

/** An AI SDK model that talks to the server. */
export function modelOf(server: ModelServer, client: Client): LanguageModelV3 {
  const options = { baseURL: `${server.url}/v1`, apiKey: "k" };
  switch (client) {
    case "anthropic":
      return createAnthropic(options)("m");
    case "chat":
      return createOpenAI(options).chat("m");
    case "responses":
      return createOpenAI(options).responses("m");
    default:
      return createOpenAICompatible({ ...options, name: "compatible", includeUsage: true })("m");
  }
}

export const says = (text: string): LanguageModelV3Prompt => [
  { role: "system", content: "You are tested." },
  { role: "user", content: [{ type: "text", text }] },
];

const tools = ["read", "write"].map((name) => ({
  type: "function" as const,
  name,
  description: `Can ${name}.`,
  inputSchema: { type: "object" as const, properties: { path: { type: "string" as const } } },
}));

export interface Heard {
  readonly text: string;
  readonly deltas: number;
  readonly thinking: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: string }[];
  readonly finish: string | undefined;
  readonly usage: readonly (number | undefined)[];
  readonly errors: number;
}

export async function heard(
  model: LanguageModelV3,
  prompt: LanguageModelV3Prompt,
  abortSignal?: AbortSignal,
): Promise<Heard> {
  const { stream } = await model.doStream({
    prompt,
    tools,
    maxOutputTokens: 100,
    ...(abortSignal === undefined ? {} : { abortSignal }),
    providerOptions: { openai: { store: false, include: ["reasoning.encrypted_content"] } },
  });
  const parts: LanguageModelV3StreamPart[] = [];
  // oxlint-disable-next-line typescript/await-thenable
  for await (const part of stream) parts.push(part);
  const only = <Type extends LanguageModelV3StreamPart["type"]>(type: Type) =>
    parts.filter((part): part is Extract<LanguageModelV3StreamPart, { type: Type }> => part.type === type);
  const finish = only("finish")[0];
  return {
    text: only("text-delta")
      .map((part) => part.delta)
      .join(""),
    deltas: only("text-delta").length,
    thinking: only("reasoning-delta")
      .map((part) => part.delta)
      .join(""),
    calls: only("tool-call").map((part) => ({ id: part.toolCallId, name: part.toolName, input: part.input })),
    finish: finish?.finishReason.unified,
    usage: [
      finish?.usage.inputTokens.total,
      finish?.usage.inputTokens.cacheRead,
      finish?.usage.outputTokens.total,
    ],
    errors: only("error").length,
  };
}
