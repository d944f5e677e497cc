import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
} from "@ai-sdk/provider";
import type { Model, ModelEvent, ModelRequest, ToolSpec } from "../../../ports/model.ts";
import { callIdsIn } from "./call-ids.ts";
import type { Dialect } from "./dialect.ts";
import { failureOf, type Scene } from "./failure.ts";
import { promptOf } from "./prompt.ts";
import { SdkReply } from "./sdk-reply.ts";

/** What a provider needs to be a model of ours. */
export interface SdkModelOptions {
  /** "provider/name". */
  readonly model: string;
  readonly window: number;
  /** The default of a request; undefined leaves it to the provider. */
  readonly maxOutput: number | undefined;
  readonly dialect: Dialect;
  /** Imports the provider's package, which other commands need not wait for. */
  readonly open: () => Promise<LanguageModelV3>;
  readonly providerOptions?: NonNullable<LanguageModelV3CallOptions["providerOptions"]>;
  readonly scene: (cancelled: Scene["cancelled"]) => Scene;
}

export function sdkModel(options: SdkModelOptions): Model {
  return { name: options.model, window: options.window, stream: (request) => streamOf(options, request) };
}

async function* streamOf(options: SdkModelOptions, request: ModelRequest): AsyncGenerator<ModelEvent> {
  // Whoever stops reading wants no more of it either.
  const stop = new AbortController();
  const signal = AbortSignal.any([request.signal, stop.signal]);
  const sceneNow = (): Scene => options.scene(request.signal.aborted ? "yes" : "no");
  try {
    request.signal.throwIfAborted();
    const languageModel = await options.open();
    const { stream } = await languageModel.doStream({
      ...callOptions(options, request),
      abortSignal: signal,
    });
    const reply = new SdkReply(callIdsIn(request.context));
    for await (const part of stream) {
      yield* reply.take(part);
      if (reply.isOver) break;
    }
    yield reply.outcome(sceneNow());
  } catch (error) {
    yield { type: "failed", failure: failureOf(error, sceneNow()) };
  } finally {
    stop.abort();
  }
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
    // Tells the ids that the provider wrote from those that the package made up.
    includeRawChunks: true,
  };
}

function functionTool(
  { name, description, parameters }: ToolSpec,
  { looseTools }: Dialect,
): LanguageModelV3FunctionTool {
  // The schema is JSON already; the two types differ in what they call read-only.
  const inputSchema = parameters as LanguageModelV3FunctionTool["inputSchema"];
  const loose = looseTools === "said" ? { strict: false } : {};
  return { type: "function", name, description, inputSchema, ...loose };
}
