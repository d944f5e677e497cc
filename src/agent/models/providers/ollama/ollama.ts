import type { Model, ModelRequest } from "../../../../ports/model.ts";
import type { JsonObject } from "../../../../record/json.ts";
import { callIdsIn } from "../../wire/call-ids.ts";
import { streamReply } from "../../wire/stream-reply.ts";
import { type Access, nameOf, sceneOf } from "../access.ts";
import { jsonLines } from "./json-lines.ts";
import { ollamaMessages } from "./messages.ts";
import { OllamaReply } from "./reply.ts";

/** An answer that is no reply, as `failureOf` reads it. */
class AnswerError extends Error {
  readonly statusCode: number;
  readonly responseBody: string;
  readonly responseHeaders: Readonly<Record<string, string>>;

  constructor({ status, headers }: Response, body: string) {
    super(`status ${status}`);
    this.statusCode = status;
    this.responseBody = body;
    this.responseHeaders = Object.fromEntries(headers);
  }
}

/**
 * Ollama through its own API: over its OpenAI endpoint it runs with a window of 4,096 tokens whatever is asked, and cuts
 * off silently what does not fit.
 */
export function ollamaModel(access: Access): Model {
  const scene = sceneOf(access);
  const { model, window } = access.row;
  return {
    name: model,
    window,
    stream: (request) =>
      streamReply(request, {
        reply: new OllamaReply(callIdsIn(request.context)),
        pieces: (signal) => linesOf(access, request, signal),
        scene,
      }),
  };
}

async function* linesOf(access: Access, request: ModelRequest, signal: AbortSignal): AsyncGenerator<unknown> {
  const { baseUrl, fetch, key } = access;
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const response = await fetch(`${baseUrl}/api/chat`, {
    method: "POST",
    headers: { "content-type": "application/json", ...authorization },
    body: JSON.stringify(bodyOf(access, request)),
    signal,
  });
  if (!response.ok) throw new AnswerError(response, await response.text());
  try {
    if (response.body !== null) yield* jsonLines(response.body);
  } catch (error) {
    // An answer had begun: whatever happened, the stream was cut.
    throw Object.assign(new Error("The stream broke off", { cause: error }), { statusCode: response.status });
  }
}

function bodyOf({ row }: Access, { context, tools, maxOutputTokens }: ModelRequest): JsonObject {
  const limit = maxOutputTokens ?? row.maxOutput;
  const sorted = [...tools].sort((one, other) => (one.name < other.name ? -1 : 1));
  const functions = sorted.map(({ name, description, parameters }) => ({
    type: "function",
    function: { name, description, parameters },
  }));
  return {
    model: nameOf(row.model),
    stream: true,
    options: { num_ctx: row.window, ...(limit === undefined ? {} : { num_predict: limit }) },
    ...(functions.length === 0 ? {} : { tools: functions }),
    messages: ollamaMessages(context),
  };
}
