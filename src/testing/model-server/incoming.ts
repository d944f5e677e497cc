import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { ScriptedCall, ScriptedReply, TokenCounts, Wire } from "./script.ts";
import { anthropic } from "./wires/anthropic.ts";
import { signatureOf } from "./wires/anthropic-request.ts";
import { chat } from "./wires/chat.ts";
import { ollama } from "./wires/ollama.ts";
import { responses } from "./wires/responses.ts";
import type { SettledPart, SettledReply, WireFormat } from "./wires/wire.ts";

const MAX_BYTES = 64 * 1024 * 1024;

export function pathOf(request: IncomingMessage): string {
  return new URL(request.url ?? "/", "http://server").pathname.replace(/\/+$/, "");
}

/** Returns the wire format for a path. Accepts base addresses with and without `/v1`. */
export function formatOf(path: string): WireFormat | undefined {
  if (/\/messages(\/count_tokens)?$/.test(path)) return anthropic;
  if (/\/chat\/completions$/.test(path)) return chat;
  if (/\/responses$/.test(path)) return responses;
  return path === "/api/chat" ? ollama : undefined;
}

/** Reads the body of a request. Returns undefined if the body is larger than a request to a model should ever be. */
export async function bytesOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export function headersOf(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const pairs = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(", ") : (value ?? ""),
  ]);
  return Object.fromEntries(pairs) as Record<string, string>;
}

/**
 * Returns the error message for a missing key, in the provider's words. Returns undefined if the request has a key or
 * does not need one.
 */
export function keyProblem(
  wire: Wire | "any",
  headers: Readonly<Record<string, string>>,
): string | undefined {
  const bearer = /^Bearer \S+/.test(headers["authorization"] ?? "");
  const header = (headers["x-api-key"] ?? "") !== "";
  if (wire === "ollama") return undefined;
  if (wire === "anthropic" || wire === "any") {
    return bearer || header ? undefined : "x-api-key header is required";
  }
  return bearer ? undefined : "You didn't provide an API key in an Authorization header.";
}

interface SettleOptions {
  readonly model: string;
  readonly counts: Omit<TokenCounts, "output">;
  readonly tokensOf: (text: string) => number;
  /** Returns an id that this server has not used yet. */
  readonly freshId: (kind: "call" | "reply") => string;
}

/** Fills in everything that a scripted reply does not specify. */
export function settle(reply: ScriptedReply, options: SettleOptions): SettledReply {
  const parts = reply.misbehave?.do === "empty" ? [] : partsOf(reply, options);
  const output = parts.reduce((sum, part) => sum + options.tokensOf(spoken(part)), 0);
  const calls = parts.some((part) => part.type === "call");
  return {
    id: options.freshId("reply"),
    model: options.model,
    created: Math.floor(Date.now() / 1000),
    parts,
    stop: reply.stop ?? (calls ? "calls" : "end"),
    usage: { ...options.counts, output, ...reply.usage },
  };
}

function partsOf(reply: ScriptedReply, options: SettleOptions): readonly SettledPart[] {
  const parts: SettledPart[] = [];
  if (reply.thinking !== undefined && reply.thinking !== "") {
    parts.push({ type: "thinking", text: reply.thinking, signature: signatureOf(reply.thinking) });
  }
  if (reply.text !== undefined && reply.text !== "") parts.push({ type: "text", text: reply.text });
  for (const call of reply.calls ?? []) {
    const id = call.id ?? options.freshId("call");
    parts.push({ type: "call", id, name: call.name, text: argumentsOf(call) });
  }
  return parts;
}

function argumentsOf(call: ScriptedCall): string {
  return call.rawArguments ?? JSON.stringify(call.input ?? {});
}

function spoken(part: SettledPart): string {
  return part.type === "call" ? part.name + part.text : part.text;
}
