import type { JsonObject } from "../../../record/parts.ts";

const codes: Readonly<Record<number, string>> = {
  401: "invalid_api_key",
  404: "model_not_found",
  429: "rate_limit_exceeded",
};

/** What both of OpenAI's wires answer with when they refuse. */
export function openaiError(status: number, message: string): JsonObject {
  const code = /too long/.test(message) ? "context_length_exceeded" : (codes[status] ?? null);
  const type = status >= 500 ? "server_error" : "invalid_request_error";
  return { error: { message, type, param: null, code } };
}
