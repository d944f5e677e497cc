import { isJsonObject, type Json } from "../../record/json.ts";
import type { Part, ReplyPart, ToolCallPart } from "../../record/parts.ts";

/**
 * Our notices are known by the session's tag. Where foreign text carries it (the model quoted
 * a marker into a file, and read the file again), it is shown broken, so that no text but ours
 * can look like ours.
 */
export function breakTag(text: string, tag: string): string {
  if (tag.length < 2 || !text.includes(tag)) return text;
  const middle = Math.floor(tag.length / 2);
  let broken = "";
  let from = 0;
  // One step at a time: where two occurrences overlap, breaking the first leaves the second whole.
  for (let at = text.indexOf(tag); at !== -1; at = text.indexOf(tag, at + 1)) {
    broken += `${text.slice(from, at + middle)}·`;
    from = at + middle;
  }
  return broken + text.slice(from);
}

export function breakTagInParts(parts: readonly Part[], tag: string): readonly Part[] {
  return parts.map((part) => (part.type === "text" ? { ...part, text: breakTag(part.text, tag) } : part));
}

/** Thinking is left as it is: its provider has signed it. */
export function breakTagInReply(parts: readonly ReplyPart[], tag: string): readonly ReplyPart[] {
  return parts.map((part) => {
    if (part.type === "text") return { ...part, text: breakTag(part.text, tag) };
    return part.type === "tool-call" ? breakTagInCall(part, tag) : part;
  });
}

function breakTagInCall(part: ToolCallPart, tag: string): ToolCallPart {
  const { name, input, malformed } = part;
  return {
    ...part,
    name: breakTag(name, tag),
    input: breakTagInJson(input, tag),
    ...(malformed === undefined ? {} : { malformed: breakTag(malformed, tag) }),
  };
}

function breakTagInJson(value: Json, tag: string): Json {
  if (typeof value === "string") return breakTag(value, tag);
  if (Array.isArray(value)) return value.map((item: Json) => breakTagInJson(item, tag));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [breakTag(key, tag), breakTagInJson(item, tag)]),
  );
}
