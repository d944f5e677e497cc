import type { Json, JsonObject } from "../../../record/parts.ts";
import {
  canonical,
  type Frame,
  imagesIn,
  inputOf,
  joinPieces,
  objectsOf,
  openaiError,
  type Piece,
  parsed,
  piecesOf,
  type ReadRequest,
  type SettledPart,
  type SettledReply,
  stringOf,
  textOfContent,
  type WireFormat,
} from "./wire.ts";

/** `POST /v1/responses`. */
export const responses: WireFormat = {
  wire: "responses",
  contentType: "text/event-stream",
  read: readResponses,
  problems: responsesProblems,
  frames,
  whole: finished,
  error: openaiError,
  errorFrame: (message) =>
    event({
      type: "response.failed",
      sequence_number: 1000,
      response: { status: "failed", error: { code: "server_error", message } },
    }),
};

type Event = JsonObject & { readonly type: string };

function event(data: Event): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

function envelope(reply: SettledReply, status: string): JsonObject {
  return {
    id: reply.id,
    object: "response",
    created_at: reply.created,
    status,
    error: null,
    incomplete_details: null,
    model: reply.model,
    output: [],
    usage: null,
  };
}

const incomplete = { length: "max_output_tokens", "content-filter": "content_filter" };

function finished(reply: SettledReply): JsonObject {
  const reason = reply.stop === "end" || reply.stop === "calls" ? undefined : incomplete[reply.stop];
  return {
    ...envelope(reply, reason === undefined ? "completed" : "incomplete"),
    incomplete_details: reason === undefined ? null : { reason },
    output: reply.parts.map((part, index) => itemOf(part, itemId(reply, part, index))),
    usage: {
      input_tokens: inputOf(reply.usage),
      input_tokens_details: { cached_tokens: reply.usage.read },
      output_tokens: reply.usage.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: inputOf(reply.usage) + reply.usage.output,
    },
  };
}

const prefixes = { thinking: "rs", text: "msg", call: "fc" };

function itemId(reply: SettledReply, part: SettledPart, index: number): string {
  return `${prefixes[part.type]}_${reply.id}_${index}`;
}

function itemOf(part: SettledPart, id: string): JsonObject {
  const status = "completed";
  switch (part.type) {
    case "thinking":
      return {
        id,
        type: "reasoning",
        summary: [{ type: "summary_text", text: part.text }],
        encrypted_content: part.signature,
      };
    case "text":
      return {
        id,
        type: "message",
        status,
        role: "assistant",
        content: [{ type: "output_text", text: part.text, annotations: [] }],
      };
    case "call":
      return { id, type: "function_call", status, call_id: part.id, name: part.name, arguments: part.text };
    default:
      return part satisfies never;
  }
}

function frames(reply: SettledReply): readonly Frame[] {
  let sequence = 0;
  const frame = (kind: Frame["kind"], data: Event): Frame => ({
    kind,
    bytes: event({ ...data, sequence_number: sequence++ }),
  });
  const whole = finished(reply);
  return [
    frame("start", { type: "response.created", response: envelope(reply, "in_progress") }),
    frame("start", { type: "response.in_progress", response: envelope(reply, "in_progress") }),
    ...reply.parts.flatMap((part, index) =>
      itemEvents(part, itemId(reply, part, index)).map(({ kind, data }) =>
        frame(kind, { ...data, output_index: index }),
      ),
    ),
    frame("end", {
      type: whole["status"] === "completed" ? "response.completed" : "response.incomplete",
      response: whole,
    }),
  ];
}

interface ItemEvent {
  readonly kind: "delta" | "body";
  readonly data: Event;
}

function itemEvents(part: SettledPart, id: string): readonly ItemEvent[] {
  const item = itemOf(part, id);
  const body = (data: Event): ItemEvent => ({ kind: "body", data });
  const inner = { thinking: thinkingEvents, text: textEvents, call: callEvents }[part.type](part.text);
  return [
    body({ type: "response.output_item.added", item: { ...item, ...emptied[part.type] } }),
    ...inner.map(({ kind, data }): ItemEvent => ({ kind, data: { ...data, item_id: id } })),
    body({ type: "response.output_item.done", item }),
  ];
}

const emptied = {
  thinking: { summary: [] },
  text: { status: "in_progress", content: [] },
  call: { status: "in_progress", arguments: "" },
};

function thinkingEvents(text: string): readonly ItemEvent[] {
  const at = { summary_index: 0 };
  const part = (written: string): JsonObject => ({ type: "summary_text", text: written });
  return [
    { kind: "body", data: { type: "response.reasoning_summary_part.added", ...at, part: part("") } },
    ...piecesOf(text).map(
      (delta): ItemEvent => ({
        kind: "delta",
        data: { type: "response.reasoning_summary_text.delta", ...at, delta },
      }),
    ),
    { kind: "body", data: { type: "response.reasoning_summary_text.done", ...at, text } },
    { kind: "body", data: { type: "response.reasoning_summary_part.done", ...at, part: part(text) } },
  ];
}

function textEvents(text: string): readonly ItemEvent[] {
  const at = { content_index: 0 };
  const part = (written: string): JsonObject => ({ type: "output_text", text: written, annotations: [] });
  return [
    { kind: "body", data: { type: "response.content_part.added", ...at, part: part("") } },
    ...piecesOf(text).map(
      (delta): ItemEvent => ({
        kind: "delta",
        data: { type: "response.output_text.delta", ...at, delta },
      }),
    ),
    { kind: "body", data: { type: "response.output_text.done", ...at, text } },
    { kind: "body", data: { type: "response.content_part.done", ...at, part: part(text) } },
  ];
}

function callEvents(text: string): readonly ItemEvent[] {
  return [
    ...piecesOf(text).map(
      (delta): ItemEvent => ({
        kind: "delta",
        data: { type: "response.function_call_arguments.delta", delta },
      }),
    ),
    { kind: "body", data: { type: "response.function_call_arguments.done", arguments: text } },
  ];
}

function readResponses(body: JsonObject): ReadRequest {
  const items = itemsOf(body);
  const instructions = stringOf(body["instructions"]);
  return {
    model: stringOf(body["model"]),
    system: [instructions, ...items.filter(isInstruction).map((item) => textOfContent(item["content"]))]
      .filter((text) => text !== "")
      .join("\n"),
    messages: joinPieces(items.filter((item) => !isInstruction(item)).map(pieceOf)),
    tools: objectsOf(body["tools"]).map((tool) => stringOf(tool["name"])),
    blocks: [
      ...objectsOf(body["tools"]).map(canonical),
      ...(instructions === "" ? [] : [canonical(instructions)]),
      ...items.map(canonical),
    ].map((text) => ({ text, mark: "plain" })),
    answer: body["stream"] === true ? "stream" : "whole",
  };
}

function itemsOf(body: JsonObject): readonly JsonObject[] {
  const input = body["input"];
  return typeof input === "string" ? [{ role: "user", content: input }] : objectsOf(input);
}

/** Messages may omit their type. */
function typeOf(item: JsonObject): string {
  return item["type"] === undefined && item["role"] !== undefined ? "message" : stringOf(item["type"]);
}

function isInstruction(item: JsonObject): boolean {
  return typeOf(item) === "message" && (item["role"] === "system" || item["role"] === "developer");
}

function pieceOf(item: JsonObject): Piece {
  const id = stringOf(item["call_id"]);
  switch (typeOf(item)) {
    case "function_call":
      return {
        role: "assistant",
        call: { id, name: stringOf(item["name"]), input: parsed(stringOf(item["arguments"])) ?? null },
      };
    case "function_call_output":
      return {
        role: "tool",
        result: { id, text: textOfContent(item["output"]), isError: false },
        images: imagesIn(item["output"]),
      };
    case "message":
      return {
        role: item["role"] === "assistant" ? "assistant" : "user",
        text: textOfContent(item["content"]),
        images: imagesIn(item["content"]),
      };
    default:
      return { role: "assistant" };
  }
}

function* responsesProblems(body: JsonObject): Generator<string> {
  if (stringOf(body["model"]) === "") yield "Missing required parameter: 'model'.";
  const items = itemsOf(body);
  const first = items.find((item) => !isInstruction(item));
  if (first === undefined) yield "Missing required parameter: 'input'.";
  if (first?.["role"] !== "user") yield "input: first message must use the user role";
  for (const [index, item] of items.entries()) {
    yield* itemProblems(item, `input[${index}]`);
    if (typeOf(item) === "reasoning") yield* reasoningProblems(item, items[index + 1]);
  }
  const ids = items.map((item) => stringOf(item["id"])).filter((id) => id !== "");
  const twice = ids.find((id, index) => ids.indexOf(id) < index);
  if (twice !== undefined)
    yield `Duplicate item found with id ${twice}. Remove duplicate items from your input.`;
  yield* pairProblems(items);
}

function* itemProblems(item: JsonObject, at: string): Generator<string> {
  switch (typeOf(item)) {
    case "message":
      if (!["system", "developer", "user", "assistant"].includes(stringOf(item["role"]))) {
        yield `Invalid value: '${stringOf(item["role"])}' - '${at}.role'`;
      }
      yield* contentProblems(item, at);
      return;
    case "function_call":
      if (!/^[a-zA-Z0-9_-]+$/.test(stringOf(item["name"]))) yield `Invalid '${at}.name'`;
      if (parsed(stringOf(item["arguments"])) === undefined)
        yield `Invalid '${at}.arguments': not valid JSON`;
      yield* idProblems(item["call_id"], at);
      return;
    case "function_call_output":
      if (item["output"] === undefined) yield `Missing required parameter: '${at}.output'`;
      yield* idProblems(item["call_id"], at);
      return;
    case "reasoning":
      return;
    case "item_reference":
      yield `Item with id '${stringOf(item["id"])}' not found. Items are not persisted by this server.`;
      return;
    default:
      yield `Invalid value: '${stringOf(item["type"])}' - '${at}.type'`;
  }
}

/** Content that the model wrote is output; all other content is input. */
function* contentProblems(item: JsonObject, at: string): Generator<string> {
  const allowed = item["role"] === "assistant" ? /^(output_text|refusal)$/ : /^input_/;
  for (const [index, block] of objectsOf(item["content"]).entries()) {
    const type = stringOf(block["type"]);
    if (!allowed.test(type)) yield `Invalid value: '${type}' - '${at}.content[${index}]'`;
  }
}

function* idProblems(id: Json | undefined, at: string): Generator<string> {
  const text = stringOf(id);
  if (text === "") yield `Missing required parameter: '${at}.call_id'`;
  if (text.length > 64) yield `Invalid '${at}.call_id': string too long, at most 64 characters`;
}

function* reasoningProblems(item: JsonObject, next: JsonObject | undefined): Generator<string> {
  const follows = next === undefined ? "" : typeOf(next);
  const answered =
    follows === "function_call" ||
    follows === "reasoning" ||
    (follows === "message" && next?.["role"] === "assistant");
  if (!answered) {
    yield `Item '${stringOf(item["id"])}' of type 'reasoning' was provided without its required following item.`;
  }
}

function* pairProblems(items: readonly JsonObject[]): Generator<string> {
  const calls = placesOf(items, "function_call");
  const outputs = placesOf(items, "function_call_output");
  for (const [id, [place = -1, ...more]] of outputs) {
    const [called = Number.POSITIVE_INFINITY] = calls.get(id) ?? [];
    if (called > place) yield `No tool call found for function call output with call_id ${id}.`;
    if (more.length > 0) yield `Several function call outputs with call_id ${id}.`;
  }
  for (const [id, places] of calls) {
    if (places.length > 1) yield `Duplicate call_id in function calls: ${id}.`;
    if (!outputs.has(id)) yield `No tool output found for function call ${id}.`;
  }
}

function placesOf(items: readonly JsonObject[], type: string): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [index, item] of items.entries()) {
    const id = stringOf(item["call_id"]);
    if (typeOf(item) === type) places.set(id, [...(places.get(id) ?? []), index]);
  }
  return places;
}
