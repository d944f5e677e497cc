import { createHash } from "node:crypto";
import type { LanguageModelV3Message, LanguageModelV3Prompt } from "@ai-sdk/provider";
import type { ImagePart, Part, TextPart, ThinkingPart } from "../../../record/parts.ts";
import { isJsonObject, type Json } from "../../../record/parts.ts";
import type {
  AssistantMessage,
  Context,
  ContextMessage,
  ToolMessage,
  UserMessage,
} from "../../../timeline/context/context.ts";
import { undated } from "../catalogue.ts";

/**
 * Number of messages with a cache mark. Anthropic accepts four marks. The fourth is for the system prompt and also
 * covers the tools before it.
 */
const MARKED_MESSAGES = 3;
const CACHE_MARK = { anthropic: { cacheControl: { type: "ephemeral" } } };
/** Text sent in place of empty text, which providers reject. */
const NOTHING = "(empty)";

type AssistantPart = Extract<LanguageModelV3Message, { role: "assistant" }>["content"][number];
type UserPart = Extract<LanguageModelV3Message, { role: "user" }>["content"][number];
type ResultOutput = Extract<
  Extract<LanguageModelV3Message, { role: "tool" }>["content"][number],
  { type: "tool-result" }
>["output"];

/** The model that a prompt is written for ("provider/name"), and the dialect of its provider. */
interface Reader {
  readonly model: string;
  readonly dialect: Dialect;
}

/**
 * Converts a context to the format that the AI SDK's providers accept. Each message is written independently of later
 * messages, so that a longer context begins with the same bytes. Only the cache marks move.
 */
export function promptOf(context: Context, reader: Reader): LanguageModelV3Prompt {
  const writer = new PromptWriter(reader);
  for (const message of context.messages) writer.add(message);
  return writer.finish(context);
}

class PromptWriter {
  readonly #reader: Reader;
  readonly #ids: WireCallIds;
  readonly #messages: LanguageModelV3Message[] = [];
  /** For each message of the context, its index in the prompt. */
  readonly #places: number[] = [];
  #images: UserPart[] = [];

  constructor(reader: Reader) {
    this.#reader = reader;
    this.#ids = new WireCallIds(reader.dialect.callIds);
  }

  add(message: ContextMessage): void {
    if (message.role !== "tool") this.#flushImages();
    if (message.role === "user") this.#messages.push(this.#user(message));
    else if (message.role === "tool") this.#messages.push(this.#result(message));
    else this.#addReply(message);
    this.#places.push(this.#messages.length - 1);
  }

  finish({ system, breakpoints }: Context): LanguageModelV3Prompt {
    this.#flushImages();
    const marked = new Set(breakpoints.slice(-MARKED_MESSAGES).map((index) => this.#places[index]));
    const isMarking = this.#reader.dialect.cacheMarks === "anthropic";
    const messages = this.#messages.map((message, index) =>
      isMarking && marked.has(index) ? { ...message, providerOptions: CACHE_MARK } : message,
    );
    if (system.trim() === "") return messages;
    const mark = isMarking ? { providerOptions: CACHE_MARK } : {};
    return [{ role: "system", content: wellFormed(system), ...mark }, ...messages];
  }

  #user({ parts }: UserMessage): LanguageModelV3Message {
    return { role: "user", content: this.#userParts(parts) };
  }

  #userParts(parts: readonly Part[]): UserPart[] {
    const kept = parts.filter((part) => part.type === "image" || part.text.trim() !== "");
    if (kept.length === 0) return [{ type: "text", text: NOTHING }];
    const areTexts = kept.every((part) => part.type === "text");
    if (areTexts && this.#reader.dialect.texts === "one") return [{ type: "text", text: joined(kept) }];
    return kept.map((part) => (part.type === "text" ? text(part) : image(part)));
  }

  #addReply(message: AssistantMessage): void {
    this.#ids.nextReply();
    const content = withoutLastThinking(this.#replyParts(message));
    if (content.length > 0) this.#messages.push({ role: "assistant", content });
  }

  #replyParts({ model, parts }: AssistantMessage): AssistantPart[] {
    const { dialect, model: reader } = this.#reader;
    return parts.flatMap((part): AssistantPart[] => {
      if (part.type === "thinking") return wroteIt(model, reader) ? thinkingOf(part, dialect) : [];
      if (part.type === "text") return part.text.trim() === "" ? [] : [text(part)];
      // Invalid JSON would make the provider reject this and every later request. The call's result says what was wrong
      // with the input.
      const input = isJsonObject(part.input) ? wellFormedJson(part.input) : {};
      return [
        { type: "tool-call", toolCallId: this.#ids.ofCall(part.call), toolName: wireName(part.name), input },
      ];
    });
  }

  #result(message: ToolMessage): LanguageModelV3Message {
    const { parts, outcome, name } = message;
    const toolCallId = this.#ids.ofResult(message.call);
    const images = parts.filter((part) => part.type === "image");
    const isInside = this.#reader.dialect.resultImages === "inside";
    if (!isInside && images.length > 0) {
      this.#images.push(
        { type: "text", text: `Images of the result of ${wireName(name)}:` },
        ...images.map(image),
      );
    }
    const output =
      isInside && images.length > 0 ? outputWithImages(parts) : outputOfText(joined(parts), outcome);
    return {
      role: "tool",
      content: [{ type: "tool-result", toolCallId, toolName: wireName(name), output }],
    };
  }

  #flushImages(): void {
    if (this.#images.length === 0) return;
    this.#messages.push({ role: "user", content: this.#images });
    this.#images = [];
  }
}

function text(part: TextPart): { type: "text"; text: string } {
  return { type: "text", text: wellFormed(part.text) };
}

function image(part: ImagePart): UserPart {
  return { type: "file", mediaType: part.mediaType, data: part.data };
}

function joined(parts: readonly Part[]): string {
  const texts = parts.flatMap((part) => (part.type === "text" && part.text.trim() !== "" ? [part.text] : []));
  return texts.length === 0 ? NOTHING : wellFormed(texts.join("\n"));
}

function outputOfText(value: string, outcome: ToolMessage["outcome"]): ResultOutput {
  return outcome === "ok" ? { type: "text", value } : { type: "error-text", value };
}

function outputWithImages(parts: readonly Part[]): ResultOutput {
  const kept = parts.filter((part) => part.type === "image" || part.text.trim() !== "");
  return {
    type: "content",
    value: kept.map((part) =>
      part.type === "text"
        ? text(part)
        : { type: "image-data" as const, data: part.data, mediaType: part.mediaType },
    ),
  };
}

/**
 * Removes thinking from the end of a reply. A reply that ends with thinking was cut off, and Anthropic does not accept
 * it.
 */
function withoutLastThinking(parts: AssistantPart[]): AssistantPart[] {
  const end = parts.findLastIndex((part) => part.type !== "reasoning");
  return parts.slice(0, end + 1);
}

const PLAIN = /^[A-Za-z0-9_-]{1,40}$/;
/** Maximum length of a tool name. This is OpenAI's limit, the lowest of all providers. */
const NAME_LIMIT = 64;

/**
 * Assigns each call of a context a unique id that the provider accepts, and assigns the same id to the call's result.
 * An id depends only on earlier messages, so that a longer context begins with the same bytes.
 */
class WireCallIds {
  readonly #form: Dialect["callIds"];
  readonly #used = new Set<string>();
  #open = new Map<string, string[]>();

  constructor(form: Dialect["callIds"]) {
    this.#form = form;
  }

  /** Prepares for a new reply. All calls of the previous reply have results. */
  nextReply(): void {
    this.#open = new Map();
  }

  ofCall(call: string): string {
    const id = unused(this.#accepted(call), this.#used);
    this.#used.add(id);
    this.#open.set(call, [...(this.#open.get(call) ?? []), id]);
    return id;
  }

  ofResult(call: string): string {
    const [id, ...others] = this.#open.get(call) ?? [];
    this.#open.set(call, others);
    return id ?? this.#accepted(call);
  }

  #accepted(call: string): string {
    if (call === "") return "call";
    if (this.#form === "any" || PLAIN.test(call)) return call;
    return `call_${createHash("sha256").update(call).digest("hex").slice(0, 24)}`;
  }
}

function unused(id: string, used: ReadonlySet<string>): string {
  if (!used.has(id)) return id;
  for (let count = 2; ; count++) {
    const next = `${id.slice(0, 36)}-${count}`;
    if (!used.has(next)) return next;
  }
}

/** Converts a tool name to one that every provider accepts, because a model can make up any name. */
export function wireName(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, NAME_LIMIT);
  return plain === "" ? "unknown" : plain;
}

/** Returns the ids of a context's calls. A new reply must use different ids. */
export function callIdsIn(context: Context): Set<string> {
  const parts = context.messages.flatMap((message) => (message.role === "assistant" ? message.parts : []));
  return new Set(parts.flatMap((part) => (part.type === "tool-call" ? [part.call] : [])));
}

/** Reserves and returns the id that the provider wrote, or the next free number if that id is missing or taken. */
export function takeCallId(written: string | undefined, taken: Set<string>): string {
  const isUsable = written !== undefined && written.trim() !== "" && !taken.has(written);
  const id = isUsable ? written : nextFree(taken);
  taken.add(id);
  return id;
}

function nextFree(taken: ReadonlySet<string>): string {
  for (let count = 1; ; count++) {
    if (!taken.has(`call-${count}`)) return `call-${count}`;
  }
}

type ReasoningPart = Extract<
  Extract<LanguageModelV3Message, { role: "assistant" }>["content"][number],
  { type: "reasoning" }
>;

/** The prefix of encrypted thinking, which Anthropic does not show but expects back. */
const REDACTED = "redacted:";

export function redactedSignature(data: string): string {
  return `${REDACTED}${data}`;
}

/** Checks whether two names refer to the same model from the same provider, ignoring dates. */
function wroteIt(writer: string, reader: string): boolean {
  return undated(writer) === undated(reader);
}

/**
 * Returns a model's own thinking in the form that its provider expects back. The result is empty if the provider does
 * not expect any thinking.
 */
function thinkingOf(part: ThinkingPart, dialect: Dialect): ReasoningPart[] {
  const { text, signature } = part;
  switch (dialect.thinking) {
    case "signed":
      return signature === undefined ? [] : [signed(text, signature)];
    case "encrypted":
      return signature === undefined
        ? []
        : [
            {
              type: "reasoning",
              text,
              providerOptions: { openai: { reasoningEncryptedContent: signature } },
            },
          ];
    case "text":
      return text === "" ? [] : [{ type: "reasoning", text }];
    case "none":
      return [];
    default:
      dialect.thinking satisfies never;
      return [];
  }
}

function signed(text: string, signature: string): ReasoningPart {
  const options = signature.startsWith(REDACTED)
    ? { redactedData: signature.slice(REDACTED.length) }
    : { signature };
  return { type: "reasoning", text, providerOptions: { anthropic: options } };
}

/** How a provider's API differs from other APIs. */
export interface Dialect {
  /** "anthropic": requests mark the prefix that the provider should cache. */
  readonly cacheMarks: "anthropic" | "none";
  /**
   * How the model's own thinking is sent back. "signed": with Anthropic's signature. "encrypted": as OpenAI encrypted
   * it. "text": as plain text, for servers that respond with 400 if the thinking before a call is missing.
   */
  readonly thinking: "signed" | "encrypted" | "text" | "none";
  /** "after": a result can contain only text, so images follow in a user message. */
  readonly resultImages: "inside" | "after";
  /** "one": the text parts of a user message are joined, for servers that expect a string instead of a list. */
  readonly texts: "blocks" | "one";
  /**
   * "plain": ids contain only letters, digits, "_" and "-", and at most 40 characters. "any": ids stay as the model
   * wrote them, because some models rely on that.
   */
  readonly callIds: "plain" | "any";
  /** "said": the API treats every argument as required unless the schema says otherwise. */
  readonly looseTools: "said" | "unsaid";
}

export const ANTHROPIC: Dialect = {
  cacheMarks: "anthropic",
  thinking: "signed",
  resultImages: "inside",
  texts: "blocks",
  callIds: "plain",
  looseTools: "unsaid",
};

export const RESPONSES: Dialect = {
  ...ANTHROPIC,
  cacheMarks: "none",
  thinking: "encrypted",
  looseTools: "said",
};

export const CHAT: Dialect = {
  cacheMarks: "none",
  thinking: "none",
  resultImages: "after",
  texts: "one",
  callIds: "plain",
  looseTools: "unsaid",
};

export const COMPATIBLE: Dialect = { ...CHAT, callIds: "any" };

/** The dialect for Moonshot and DeepSeek, which reject a call without the thinking that led to it. */
export const COMPATIBLE_THINKING: Dialect = { ...COMPATIBLE, thinking: "text" };

/**
 * Matches an unpaired surrogate, which truncated output may contain. JSON allows unpaired surrogates, but providers
 * reject the whole request.
 */
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

export function wellFormed(text: string): string {
  return text.replaceAll(LONE_SURROGATE, "\ufffd");
}

export function wellFormedJson(value: Json): Json {
  if (typeof value === "string") return wellFormed(value);
  if (Array.isArray(value)) return value.map((item: Json) => wellFormedJson(item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [wellFormed(key), wellFormedJson(item)]),
  );
}
