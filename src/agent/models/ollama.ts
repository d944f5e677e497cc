import type { Model, ModelEvent, ModelRequest } from "../../ports/model.ts";
import type { Part, Usage } from "../../record/parts.ts";
import {
  isDeeperThan,
  isJsonObject,
  type Json,
  type JsonObject,
  MAX_INPUT_DEPTH,
} from "../../record/parts.ts";
import type { AssistantMessage, Context, ContextMessage } from "../../timeline/context/context.ts";
import { type Access, failureContextOf, nameOf } from "./access.ts";
import { cutFailure, emptyFailure, type FailureContext, failureOf } from "./wire/failure.ts";
import { callIdsIn, wellFormed, wellFormedJson, wireName } from "./wire/prompt.ts";
import { ReplyDraft, streamReply, tokenCount } from "./wire/reply.ts";

/** A response that is not a model's reply, in a form that `failureOf` understands. */
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
 * Opens a model through Ollama's own API, because its OpenAI endpoint always uses a window of 4,096 tokens and silently
 * truncates the rest.
 */
export function ollamaModel(access: Access): Model {
  const context = failureContextOf(access);
  const { model, window } = access.row;
  return {
    name: model,
    window,
    stream: (request) =>
      streamReply(request, {
        reply: new OllamaReply(callIdsIn(request.context)),
        pieces: (signal) => linesOf(access, request, signal),
        context,
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
    // The response had already begun, so whatever the cause, the stream was interrupted.
    throw Object.assign(new Error("The stream was interrupted", { cause: error }), {
      statusCode: response.status,
    });
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

/** Converts a context to Ollama's format. Calls have no ids, so results follow in the order of the calls. */
function ollamaMessages({ system, messages }: Context): JsonObject[] {
  const first = system.trim() === "" ? [] : [{ role: "system", content: wellFormed(system) }];
  return [...first, ...messages.flatMap(messageOf)];
}

function messageOf(message: ContextMessage): JsonObject[] {
  if (message.role === "assistant") return replyOf(message);
  const base = { content: textOfParts(message.parts), ...imagesOf(message.parts) };
  return message.role === "user"
    ? [{ role: "user", ...base }]
    : [{ role: "tool", tool_name: wireName(message.name), ...base }];
}

function replyOf({ parts }: AssistantMessage): JsonObject[] {
  const content = parts.flatMap((part) => (part.type === "text" ? [wellFormed(part.text)] : [])).join("\n");
  const calls = parts.flatMap((part): Json[] => {
    if (part.type !== "tool-call") return [];
    const input = isJsonObject(part.input) ? wellFormedJson(part.input) : {};
    return [{ function: { name: wireName(part.name), arguments: input } }];
  });
  if (content.trim() === "" && calls.length === 0) return [];
  return [{ role: "assistant", content, ...(calls.length === 0 ? {} : { tool_calls: calls }) }];
}

function textOfParts(parts: readonly Part[]): string {
  const texts = parts.flatMap((part) => (part.type === "text" ? [wellFormed(part.text)] : []));
  return texts.join("\n");
}

function imagesOf(parts: readonly Part[]): { images?: Json } {
  const images = parts.flatMap((part) => (part.type === "image" ? [part.data] : []));
  return images.length === 0 ? {} : { images };
}

/** Turns the lines of Ollama's stream into events and a reply. */
class OllamaReply {
  readonly #draft: ReplyDraft;
  #error: { readonly value: unknown } | undefined;
  #last: JsonObject | undefined;
  #calls = 0;

  constructor(taken: Set<string>) {
    this.#draft = new ReplyDraft(taken);
  }

  get isOver(): boolean {
    return this.#error !== undefined || this.#last !== undefined;
  }

  *take(line: unknown): Generator<ModelEvent> {
    if (!isJsonObject(line)) return;
    if (line["error"] !== undefined) {
      this.#error = { value: { message: String(line["error"]) } };
      return;
    }
    const message = line["message"];
    if (isJsonObject(message)) yield* this.#takeMessage(message);
    if (line["done"] === true) this.#last = line;
  }

  outcome(context: FailureContext): ModelEvent {
    if (this.#error !== undefined) return { type: "failed", failure: failureOf(this.#error.value, context) };
    const last = this.#last;
    if (last === undefined) return { type: "failed", failure: cutFailure(context) };
    const parts = this.#draft.parts();
    const end = last["done_reason"] === "length" ? "length" : undefined;
    if (parts.every((part) => part.type === "thinking")) {
      return { type: "failed", failure: emptyFailure(context, end) };
    }
    return { type: "end", parts, ...(end === undefined ? {} : { end }), usage: usageOf(last) };
  }

  *#takeMessage({ thinking, content, tool_calls: calls }: JsonObject): Generator<ModelEvent> {
    if (typeof thinking === "string") yield* this.#add("thinking", thinking);
    if (typeof content === "string") yield* this.#add("text", content);
    for (const call of Array.isArray(calls) ? calls : []) yield* this.#takeCall(call);
  }

  *#add(type: "text" | "thinking", text: string): Generator<ModelEvent> {
    if (text === "") return;
    // Text that follows a part of another kind begins a new part.
    this.#draft.end(type === "text" ? "thinking" : "text", "");
    yield* this.#draft.add(type, "", text);
  }

  /**
   * Ollama sends each call as a whole. Worldline assigns the call's id, because older versions of Ollama send none and
   * newer versions do not need theirs back.
   */
  *#takeCall(call: unknown): Generator<ModelEvent> {
    const { function: called } = isJsonObject(call) ? call : {};
    if (!isJsonObject(called)) return;
    const { name, arguments: input } = called;
    const key = String(++this.#calls);
    yield* this.#draft.beginCall(key, undefined, typeof name === "string" ? name : "");
    yield* this.#draft.endCall(key, writtenInput(input));
  }
}

function writtenInput(input: Json | undefined): string {
  if (typeof input === "string") return input;
  return isDeeperThan(input, MAX_INPUT_DEPTH) ? "(nested too deeply)" : JSON.stringify(input ?? {});
}

function usageOf(last: JsonObject): Usage {
  const { prompt_eval_count: input, eval_count: output } = last;
  return { input: tokenCount(input), output: tokenCount(output), cacheRead: 0, cacheWrite: 0 };
}

/**
 * Yields the values of a body that contains one JSON value per line, as they arrive. Throws on a line that is not JSON.
 */
async function* jsonLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  const started: string[] = [];
  for await (const bytes of body) {
    const [rest = "", ...lines] = decoder.decode(bytes, { stream: true }).split("\n");
    started.push(rest);
    // Pieces are joined only when the line is complete. Joining each piece of an endless line would copy the line again
    // and again.
    for (const line of lines) {
      yield* parsedLine(started.join(""));
      started.splice(0, started.length, line);
    }
  }
  yield* parsedLine(started.join(""));
}

function* parsedLine(line: string): Generator<unknown> {
  if (line.trim() !== "") yield JSON.parse(line);
}
