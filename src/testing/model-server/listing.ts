import type { JsonObject } from "../../record/parts.ts";

const WHEN = "2026-01-01T00:00:00Z";
const WINDOW = 200_000;

/** What the paths answer that tell of models instead of asking one. Undefined for any other path. */
export function listing(
  path: string,
  models: readonly string[],
  window: number = WINDOW,
): JsonObject | undefined {
  switch (path) {
    case "/models":
    case "/v1/models":
      return listOf(models);
    case "/api/version":
      return { version: "0.12.0" };
    case "/api/tags":
      return {
        models: models.map((name) => ({ name, model: name, modified_at: WHEN, size: 1000, details: {} })),
      };
    case "/api/show":
      return {
        details: { family: "scripted" },
        model_info: { "general.architecture": "scripted", "scripted.context_length": window },
        capabilities: ["completion", "tools", "thinking"],
      };
    default:
      return undefined;
  }
}

/** One list that both of those read who ask at this path: each ignores what the other needs. */
function listOf(models: readonly string[]): JsonObject {
  return {
    object: "list",
    data: models.map((id) => ({
      id,
      object: "model",
      created: Date.parse(WHEN) / 1000,
      owned_by: "worldline",
      type: "model",
      display_name: id,
      created_at: WHEN,
    })),
    has_more: false,
    first_id: models[0] ?? null,
    last_id: models.at(-1) ?? null,
  };
}
