import type { LanguageModelV3Message, LanguageModelV3Prompt } from "@ai-sdk/provider";
import { isJsonObject } from "../../../record/json.ts";
import type { ImagePart, Part, TextPart } from "../../../record/parts.ts";
import type {
  AssistantMessage,
  Context,
  ContextMessage,
  ToolMessage,
  UserMessage,
} from "../../../timeline/context/message.ts";
import { WireCallIds, wireName } from "./call-ids.ts";
import type { Dialect } from "./dialect.ts";
import { thinkingOf, wroteIt } from "./thinking.ts";
import { wellFormed, wellFormedJson } from "./well-formed.ts";

/** Anthropic takes four marks in all. One is the system prompt's, which also covers the tools before it. */
const MARKED_MESSAGES = 3;
const CACHE_MARK = { anthropic: { cacheControl: { type: "ephemeral" } } };
/** Providers refuse texts with nothing in them. */
const NOTHING = "(empty)";

type AssistantPart = Extract<LanguageModelV3Message, { role: "assistant" }>["content"][number];
type UserPart = Extract<LanguageModelV3Message, { role: "user" }>["content"][number];
type ResultOutput = Extract<
  Extract<LanguageModelV3Message, { role: "tool" }>["content"][number],
  { type: "tool-result" }
>["output"];

/** For whom a prompt is written: "provider/name", and how it wants it. */
export interface Reader {
  readonly model: string;
  readonly dialect: Dialect;
}

/**
 * A context as the AI SDK's providers want it. Each message is written without looking at those after it, so that a
 * longer context begins with the same bytes; only the cache marks move.
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
  /** Where each message of the context ended up. */
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
      // What was not JSON would be refused now and in every later request. The result says what was wrong with it.
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

/** A reply that ends with thinking was cut, and Anthropic does not take it back. */
function withoutLastThinking(parts: AssistantPart[]): AssistantPart[] {
  const end = parts.findLastIndex((part) => part.type !== "reasoning");
  return parts.slice(0, end + 1);
}
