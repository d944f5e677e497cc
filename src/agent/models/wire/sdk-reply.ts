import type {
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from "@ai-sdk/provider";
import type { ModelEvent } from "../../../ports/model.ts";
import type { Usage } from "../../../record/parts.ts";
import { cutFailure, emptyFailure, failureOf, refusedFailure, type Scene } from "./failure.ts";
import { ReplyDraft, tokenCount } from "./reply.ts";
import { redactedSignature } from "./thinking.ts";

/** Reasons to stop that some servers give instead of "stop". Any other unknown one means that something went wrong. */
const ALSO_STOP = new Set(["eos", "eos_token", "end", "end_turn", "complete", "completed", "stop_sequence"]);

type PartOf<Type extends LanguageModelV3StreamPart["type"]> = Extract<
  LanguageModelV3StreamPart,
  { type: Type }
>;

/** Reads the parts of the AI SDK's stream into events and a reply. */
export class SdkReply {
  readonly #draft: ReplyDraft;
  /** The ids that really stood on the wire, where a chunk of Chat Completions says so. */
  readonly #written = new Set<string>();
  #isChat = false;
  #error: { readonly value: unknown } | undefined;
  #finish: PartOf<"finish"> | undefined;

  constructor(taken: Set<string>) {
    this.#draft = new ReplyDraft(taken);
  }

  /** Nothing that comes after this matters. */
  get isOver(): boolean {
    return this.#error !== undefined;
  }

  *take(part: LanguageModelV3StreamPart): Generator<ModelEvent> {
    switch (part.type) {
      case "text-start":
        this.#draft.begin("text", part.id);
        break;
      case "text-delta":
        yield* this.#draft.add("text", part.id, part.delta);
        break;
      case "text-end":
        this.#draft.end("text", part.id);
        break;
      case "reasoning-start":
      case "reasoning-delta":
      case "reasoning-end":
        yield* this.#takeThinking(part);
        break;
      case "raw":
        this.#takeRaw(part.rawValue);
        break;
      case "error":
        this.#error ??= { value: part.error };
        break;
      case "finish":
        this.#finish = part;
        break;
      default:
        yield* this.#takeCall(part);
    }
  }

  outcome(scene: Scene): ModelEvent {
    if (this.#error !== undefined) return { type: "failed", failure: failureOf(this.#error.value, scene) };
    if (this.#finish === undefined) return { type: "failed", failure: cutFailure(scene) };
    const { finishReason } = this.#finish;
    if (finishReason.unified === "content-filter") return { type: "failed", failure: refusedFailure(scene) };
    if (!isWhole(finishReason)) return { type: "failed", failure: cutFailure(scene, finishReason.raw) };
    return this.#end(this.#finish, scene);
  }

  #end({ finishReason, usage }: PartOf<"finish">, scene: Scene): ModelEvent {
    const parts = this.#draft.parts();
    const end = finishReason.unified === "length" ? "length" : undefined;
    if (parts.every((part) => part.type === "thinking")) {
      return { type: "failed", failure: emptyFailure(scene, end) };
    }
    const counted = usageOf(usage);
    return {
      type: "end",
      parts,
      ...(end === undefined ? {} : { end }),
      ...(counted === undefined ? {} : { usage: counted }),
    };
  }

  *#takeThinking(
    part: PartOf<"reasoning-start" | "reasoning-delta" | "reasoning-end">,
  ): Generator<ModelEvent> {
    const anthropic = part.providerMetadata?.["anthropic"];
    const openai = part.providerMetadata?.["openai"];
    // OpenAI tells a thought in numbered parts that share one seal: "rs_1:0", "rs_1:1".
    const isSealed = openai?.["itemId"] !== undefined;
    const [item = part.id, number = "0"] = isSealed ? part.id.split(":") : [part.id];
    const draft = this.#draft.begin("thinking", item);
    if (isSealed && part.type === "reasoning-start" && number !== "0" && draft.text !== "") {
      yield* this.#draft.add("thinking", item, "\n\n");
    }
    if (part.type === "reasoning-delta") yield* this.#draft.add("thinking", item, part.delta);
    const redacted = anthropic?.["redactedData"];
    const signature = anthropic?.["signature"] ?? openai?.["reasoningEncryptedContent"];
    if (typeof redacted === "string") draft.signature = redactedSignature(redacted);
    else if (typeof signature === "string") draft.signature = signature;
    if (part.type === "reasoning-end" && !isSealed) this.#draft.end("thinking", item);
  }

  *#takeCall(part: LanguageModelV3StreamPart): Generator<ModelEvent> {
    if (part.type === "tool-input-start") {
      yield* this.#draft.beginCall(part.id, this.#writtenId(part.id), part.toolName);
    } else if (part.type === "tool-input-delta") {
      yield* this.#draft.addToCall(part.id, part.delta);
    } else if (part.type === "tool-call" && part.providerExecuted !== true) {
      const { toolCallId: key, toolName, input } = part;
      if (!this.#draft.hasCall(key)) yield* this.#draft.beginCall(key, this.#writtenId(key), toolName);
      yield* this.#draft.endCall(key, input);
    }
  }

  /** The package makes up an id where there is none, another one each time. */
  #writtenId(id: string): string | undefined {
    return this.#isChat && !this.#written.has(id) ? undefined : id;
  }

  #takeRaw(chunk: unknown): void {
    const { choices } = (chunk ?? {}) as {
      choices?: readonly { delta?: { tool_calls?: readonly { id?: unknown }[] } }[];
    };
    if (!Array.isArray(choices)) return;
    this.#isChat = true;
    for (const call of choices[0]?.delta?.tool_calls ?? []) {
      if (typeof call.id === "string") this.#written.add(call.id);
    }
  }
}

function isWhole({ unified, raw }: LanguageModelV3FinishReason): boolean {
  if (unified === "error") return false;
  return unified !== "other" || (raw !== undefined && ALSO_STOP.has(raw));
}

function usageOf({ inputTokens, outputTokens, raw }: LanguageModelV3Usage): Usage | undefined {
  if (inputTokens.total === undefined && outputTokens.total === undefined) return undefined;
  // Moonshot and DeepSeek count what was cached in a field of their own.
  const also = raw?.["cached_tokens"] ?? raw?.["prompt_cache_hit_tokens"];
  return {
    input: tokenCount(inputTokens.total),
    output: tokenCount(outputTokens.total),
    cacheRead: tokenCount(inputTokens.cacheRead) || tokenCount(also),
    cacheWrite: tokenCount(inputTokens.cacheWrite),
  };
}
