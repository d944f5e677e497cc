import type { Model } from "../../../ports/model.ts";
import type { Access } from "./access.ts";
import { anthropicModel } from "./anthropic.ts";
import { compatibleModel } from "./compatible.ts";
import { ollamaModel } from "./ollama/ollama.ts";
import { chatModel, responsesModel } from "./openai.ts";

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
