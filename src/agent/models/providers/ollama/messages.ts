import { isJsonObject, type Json, type JsonObject } from "../../../../record/json.ts";
import type { Part } from "../../../../record/parts.ts";
import type { AssistantMessage, Context, ContextMessage } from "../../../../timeline/context/message.ts";
import { wireName } from "../../wire/call-ids.ts";
import { wellFormed, wellFormedJson } from "../../wire/well-formed.ts";

/** A context as Ollama wants it. Its calls have no ids: results follow them in their order. */
export function ollamaMessages({ system, messages }: Context): JsonObject[] {
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
