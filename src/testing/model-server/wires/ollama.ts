import type { Json, JsonObject } from "../../../record/parts.ts";
import {
  canonical,
  type Frame,
  inputOf,
  joinPieces,
  objectOf,
  objectsOf,
  type Piece,
  parsed,
  piecesOf,
  type ReadRequest,
  type SettledPart,
  type SettledReply,
  stringOf,
  type WireFormat,
} from "./wire.ts";

/**
 * `POST /api/chat`, with one line of JSON for each piece. In this wire format, calls do not have ids, but are
 * identified by their name and order.
 */
export const ollama: WireFormat = {
  wire: "ollama",
  contentType: "application/x-ndjson",
  read,
  problems,
  frames,
  whole: (reply) => ({ ...envelope(reply), message: wholeMessage(reply), ...finish(reply) }),
  error: (_status, message) => ({ error: message }),
  errorFrame: (message) => line({ error: message }),
};

function read(body: JsonObject): ReadRequest {
  const messages = objectsOf(body["messages"]);
  const isSystem = (message: JsonObject): boolean => message["role"] === "system";
  return {
    model: stringOf(body["model"]),
    system: messages
      .filter(isSystem)
      .map((message) => stringOf(message["content"]))
      .join("\n"),
    messages: joinPieces(messages.filter((message) => !isSystem(message)).flatMap(piecesOfMessage)),
    tools: objectsOf(body["tools"]).map((tool) => stringOf(objectOf(tool["function"])["name"])),
    blocks: [...objectsOf(body["tools"]), ...messages].map((each) => ({
      text: canonical(each),
      mark: "plain",
    })),
    // Ollama streams unless the request turns streaming off.
    answer: body["stream"] === false ? "whole" : "stream",
  };
}

function piecesOfMessage(message: JsonObject): readonly Piece[] {
  const text = stringOf(message["content"]);
  const images = Array.isArray(message["images"]) ? message["images"].length : 0;
  if (message["role"] === "tool") {
    const id = stringOf(message["tool_call_id"] ?? message["tool_name"]);
    return [{ role: "tool", images, result: { id, text, isError: false } }];
  }
  const role = message["role"] === "assistant" ? "assistant" : "user";
  const calls = objectsOf(message["tool_calls"]).map((call): Piece => {
    const { name, arguments: input } = objectOf(call["function"]);
    return { role, call: { id: stringOf(call["id"] ?? name), name: stringOf(name), input: input ?? null } };
  });
  return [{ role, text, images }, ...calls];
}

function* problems(body: JsonObject): Generator<string> {
  if (stringOf(body["model"]) === "") yield "model is required";
  const messages = objectsOf(body["messages"]);
  const first = messages.find((message) => message["role"] !== "system");
  if (first?.["role"] !== "user") yield "messages: first message must use the user role";
  let open = 0;
  for (const [index, message] of messages.entries()) {
    yield* messageProblems(message, `messages[${index}]`);
    if (message["role"] === "tool") {
      open -= 1;
      if (open < 0) yield `messages[${index}]: a tool result without its call`;
      continue;
    }
    if (open > 0) yield `messages[${index}]: ${open} tool calls before it have no result`;
    open = objectsOf(message["tool_calls"]).length;
  }
  if (open > 0) yield `messages: the last ${open} tool calls have no result`;
}

function* messageProblems(message: JsonObject, at: string): Generator<string> {
  if (!["system", "user", "assistant", "tool"].includes(stringOf(message["role"]))) {
    yield `${at}: invalid role ${JSON.stringify(message["role"])}`;
  }
  if (message["content"] !== undefined && typeof message["content"] !== "string") {
    yield `${at}: json: cannot unmarshal content into a string`;
  }
  for (const call of objectsOf(message["tool_calls"])) {
    const input = objectOf(call["function"])["arguments"];
    if (typeof input !== "object" || input === null)
      yield `${at}: the arguments of a tool call must be an object`;
  }
}

function line(value: JsonObject): string {
  return `${JSON.stringify(value)}\n`;
}

function envelope(reply: SettledReply): JsonObject {
  return { model: reply.model, created_at: new Date(reply.created * 1000).toISOString() };
}

function finish(reply: SettledReply): JsonObject {
  return {
    done: true,
    done_reason: reply.stop === "length" ? "length" : "stop",
    prompt_eval_count: inputOf(reply.usage),
    eval_count: reply.usage.output,
  };
}

/**
 * Encodes a call. In this wire format, a call's arguments are a JSON value instead of text. A value that is not an
 * object is sent as an empty object.
 */
function callOf(part: Extract<SettledPart, { type: "call" }>): Json {
  return { function: { name: part.name, arguments: objectOf(parsed(part.text)) } };
}

function wholeMessage(reply: SettledReply): JsonObject {
  const textOf = (type: "text" | "thinking"): string =>
    reply.parts.map((part) => (part.type === type ? part.text : "")).join("");
  const calls = reply.parts.flatMap((part) => (part.type === "call" ? [callOf(part)] : []));
  const thinking = textOf("thinking");
  return {
    role: "assistant",
    content: textOf("text"),
    ...(thinking === "" ? {} : { thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function frames(reply: SettledReply): readonly Frame[] {
  const delta = (rest: JsonObject): Frame => ({
    kind: "delta",
    bytes: line({ ...envelope(reply), message: { role: "assistant", content: "", ...rest }, done: false }),
  });
  const end = { ...envelope(reply), message: { role: "assistant", content: "" }, ...finish(reply) };
  return [
    ...reply.parts.flatMap((part) => {
      if (part.type === "call") return [delta({ tool_calls: [callOf(part)] })];
      return piecesOf(part.text).map((piece) =>
        delta(part.type === "text" ? { content: piece } : { thinking: piece }),
      );
    }),
    { kind: "end", bytes: line(end) },
  ];
}
