import type { JSONValue } from "@ai-sdk/provider";
import type { Model } from "../../../ports/model.ts";
import { ANTHROPIC } from "../wire/dialect.ts";
import { sdkModel } from "../wire/sdk-model.ts";
import { type Access, nameOf, outputLimit, sceneOf } from "./access.ts";

/** Anthropic wants a limit in every request. */
const DEFAULT_OUTPUT = 32_000;
/** Models that think by themselves, and what they say between calls too; none of it is shown unless it is asked for. */
const THINKING = /^claude-[a-z]+-5/;
/** Models whose thinking is bound to all that stood before it, which a compaction changes. */
const BOUND_THINKING = /^claude-([a-z]+-5-5|fable-5-1)/;

export function anthropicModel(access: Access): Model {
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
