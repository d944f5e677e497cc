import type { RemarkReason } from "../../../record/error.ts";
import {
  isDeeperThan,
  isJsonObject,
  type Json,
  type JsonObject,
  type Part,
  type ReplyPart,
  type ThinkingPart,
  type ToolCallPart,
  textPart,
} from "../../../record/parts.ts";

/** One line of a kimi-cli session, converted to Worldline's terms. */
export type KimiRecord =
  | { readonly is: "system-prompt"; readonly text: string }
  | { readonly is: "checkpoint"; readonly original: number }
  | { readonly is: "usage"; readonly tokens: number }
  | { readonly is: "user"; readonly parts: readonly Part[]; readonly leftOut: number }
  | { readonly is: "notice"; readonly text: string }
  | { readonly is: "reply"; readonly parts: readonly ReplyPart[]; readonly leftOut: number }
  | {
      readonly is: "result";
      readonly call: string;
      readonly outcome: "ok" | "error" | "denied";
      readonly parts: readonly Part[];
      readonly leftOut: number;
    };

/**
 * The maximum nesting depth. The input of any tool is less deeply nested. Writing a deeper value would overflow the
 * stack.
 */
const DEEPEST = 200;

/** Reasons why a line is not a valid kimi-cli record. */
export type KimiFault = Extract<RemarkReason, `kimi-${string}`>;

/** Converts an object to a record, or returns the reason why it is not a record. */
export function recordOf(line: JsonObject): KimiRecord | KimiFault {
  switch (line["role"]) {
    case "_system_prompt":
      return typeof line["content"] === "string"
        ? { is: "system-prompt", text: line["content"] }
        : "kimi-content-not-text";
    case "_checkpoint":
      return isCount(line["id"]) ? { is: "checkpoint", original: line["id"] } : "kimi-id-not-whole";
    case "_usage":
      return isCount(line["token_count"])
        ? { is: "usage", tokens: line["token_count"] }
        : "kimi-count-not-number";
    default:
      return messageOf(line);
  }
}

function messageOf(line: JsonObject): KimiRecord | KimiFault {
  const content = contentOf(line["content"]);
  if (content === undefined) return "kimi-content-unknown";
  switch (line["role"]) {
    case "user":
      return { is: "user", parts: withoutThinking(content), leftOut: content.leftOut };
    case "system":
    case "developer":
      return { is: "notice", text: textIn(withoutThinking(content)) };
    case "assistant":
      return replyOf(line, content);
    case "tool":
      return resultOf(line, content);
    default:
      return "kimi-role-unknown";
  }
}

function replyOf(line: JsonObject, content: KimiContent): KimiRecord | KimiFault {
  const calls = callsOf(line["tool_calls"]);
  if (calls === undefined) return "kimi-calls-wrong";
  const said = content.parts.filter(
    (part): part is Exclude<typeof part, { type: "image" }> => part.type !== "image",
  );
  const leftOut = content.leftOut + content.parts.length - said.length;
  return { is: "reply", parts: [...said, ...calls], leftOut };
}

function resultOf(line: JsonObject, content: KimiContent): KimiRecord | KimiFault {
  const call = line["tool_call_id"];
  if (typeof call !== "string") return "kimi-no-call";
  const parts = withoutThinking(content);
  return { is: "result", call, outcome: outcomeOf(parts), parts, leftOut: content.leftOut };
}

/** A tool call's outcome. kimi-cli stores the status only in the first text part. */
function outcomeOf(parts: readonly Part[]): "ok" | "error" | "denied" {
  const [first] = parts;
  const status = first?.type === "text" ? first.text : "";
  if (status.startsWith("<system>ERROR: The tool call is rejected by the user")) return "denied";
  return status.startsWith("<system>ERROR: ") ? "error" : "ok";
}

function callsOf(value: Json | undefined): ToolCallPart[] | undefined {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return undefined;
  const calls = (value as readonly Json[]).map((item) => (isJsonObject(item) ? callOf(item) : undefined));
  return calls.every((call) => call !== undefined) ? calls : undefined;
}

function callOf(item: JsonObject): ToolCallPart | undefined {
  const { id, function: called } = item;
  if (typeof id !== "string" || !isJsonObject(called) || typeof called["name"] !== "string") return undefined;
  return { type: "tool-call", call: id, name: called["name"], ...inputOf(called["arguments"]) };
}

/** A tool call's input. If the model's text is not valid JSON, it is kept verbatim. */
function inputOf(value: Json | undefined): Pick<ToolCallPart, "input" | "malformed"> {
  if (value === undefined || value === null) return { input: {} };
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text.trim() === "") return { input: {} };
  try {
    const input = JSON.parse(text) as Json;
    return isDeeperThan(input, DEEPEST) ? { input: {}, malformed: text } : { input };
  } catch {
    return { input: {}, malformed: text };
  }
}

function withoutThinking(content: KimiContent): Part[] {
  return content.parts.map((part: Part | ThinkingPart) =>
    part.type === "thinking" ? { type: "text", text: part.text } : part,
  );
}

export function textIn(parts: readonly (Part | ReplyPart)[]): string {
  return parts
    .map((part) => (part.type === "text" ? part.text : part.type === "image" ? "[image]" : ""))
    .join("\n");
}

function isCount(value: Json | undefined): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** The `content` of a message, converted to parts. */
interface KimiContent {
  readonly parts: readonly (Part | ThinkingPart)[];
  /**
   * The number of parts that were left out. Only images embedded in the file are imported. Videos, audio, and linked
   * images are not.
   */
  readonly leftOut: number;
}

const MEDIA = ["image_url", "audio_url", "video_url"] as const;
const MAX_ADDRESS_CHARACTERS = 300;

/**
 * Converts the `content` of a message, which can be a string, a list of parts, or null. Returns undefined for any other
 * value.
 */
function contentOf(value: Json | undefined): KimiContent | undefined {
  if (value === undefined || value === null) return { parts: [], leftOut: 0 };
  if (typeof value === "string") return { parts: [textPart(value)], leftOut: 0 };
  if (!Array.isArray(value)) return undefined;
  const parts: (Part | ThinkingPart)[] = [];
  let leftOut = 0;
  for (const item of value as readonly Json[]) {
    const part = isJsonObject(item) ? partOf(item) : undefined;
    if (part === undefined) return undefined;
    parts.push(part.part);
    leftOut += part.isLeftOut ? 1 : 0;
  }
  return { parts, leftOut };
}

interface OnePart {
  readonly part: Part | ThinkingPart;
  readonly isLeftOut: boolean;
}

function partOf(item: JsonObject): OnePart | undefined {
  const { type, text, think, encrypted } = item;
  if (type === "text" && typeof text === "string") return { part: textPart(text), isLeftOut: false };
  if (type === "think" && typeof think === "string") {
    const signature = typeof encrypted === "string" ? { signature: encrypted } : {};
    return { part: { type: "thinking", text: think, ...signature }, isLeftOut: false };
  }
  const kind = MEDIA.find((one) => one === type);
  return kind === undefined ? undefined : mediaPart(kind, item[kind]);
}

function mediaPart(kind: (typeof MEDIA)[number], value: Json | undefined): OnePart | undefined {
  const url = isJsonObject(value) ? value["url"] : undefined;
  if (typeof url !== "string") return undefined;
  const [, mediaType, data] = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.=+-]+)*;base64,([\w+/=-]*)$/.exec(url) ?? [];
  if (kind === "image_url" && mediaType !== undefined && data !== undefined) {
    return { part: { type: "image", mediaType, data }, isLeftOut: false };
  }
  const what = kind.replace("_url", "");
  const address = url.startsWith("data:")
    ? (mediaType ?? "its content")
    : url.slice(0, MAX_ADDRESS_CHARACTERS);
  return { part: textPart(`[${what}: ${address}]`), isLeftOut: true };
}
