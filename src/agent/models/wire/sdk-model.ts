import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  LanguageModelV3StreamPart,
} from "@ai-sdk/provider";
import type { Model, ModelRequest, ToolSpec } from "../../../ports/model.ts";
import { callIdsIn } from "./call-ids.ts";
import type { Dialect } from "./dialect.ts";
import type { Scene } from "./failure.ts";
import { promptOf } from "./prompt.ts";
import { SdkReply } from "./sdk-reply.ts";
import { streamReply } from "./stream-reply.ts";

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
  const { model, window, scene } = options;
  return {
    name: model,
    window,
    stream: (request) =>
      streamReply(request, {
        reply: new SdkReply(callIdsIn(request.context)),
        pieces: (signal) => partsOf(options, request, signal),
        scene,
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
