import type { Model } from "../../../ports/model.ts";
import { COMPATIBLE, COMPATIBLE_THINKING } from "../wire/dialect.ts";
import { sdkModel } from "../wire/sdk-model.ts";
import { type Access, nameOf, outputLimit, sceneOf } from "./access.ts";

/** Others refuse a request for a field that they do not know. */
const WANT_THINKING = new Set(["deepseek", "moonshot"]);

/** Any server that speaks OpenAI's Chat Completions. */
export function compatibleModel(access: Access): Model {
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
