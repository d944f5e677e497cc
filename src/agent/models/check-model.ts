import type { Model, ModelFailure } from "../../ports/model.ts";
import { textPart } from "../../record/parts.ts";

/** What one small call showed. */
export type ModelCheck =
  | { readonly outcome: "ok" }
  | { readonly outcome: "failed"; readonly failure: ModelFailure };

/** Enough for a model that thinks before it says a word. */
const REPLY_LIMIT = 2_048;

/** Asks the model for one word. */
export async function checkModel(model: Model, signal: AbortSignal): Promise<ModelCheck> {
  const messages = [{ role: "user" as const, parts: [textPart("Answer with the one word: ready")] }];
  const context = { system: "", messages, breakpoints: [] };
  for await (const event of model.stream({ context, tools: [], maxOutputTokens: REPLY_LIMIT, signal })) {
    if (event.type === "failed") return { outcome: "failed", failure: event.failure };
  }
  return { outcome: "ok" };
}
