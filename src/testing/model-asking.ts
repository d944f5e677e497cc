import assert from "node:assert/strict";
import type { Model, ModelEvent, ModelRequest } from "../ports/model.ts";
import { type ReplyPart, textPart } from "../record/parts.ts";
import type { Context, ContextMessage } from "../timeline/context/context.ts";
import type { ModelServer } from "./model-server/model-server.ts";
import type { ScriptedReply, Wire } from "./model-server/script.ts";

/** The context of a test case: the model, and the server that acts as its provider. */
export interface ModelPlace {
  readonly wire: Wire;
  readonly model: Model;
  readonly server: ModelServer;
}

export interface ModelCase {
  readonly title: string;
  readonly replies: readonly ScriptedReply[];
  run(place: ModelPlace): Promise<void>;
}

const TOOLS = [
  { name: "Write", description: "Writes.", parameters: { type: "object", properties: {} } },
  { name: "Read", description: "Reads.", parameters: { type: "object", properties: {} } },
];

export function userSays(text: string): ContextMessage {
  return { role: "user", parts: [textPart(text)] };
}

export function contextOfMessages(...messages: readonly ContextMessage[]): Context {
  return { system: "You are a test.", messages, breakpoints: [messages.length - 1] };
}

/** Makes one request and returns all of its events. */
export async function askModel(
  model: Model,
  context: Context,
  rest: Partial<Omit<ModelRequest, "context">> = {},
): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  const signal = rest.signal ?? new AbortController().signal;
  for await (const event of model.stream({ tools: TOOLS, ...rest, signal, context })) events.push(event);
  return events;
}

export function partsOf(events: readonly ModelEvent[]): readonly ReplyPart[] {
  const last = events.at(-1);
  assert.equal(last?.type, "end", JSON.stringify(last));
  return last.type === "end" ? last.parts : [];
}

export function failureCode(events: readonly ModelEvent[]): string {
  const last = events.at(-1);
  assert.equal(last?.type, "failed", JSON.stringify(last));
  const others = events.slice(0, -1).filter(({ type }) => type === "end" || type === "failed");
  assert.deepEqual(others, []);
  return last.type === "failed" ? `${last.failure.code} ${last.failure.retry}` : "";
}

export function streamedText(events: readonly ModelEvent[], type: "text" | "thinking"): string {
  return events.map((event) => (event.type === type ? event.text : "")).join("");
}

export function callsOf(parts: readonly ReplyPart[]): Extract<ReplyPart, { type: "tool-call" }>[] {
  return parts.filter((part) => part.type === "tool-call");
}

/** Returns the reply and a result for each of its calls, in the form that they have in the next request. */
export function answered(model: Model, parts: readonly ReplyPart[]): readonly ContextMessage[] {
  const results = callsOf(parts).map(({ call, name }): ContextMessage => {
    return { role: "tool", call, name, outcome: "ok", parts: [textPart(`result of ${call}`)] };
  });
  return [{ role: "assistant", model: model.name, parts }, ...results];
}

export function acceptedAll(server: ModelServer): void {
  assert.deepEqual(
    server.requests.map(({ refused }) => refused).filter((why) => why !== undefined),
    [],
  );
}

export function call(
  name: string,
  input: Readonly<Record<string, string>> = {},
): { name: string; input: typeof input } {
  return { name, input };
}
