import type { Model } from "../../../ports/model.ts";
import { CHAT, RESPONSES } from "../wire/dialect.ts";
import { sdkModel } from "../wire/sdk-model.ts";
import { type Access, nameOf, outputLimit, sceneOf } from "./access.ts";

/** OpenAI's Responses. Nothing is kept there: the whole conversation goes along each time, without ids of theirs. */
export function responsesModel(access: Access): Model {
  return sdkModel({
    ...shared(access),
    dialect: RESPONSES,
    open: async () => (await provider(access)).responses(nameOf(access.row.model)),
    providerOptions: { openai: { store: false } },
  });
}

/** OpenAI's Chat Completions. */
export function chatModel(access: Access): Model {
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
