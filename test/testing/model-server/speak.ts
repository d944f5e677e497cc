import type { Json, JsonObject } from "../../../src/record/parts.ts";
import type { ModelServer, Wire } from "../../../src/testing/testing.ts";

export const wires: readonly Wire[] = ["anthropic", "chat", "responses", "ollama"];

const paths = {
  anthropic: "/v1/messages",
  chat: "/v1/chat/completions",
  responses: "/v1/responses",
  ollama: "/api/chat",
};

const keys = {
  anthropic: { "x-api-key": "k", "anthropic-version": "2023-06-01" },
  chat: { authorization: "Bearer k" },
  responses: { authorization: "Bearer k" },
  ollama: {},
};

/** Sends a hand-made request, which may be one that no client library would send. */
export function speak(
  server: ModelServer,
  wire: Wire,
  request: { body: Json; headers?: Record<string, string> },
): Promise<Response> {
  return fetch(server.url + paths[wire], {
    method: "POST",
    headers: { "content-type": "application/json", ...(request.headers ?? keys[wire]) },
    body: JSON.stringify(request.body),
  });
}

/** The smallest valid request of each wire. */
export function asking(wire: Wire, text: string, more: JsonObject = {}): JsonObject {
  const messages = [{ role: "user", content: text }];
  switch (wire) {
    case "anthropic":
      return { model: "m", max_tokens: 100, stream: true, messages, ...more };
    case "responses":
      return { model: "m", stream: true, input: messages, ...more };
    default:
      return { model: "m", stream: true, messages, ...more };
  }
}

/** The JSON values of a stream, in any framing. */
export function valuesIn(stream: string): readonly JsonObject[] {
  return stream
    .split("\n")
    .map((line) => line.replace(/^data: /, ""))
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as JsonObject);
}
