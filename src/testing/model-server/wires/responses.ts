import type { JsonObject } from "../../../record/parts.ts";
import { openaiError } from "./openai-error.ts";
import { readResponses, responsesProblems } from "./responses-request.ts";
import {
  type Frame,
  inputOf,
  piecesOf,
  type SettledPart,
  type SettledReply,
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
