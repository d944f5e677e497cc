import type { JsonObject } from "../../../record/parts.ts";
import {
  canonical,
  type Frame,
  imagesIn,
  inputOf,
  joinPieces,
  objectOf,
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

/** `POST /v1/chat/completions`, for OpenAI and compatible providers. */
export const chat: WireFormat = {
  wire: "chat",
  contentType: "text/event-stream",
  read: readChat,
  problems: chatProblems,
  frames,
  whole: (reply) => ({
    ...envelope(reply, "chat.completion"),
    choices: [{ index: 0, message: wholeMessage(reply), finish_reason: finishReason[reply.stop] }],
    usage: usageOf(reply),
  }),
  error: openaiError,
  errorFrame: (message) => data(openaiError(500, message)),
};

const finishReason = {
  end: "stop",
  calls: "tool_calls",
  length: "length",
  "content-filter": "content_filter",
};

function data(value: JsonObject): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function envelope(reply: SettledReply, object: string): JsonObject {
  return { id: reply.id, object, created: reply.created, model: reply.model };
}

function usageOf({ usage }: SettledReply): JsonObject {
  return {
    prompt_tokens: inputOf(usage),
    completion_tokens: usage.output,
    total_tokens: inputOf(usage) + usage.output,
    prompt_tokens_details: { cached_tokens: usage.read },
  };
}

type CallPart = Extract<SettledPart, { type: "call" }>;

function callsOf(reply: SettledReply): readonly CallPart[] {
  return reply.parts.filter((part) => part.type === "call");
}

function wholeMessage(reply: SettledReply): JsonObject {
  const textOf = (type: "text" | "thinking"): string =>
    reply.parts.map((part) => (part.type === type ? part.text : "")).join("");
  const calls = callsOf(reply).map(({ id, name, text }) => ({
    id,
    type: "function",
    function: { name, arguments: text },
  }));
  const thinking = textOf("thinking");
  return {
    role: "assistant",
    content: textOf("text"),
    ...(thinking === "" ? {} : { reasoning_content: thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function frames(reply: SettledReply): readonly Frame[] {
  const chunk = (rest: JsonObject): string => data({ ...envelope(reply, "chat.completion.chunk"), ...rest });
  const frame = (kind: Frame["kind"], delta: JsonObject): Frame => ({
    kind,
    bytes: chunk({ choices: [{ index: 0, delta, finish_reason: null }] }),
  });
  const calls = callsOf(reply);
  return [
    frame("start", { role: "assistant", content: "" }),
    ...reply.parts.flatMap((part) =>
      part.type === "call"
        ? callFrames(part, calls.indexOf(part), frame)
        : piecesOf(part.text).map((piece) =>
            frame("delta", part.type === "text" ? { content: piece } : { reasoning_content: piece }),
          ),
    ),
    {
      kind: "end",
      bytes: chunk({ choices: [{ index: 0, delta: {}, finish_reason: finishReason[reply.stop] }] }),
    },
    { kind: "end", bytes: chunk({ choices: [], usage: usageOf(reply) }) },
    { kind: "end", bytes: "data: [DONE]\n\n" },
  ];
}

function callFrames(
  { id, name, text }: CallPart,
  index: number,
  frame: (kind: Frame["kind"], delta: JsonObject) => Frame,
): readonly Frame[] {
  return [
    frame("body", { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
    ...piecesOf(text).map((piece) =>
      frame("delta", { tool_calls: [{ index, function: { arguments: piece } }] }),
    ),
  ];
}

function readChat(body: JsonObject): ReadRequest {
  const messages = objectsOf(body["messages"]);
  return {
    model: stringOf(body["model"]),
    system: messages
      .filter(isInstruction)
      .map((message) => textOfContent(message["content"]))
      .join("\n"),
    messages: joinPieces(messages.filter((message) => !isInstruction(message)).flatMap(piecesOfMessage)),
    tools: objectsOf(body["tools"]).map((tool) => stringOf(objectOf(tool["function"])["name"])),
    blocks: [...objectsOf(body["tools"]), ...messages].map((each) => ({
      text: canonical(each),
      mark: "plain",
    })),
    answer: body["stream"] === true ? "stream" : "whole",
  };
}

function isInstruction(message: JsonObject): boolean {
  return message["role"] === "system" || message["role"] === "developer";
}

function piecesOfMessage(message: JsonObject): readonly Piece[] {
  const text = textOfContent(message["content"]);
  const images = imagesIn(message["content"]);
  if (message["role"] === "tool") {
    return [
      { role: "tool", images, result: { id: stringOf(message["tool_call_id"]), text, isError: false } },
    ];
  }
  const role = message["role"] === "assistant" ? "assistant" : "user";
  const calls = requestedCalls(message).map((call): Piece => {
    const { name, arguments: written } = objectOf(call["function"]);
    const input = parsed(stringOf(written)) ?? null;
    return { role, call: { id: stringOf(call["id"]), name: stringOf(name), input } };
  });
  return [{ role, text, images }, ...calls];
}

function requestedCalls(message: JsonObject): readonly JsonObject[] {
  return objectsOf(message["tool_calls"]);
}

function* chatProblems(body: JsonObject): Generator<string> {
  if (stringOf(body["model"]) === "") yield "you must provide a model parameter";
  const messages = objectsOf(body["messages"]);
  const first = messages.find((message) => !isInstruction(message));
  if (first === undefined) yield "[] is too short - 'messages'";
  if (first?.["role"] !== "user") yield "messages: first message must use the user role";
  for (const [index, message] of messages.entries()) yield* messageProblems(message, `messages.[${index}]`);
  yield* pairProblems(messages);
}

function* messageProblems(message: JsonObject, at: string): Generator<string> {
  const role = stringOf(message["role"]);
  if (!["system", "developer", "user", "assistant", "tool"].includes(role)) {
    yield `Invalid value: '${role}' - '${at}.role'`;
  }
  const content = message["content"];
  const says = typeof content === "string" || objectsOf(content).length > 0;
  if (!says && (role !== "assistant" || requestedCalls(message).length === 0)) {
    yield `Invalid value for 'content': expected a string, got null - '${at}.content'`;
  }
  for (const [index, call] of requestedCalls(message).entries())
    yield* callProblems(call, `${at}.tool_calls[${index}]`);
}

function* callProblems(call: JsonObject, at: string): Generator<string> {
  const { name, arguments: written } = objectOf(call["function"]);
  if (stringOf(call["id"]) === "") yield `Missing required parameter: '${at}.id'`;
  if (call["type"] !== "function") yield `Missing required parameter: '${at}.type'`;
  if (!/^[a-zA-Z0-9_-]+$/.test(stringOf(name))) yield `Invalid '${at}.function.name'`;
  if (typeof written !== "string" || parsed(written) === undefined) {
    yield `Invalid '${at}.function.arguments': not valid JSON`;
  }
}

function* pairProblems(messages: readonly JsonObject[]): Generator<string> {
  let open = new Set<string>();
  let unanswered = new Set<string>();
  for (const [index, message] of [...messages, end].entries()) {
    const at = `messages.[${index}]`;
    if (message["role"] === "tool") {
      yield* answerProblems(stringOf(message["tool_call_id"]), { open, unanswered, at });
      continue;
    }
    if (unanswered.size > 0) {
      yield `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. Without response: ${[...unanswered].join(", ")}`;
    }
    const ids = requestedCalls(message).map((call) => stringOf(call["id"]));
    open = new Set(ids);
    unanswered = new Set(ids);
    if (open.size < ids.length) yield `Duplicate ids in '${at}.tool_calls'`;
  }
}

/** A message that is added after the last message, so that calls without a result at the very end are also found. */
const end: JsonObject = { role: "end" };

interface Calls {
  readonly open: ReadonlySet<string>;
  readonly unanswered: Set<string>;
  readonly at: string;
}

function* answerProblems(id: string, { open, unanswered, at }: Calls): Generator<string> {
  if (!open.has(id)) {
    yield `messages with role 'tool' must be a response to a preceding message with 'tool_calls': ${id} - '${at}'`;
  }
  if (!unanswered.delete(id)) yield `two messages with role 'tool' answer the same call: ${id} - '${at}'`;
}
