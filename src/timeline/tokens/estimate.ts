import { priceOf } from "./price.ts";
import { advance, beforeFirstRun } from "./run.ts";
import { unitsOf } from "./units.ts";

/**
 * Guesses how many tokens a model will count in `text`, before any provider has said so.
 *
 * The text is cut into runs of one character kind, much as byte-pair tokenizers cut it before they merge,
 * and each run costs what such runs cost on average. Promised: 0 for the empty text only, time linear in the
 * text, any string accepted (lone surrogates too), and an estimate near the sum of the parts' estimates.
 */
export function estimateTokens(text: string): number {
  if (text === "") return 0;
  const run = beforeFirstRun(unitsOf(text));
  let tokens = 0;
  while (run.end < text.length) {
    advance(run);
    tokens += priceOf(run);
  }
  return Math.max(1, Math.round(tokens));
}
