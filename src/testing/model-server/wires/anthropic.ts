import type { Json, JsonObject } from "../../../record/parts.ts";
import { anthropicProblems, readAnthropic } from "./anthropic-request.ts";
import {
  type Frame,
  parsed,
  piecesOf,
  type SettledPart,
  type SettledReply,
  type WireFormat,
} from "./wire.ts";

/** `POST /v1/messages`. */
export const anthropic: WireFormat = {
  wire: "anthropic",
  contentType: "text/event-stream",
  read: readAnthropic,
  problems: anthropicProblems,
  frames,
  whole: (reply) => ({
    ...messageOf(reply),
    content: reply.parts.map(wholeBlock),
    stop_reason: stopReason[reply.stop],
    usage: { ...inputUsage(reply), output_tokens: reply.usage.output },
  }),
  error,
  errorFrame: (message) => event({ ...error(529, message) }),
};

const stopReason = { end: "end_turn", calls: "tool_use", length: "max_tokens", "content-filter": "refusal" };

const errorTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

function error(status: number, message: string): JsonObject & { readonly type: string } {
  return { type: "error", error: { type: errorTypes[status] ?? "api_error", message } };
}

function event(data: JsonObject & { readonly type: string }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

function messageOf(reply: SettledReply): JsonObject {
  return {
    id: reply.id,
    type: "message",
    role: "assistant",
    model: reply.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...inputUsage(reply), output_tokens: 1 },
  };
}

function inputUsage({ usage }: SettledReply): JsonObject {
  return {
    input_tokens: usage.uncached,
    cache_creation_input_tokens: usage.written,
    cache_read_input_tokens: usage.read,
  };
}

function wholeBlock(part: SettledPart): Json {
  switch (part.type) {
    case "thinking":
      return { type: "thinking", thinking: part.text, signature: part.signature };
    case "text":
      return { type: "text", text: part.text };
    case "call":
      return { type: "tool_use", id: part.id, name: part.name, input: parsed(part.text) ?? {} };
    default:
      return part satisfies never;
  }
}

function frames(reply: SettledReply): readonly Frame[] {
  return [
    { kind: "start", bytes: event({ type: "message_start", message: messageOf(reply) }) },
    { kind: "start", bytes: event({ type: "ping" }) },
    ...reply.parts.flatMap((part, index) => blockFrames(part, index)),
    {
      kind: "end",
      bytes: event({
        type: "message_delta",
        delta: { stop_reason: stopReason[reply.stop], stop_sequence: null },
        usage: { ...inputUsage(reply), output_tokens: reply.usage.output },
      }),
    },
    { kind: "end", bytes: event({ type: "message_stop" }) },
  ];
}

function blockFrames(part: SettledPart, index: number): readonly Frame[] {
  const delta = (kind: Frame["kind"], content: JsonObject): Frame => ({
    kind,
    bytes: event({ type: "content_block_delta", index, delta: content }),
  });
  const start = { type: "content_block_start", index, content_block: openBlock(part) };
  const deltas = piecesOf(part.text).map((piece) => delta("delta", deltaOf(part, piece)));
  const signed =
    part.type === "thinking" ? [delta("body", { type: "signature_delta", signature: part.signature })] : [];
  return [
    { kind: "body", bytes: event(start) },
    ...deltas,
    ...signed,
    { kind: "body", bytes: event({ type: "content_block_stop", index }) },
  ];
}

function openBlock(part: SettledPart): JsonObject {
  switch (part.type) {
    case "thinking":
      return { type: "thinking", thinking: "", signature: "" };
    case "text":
      return { type: "text", text: "" };
    case "call":
      return { type: "tool_use", id: part.id, name: part.name, input: {} };
    default:
      return part satisfies never;
  }
}

function deltaOf(part: SettledPart, piece: string): JsonObject {
  switch (part.type) {
    case "thinking":
      return { type: "thinking_delta", thinking: piece };
    case "text":
      return { type: "text_delta", text: piece };
    case "call":
      return { type: "input_json_delta", partial_json: piece };
    default:
      return part satisfies never;
  }
}
