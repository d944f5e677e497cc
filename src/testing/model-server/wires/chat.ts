import type { JsonObject } from "../../../record/parts.ts";
import { chatProblems, readChat } from "./chat-request.ts";
import { openaiError } from "./openai-error.ts";
import {
  type Frame,
  inputOf,
  piecesOf,
  type SettledPart,
  type SettledReply,
  type WireFormat,
} from "./wire.ts";

/** `POST /v1/chat/completions`, of OpenAI and of all who speak as it does. */
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
