import type {
  JSONValue,
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3FinishReason,
  LanguageModelV3FunctionTool,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from "@ai-sdk/provider";
import type { Model, ModelEvent, ModelRequest, ToolSpec } from "../../ports/model.ts";
import type { Usage } from "../../record/parts.ts";
import { type Access, failureContextOf, nameOf, outputLimit } from "./access.ts";
import { ollamaModel } from "./ollama.ts";
import { cutFailure, emptyFailure, type FailureContext, failureOf, refusedFailure } from "./wire/failure.ts";
import {
  ANTHROPIC,
  CHAT,
  COMPATIBLE,
  COMPATIBLE_THINKING,
  callIdsIn,
  type Dialect,
  promptOf,
  RESPONSES,
  redactedSignature,
} from "./wire/prompt.ts";
import { ReplyDraft, streamReply, tokenCount } from "./wire/reply.ts";

/** Opens a model without making a request. The provider's package is imported only for the first request. */
export function openModel(access: Access): Model {
  switch (access.kind) {
    case "anthropic":
      return anthropicModel(access);
    case "openai":
      return responsesModel(access);
    case "openai-chat":
      return chatModel(access);
    case "compatible":
      return compatibleModel(access);
    case "ollama":
      return ollamaModel(access);
    default:
      return access.kind satisfies never;
  }
}

/** The limit sent if a model's own limit is unknown, because Anthropic requires one in every request. */
const DEFAULT_OUTPUT = 32_000;
/** Models that think without being asked to, even between calls, but send their thinking only on request. */
const THINKING = /^claude-[a-z]+-5/;
/** Models that bind their thinking to the text before it. A compaction changes that text. */
const BOUND_THINKING = /^claude-([a-z]+-5-5|fable-5-1)/;

function anthropicModel(access: Access): Model {
  const { row, baseUrl, key = "", keyAs, fetch } = access;
  const name = nameOf(row.model);
  return sdkModel({
    model: row.model,
    window: row.window,
    maxOutput: outputLimit(row) ?? Math.min(DEFAULT_OUTPUT, Math.floor(row.window / 4)),
    dialect: ANTHROPIC,
    open: async () => {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      const shown = keyAs === "bearer" ? { authToken: key } : { apiKey: key };
      return createAnthropic({ baseURL: baseUrl, ...shown, fetch })(name);
    },
    providerOptions: { anthropic: { toolStreaming: false, ...thinkingOptions(name) } },
    context: failureContextOf(access),
  });
}

function thinkingOptions(name: string): { thinking?: Record<string, JSONValue> } {
  if (!THINKING.test(name)) return {};
  const shown = { type: "adaptive", display: "summarized" };
  if (!BOUND_THINKING.test(name)) return { thinking: shown };
  // Tells the provider to drop thinking that no longer fits, instead of rejecting this and every later request.
  return { thinking: { ...shown, blockBinding: { prefixMismatchBehavior: "drop_block" } } };
}

/**
 * Opens a model through OpenAI's Responses API. OpenAI stores nothing: each request contains the whole conversation,
 * without OpenAI's ids.
 */
function responsesModel(access: Access): Model {
  return sdkModel({
    ...shared(access),
    dialect: RESPONSES,
    open: async () => (await provider(access)).responses(nameOf(access.row.model)),
    providerOptions: { openai: { store: false } },
  });
}

/** Opens a model through OpenAI's Chat Completions API. */
function chatModel(access: Access): Model {
  return sdkModel({
    ...shared(access),
    dialect: CHAT,
    open: async () => (await provider(access)).chat(nameOf(access.row.model)),
  });
}

async function provider({ baseUrl, key = "", fetch }: Access) {
  const { createOpenAI } = await import("@ai-sdk/openai");
  return createOpenAI({ baseURL: baseUrl, apiKey: key, fetch });
}

function shared(access: Access) {
  const { row } = access;
  return {
    model: row.model,
    window: row.window,
    maxOutput: outputLimit(row),
    context: failureContextOf(access),
  };
}

/**
 * Providers that require thinking to be sent back. Other servers reject requests with fields that they do not
 * recognize.
 */
const WANT_THINKING = new Set(["deepseek", "moonshot"]);

/** Opens a model on any server that implements OpenAI's Chat Completions API. */
function compatibleModel(access: Access): Model {
  const { row, provider, baseUrl, key, fetch } = access;
  return sdkModel({
    model: row.model,
    window: row.window,
    maxOutput: outputLimit(row),
    dialect: WANT_THINKING.has(provider) ? COMPATIBLE_THINKING : COMPATIBLE,
    open: async () => {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const apiKey = key === undefined ? {} : { apiKey: key };
      const create = createOpenAICompatible({
        name: provider,
        baseURL: baseUrl,
        ...apiKey,
        includeUsage: true,
        fetch,
      });
      return create(nameOf(row.model));
    },
    context: failureContextOf(access),
  });
}

/** Everything needed to turn an AI SDK provider into a `Model`. */
interface SdkModelOptions {
  /** The model as "provider/name". */
  readonly model: string;
  readonly window: number;
  /** The default limit for a reply. If undefined, the provider decides. */
  readonly maxOutput: number | undefined;
  readonly dialect: Dialect;
  /** Imports the provider's package, so that other commands do not have to load it. */
  readonly open: () => Promise<LanguageModelV3>;
  readonly providerOptions?: NonNullable<LanguageModelV3CallOptions["providerOptions"]>;
  readonly context: (cancelled: FailureContext["cancelled"]) => FailureContext;
}

function sdkModel(options: SdkModelOptions): Model {
  const { model, window, context } = options;
  return {
    name: model,
    window,
    stream: (request) =>
      streamReply(request, {
        reply: new SdkReply(callIdsIn(request.context)),
        pieces: (signal) => partsOf(options, request, signal),
        context,
      }),
  };
}

async function* partsOf(
  options: SdkModelOptions,
  request: ModelRequest,
  abortSignal: AbortSignal,
): AsyncGenerator<LanguageModelV3StreamPart> {
  const languageModel = await options.open();
  const { stream } = await languageModel.doStream({ ...callOptions(options, request), abortSignal });
  yield* stream;
}

function callOptions(options: SdkModelOptions, request: ModelRequest): LanguageModelV3CallOptions {
  const { context, tools } = request;
  const maxOutputTokens = request.maxOutputTokens ?? options.maxOutput;
  const sorted = [...tools].sort((one, other) => (one.name < other.name ? -1 : 1));
  return {
    prompt: promptOf(context, options),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(options.providerOptions === undefined ? {} : { providerOptions: options.providerOptions }),
    ...(tools.length === 0
      ? {}
      : { tools: sorted.map((tool) => functionTool(tool, options.dialect)), toolChoice: { type: "auto" } }),
    // Raw chunks show which ids came from the provider and which ones the package made up.
    includeRawChunks: true,
  };
}

function functionTool(
  { name, description, parameters }: ToolSpec,
  { looseTools }: Dialect,
): LanguageModelV3FunctionTool {
  // The schema is already JSON. The two types differ only in their readonly modifiers.
  const inputSchema = parameters as LanguageModelV3FunctionTool["inputSchema"];
  const loose = looseTools === "said" ? { strict: false } : {};
  return { type: "function", name, description, inputSchema, ...loose };
}

/** Finish reasons that some servers send instead of "stop". Any other unknown reason is an error. */
const ALSO_STOP = new Set(["eos", "eos_token", "end", "end_turn", "complete", "completed", "stop_sequence"]);

type PartOf<Type extends LanguageModelV3StreamPart["type"]> = Extract<
  LanguageModelV3StreamPart,
  { type: Type }
>;

/** Turns the parts of the AI SDK's stream into events and a reply. */
export class SdkReply {
  readonly #draft: ReplyDraft;
  /** The ids in the response, read from the chunks of Chat Completions. */
  readonly #written = new Set<string>();
  #isChat = false;
  #error: { readonly value: unknown } | undefined;
  #finish: PartOf<"finish"> | undefined;

  constructor(taken: Set<string>) {
    this.#draft = new ReplyDraft(taken);
  }

  /** Whether the reply is complete. Anything that follows a complete reply is ignored. */
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

  outcome(context: FailureContext): ModelEvent {
    if (this.#error !== undefined) return { type: "failed", failure: failureOf(this.#error.value, context) };
    if (this.#finish === undefined) return { type: "failed", failure: cutFailure(context) };
    const { finishReason } = this.#finish;
    if (finishReason.unified === "content-filter")
      return { type: "failed", failure: refusedFailure(context) };
    if (!isWhole(finishReason)) return { type: "failed", failure: cutFailure(context, finishReason.raw) };
    return this.#end(this.#finish, context);
  }

  #end({ finishReason, usage }: PartOf<"finish">, context: FailureContext): ModelEvent {
    const parts = this.#draft.parts();
    const end = finishReason.unified === "length" ? "length" : undefined;
    if (parts.every((part) => part.type === "thinking")) {
      return { type: "failed", failure: emptyFailure(context, end) };
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
    // OpenAI sends a thought in numbered parts ("rs_1:0", "rs_1:1") that share one encrypted signature.
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

  /**
   * Returns the id that the response contained, or undefined if it contained none. In that case, the package made up an
   * id, a different one each time.
   */
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
  // Moonshot and DeepSeek each report cached tokens in a different field.
  const also = raw?.["cached_tokens"] ?? raw?.["prompt_cache_hit_tokens"];
  return {
    input: tokenCount(inputTokens.total),
    output: tokenCount(outputTokens.total),
    cacheRead: tokenCount(inputTokens.cacheRead) || tokenCount(also),
    cacheWrite: tokenCount(inputTokens.cacheWrite),
  };
}
