import type { ModelRowSettings } from "./model-settings.ts";

/** Dollars per million tokens. */
type Prices = readonly [input: number, output: number, cacheRead: number, cacheWrite?: number];

/**
 * What was known of models on 2026-11-15, partly from excerpts of the providers' pages, partly from what others quote of
 * them: no provider could be asked. A price that is not here was not found, or depends on more than the tokens. What is
 * shown as cost is an estimate by these rows; settings extend and correct them.
 */
export const KNOWN_MODELS: Readonly<Record<string, ModelRowSettings>> = {
  "anthropic/claude-fable-5-1": row(1_000_000, 128_000, [10, 50, 1, 12.5]),
  "anthropic/claude-opus-5-5": row(1_000_000, 128_000, [4, 20, 0.4, 5]),
  "anthropic/claude-sonnet-5-5": row(1_000_000, 128_000, [2, 10, 0.2, 2.5]),
  "anthropic/claude-haiku-5-5": row(1_000_000, 128_000),
  "anthropic/claude-opus-5": row(1_000_000, 128_000, [5, 25, 0.5, 6.25]),
  "anthropic/claude-sonnet-5": row(1_000_000, 128_000, [2, 10, 0.2, 2.5]),
  "anthropic/claude-opus-4-5": row(200_000, 64_000, [5, 25, 0.5, 6.25]),
  "anthropic/claude-sonnet-4-5": row(200_000, 64_000, [3, 15, 0.3, 3.75]),
  "anthropic/claude-haiku-4-5": row(200_000, 64_000, [1, 5, 0.1, 1.25]),
  // These take more than 272,000 tokens, for twice the price. Whoever wants that sets a larger window.
  "openai/gpt-6.1-sol": row(272_000, 128_000, [2, 10, 0.1]),
  "openai/gpt-6.1-terra": row(272_000, 128_000, [1, 5, 0.05]),
  "openai/gpt-5": row(272_000, 128_000, [1.25, 10, 0.125]),
  "openai/gpt-5-mini": row(272_000, 128_000, [0.25, 2, 0.025]),
  "openai/gpt-4.1": row(1_047_576, 32_768, [2, 8, 0.5]),
  "openai/gpt-4.1-mini": row(1_047_576, 32_768, [0.4, 1.6, 0.1]),
  "openai-chat/gpt-4.1": row(1_047_576, 32_768, [2, 8, 0.5]),
  "deepseek/deepseek-v4-pro": row(1_000_000, 384_000),
  "deepseek/deepseek-v4-flash": row(1_000_000, 384_000),
  "moonshot/kimi-k2.6": { window: 262_144 },
  "moonshot/kimi-k2.5": { window: 262_144 },
  // Our own offline worker.
  "worldline/finder": row(200_000, 200_000, [0, 0, 0, 0]),
};

function row(window: number, maxOutput: number, prices?: Prices): ModelRowSettings {
  if (prices === undefined) return { window, maxOutput };
  const [input, output, cacheRead, cacheWrite] = prices;
  return { window, maxOutput, input, output, cacheRead, ...(cacheWrite === undefined ? {} : { cacheWrite }) };
}
