import type { ScriptedCall, ScriptedReply, TokenCounts } from "./script.ts";
import { signatureOf } from "./wires/thinking.ts";
import type { SettledPart, SettledReply } from "./wires/wire.ts";

export interface SettleOptions {
  readonly model: string;
  readonly counts: Omit<TokenCounts, "output">;
  readonly tokensOf: (text: string) => number;
  /** A name that this server has not given yet. */
  readonly freshId: (kind: "call" | "reply") => string;
}

/** Decides everything that a script left open. */
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
