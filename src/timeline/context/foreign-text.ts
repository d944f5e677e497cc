import type { SessionBody } from "../../record/entry.ts";
import { isJsonObject, type Json } from "../../record/json.ts";
import type { Part, ReplyPart, ToolCallPart } from "../../record/parts.ts";
import { spellsTag, splitEverySpelling } from "./tag-spellings.ts";

/**
 * How a session's notices are framed: the tag, and whether foreign text in them is quoted. Sessions from before that keep
 * the form in which their context was sent.
 */
export type Framing = Pick<SessionBody, "tag" | "frames">;

/**
 * Our notices are known by the session's tag. Where foreign text carries it (the model quoted
 * a marker into a file, and read the file again), it is shown broken, so that no text but ours
 * can look like ours.
 */
export function breakTag(text: string, framing: Framing): string {
  return breakTagInTexts([text], framing)[0] ?? text;
}

/** The texts are sent one after the other: the tag is broken also where it goes from one into the next. */
function breakTagInTexts(texts: readonly string[], { tag, frames }: Framing): readonly string[] {
  if (tag.length < 2) return texts;
  if (frames !== "quoted") return texts.map((text) => breakExactTag(text, tag));
  return spellsTag(texts.join(""), tag) ? splitEverySpelling(texts, tag) : texts;
}

/** The form of sessions that were begun before `frames`. */
function breakExactTag(text: string, tag: string): string {
  if (!text.includes(tag)) return text;
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

export function breakTagInParts(parts: readonly Part[], framing: Framing): readonly Part[] {
  return withBrokenTexts(parts, framing);
}

/** Signed thinking is left as it is: its provider would refuse it otherwise. */
export function breakTagInReply(parts: readonly ReplyPart[], framing: Framing): readonly ReplyPart[] {
  return withBrokenTexts(parts, framing).map((part) => {
    if (part.type === "thinking") return breakTagInThinking(part, framing);
    return part.type === "tool-call" ? breakTagInCall(part, framing) : part;
  });
}

function withBrokenTexts<Any extends Part | ReplyPart>(
  parts: readonly Any[],
  framing: Framing,
): readonly Any[] {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const broken = breakTagInTexts(texts, framing)[Symbol.iterator]();
  return parts.map((part) =>
    part.type === "text" ? { ...part, text: broken.next().value ?? part.text } : part,
  );
}

function breakTagInThinking(
  part: Extract<ReplyPart, { type: "thinking" }>,
  framing: Framing,
): Extract<ReplyPart, { type: "thinking" }> {
  const isKept = part.signature !== undefined || framing.frames !== "quoted";
  return isKept ? part : { ...part, text: breakTag(part.text, framing) };
}

function breakTagInCall(part: ToolCallPart, framing: Framing): ToolCallPart {
  const { name, input, malformed } = part;
  return {
    ...part,
    name: breakTag(name, framing),
    input: breakTagInJson(input, framing),
    ...(malformed === undefined ? {} : { malformed: breakTag(malformed, framing) }),
  };
}

export function breakTagInJson(value: Json, framing: Framing): Json {
  if (typeof value === "string") return breakTag(value, framing);
  if (Array.isArray(value)) return value.map((item: Json) => breakTagInJson(item, framing));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [breakTag(key, framing), breakTagInJson(item, framing)]),
  );
}
