import { tokenCount } from "../../../agent/models/wire/reply.ts";
import {
  BACKTRACK_TOOL,
  isDeeperThan,
  isJsonObject,
  type Json,
  MAX_INPUT_DEPTH,
  noUsage,
  type Part,
  type ReplyPart,
  sumOfUsage,
  type ToolCallPart,
  textPart,
  type Usage,
} from "../../../record/parts.ts";
import type { SdkBlock, SdkContent, SdkModelUsage, SdkResult, SdkUsage, SdkUserBlock } from "./sdk-types.ts";

/** Converts a block of a reply to the form in our log. Returns an empty list for blocks that only the SDK can read. */
export function replyPart(block: SdkBlock, logName: LogName): readonly ReplyPart[] {
  switch (block.type) {
    case "text":
      return block.text === "" ? [] : [textPart(block.text)];
    case "thinking":
      return [
        {
          type: "thinking",
          text: block.thinking,
          ...(block.signature === undefined ? {} : { signature: block.signature }),
        },
      ];
    case "tool_use":
      return [{ type: "tool-call", call: block.id, name: logName(block.name), ...inputOf(block.input) }];
    default:
      return [];
  }
}

/**
 * Returns a call's input for the log. Input that is nested too deeply for JSON is logged as malformed, and the call is
 * denied before it starts.
 */
function inputOf(input: Json): Pick<ToolCallPart, "input" | "malformed"> {
  if (isDeeperThan(input, MAX_INPUT_DEPTH)) return { input: {}, malformed: "(nested too deeply)" };
  return { input: isJsonObject(input) ? input : {} };
}

type ToolResultBlock = Extract<SdkUserBlock, { type: "tool_result" }>;

export function toolResults(content: string | readonly SdkUserBlock[]): readonly ToolResultBlock[] {
  if (typeof content === "string") return [];
  return content.filter((block): block is ToolResultBlock => block.type === "tool_result");
}

export function resultParts({ content = "" }: ToolResultBlock): readonly Part[] {
  if (typeof content === "string") return content === "" ? [] : [textPart(content)];
  return content.flatMap(contentPart);
}

function contentPart(block: SdkContent): readonly Part[] {
  if (block.type === "text") return [textPart(block.text)];
  if (block.type === "image" && block.source.type === "base64") {
    return [{ type: "image", mediaType: block.source.media_type, data: block.source.data }];
  }
  return [];
}

/** Converts our parts to SDK content blocks. */
export function sdkContent(parts: readonly Part[]): readonly SdkContent[] {
  return parts.map((part) =>
    part.type === "text"
      ? { type: "text", text: part.text }
      : { type: "image", source: { type: "base64", media_type: part.mediaType, data: part.data } },
  );
}

/**
 * Returns the usage and cost of a turn. If the SDK does not report them exactly, only the main conversation is counted.
 */
export function usageOfTurn(result: SdkResult): { readonly usage: Usage; readonly cost: number | undefined } {
  const { model_usage_since_last_result: byModel, usage } = result;
  if (byModel === undefined) return { usage: usageOf(usage) ?? noUsage, cost: undefined };
  const all = Object.values(byModel);
  return {
    usage: all.map(modelUsage).reduce(sumOfUsage, noUsage),
    cost: all.reduce((sum, { costUSD }) => sum + costUSD, 0),
  };
}

function modelUsage(used: SdkModelUsage): Usage {
  return usageOf({
    input_tokens: used.inputTokens,
    output_tokens: used.outputTokens,
    cache_read_input_tokens: used.cacheReadInputTokens,
    cache_creation_input_tokens: used.cacheCreationInputTokens,
  });
}

/**
 * Merges token counts. Later counts replace earlier ones unless they are null or 0, because some providers repeat only
 * counts that have grown.
 */
export function mergeUsage(earlier: SdkUsage | undefined, later: SdkUsage | undefined): SdkUsage | undefined {
  if (earlier === undefined || later === undefined) return later ?? earlier;
  const said = Object.entries(later).filter(([, count]) => count !== null && count !== 0);
  return { ...earlier, ...Object.fromEntries(said) };
}

/** Converts token counts. The provider counts cached tokens separately, while our input count includes them. */
export function usageOf(usage: SdkUsage): Usage;
export function usageOf(usage: SdkUsage | undefined): Usage | undefined;
export function usageOf(usage: SdkUsage | undefined): Usage | undefined {
  if (usage === undefined) return undefined;
  const cacheRead = tokenCount(usage.cache_read_input_tokens);
  const cacheWrite = tokenCount(usage.cache_creation_input_tokens);
  return {
    input: tokenCount(usage.input_tokens) + cacheRead + cacheWrite,
    output: tokenCount(usage.output_tokens),
    cacheRead,
    cacheWrite,
  };
}

/** The name of our server inside the SDK's process. */
export const OWN_SERVER = "worldline";

export type LogName = (tool: string) => string;

/**
 * Returns a function that maps the name of an SDK tool to its name in our log. Our own tool keeps its name, so that
 * readers of the log recognize it regardless of which agent called it. If our tool is off, one of the user's servers
 * may use that name.
 */
export function logNames(backtrack: "on" | "off"): LogName {
  const own = `mcp__${OWN_SERVER}__${BACKTRACK_TOOL}`;
  return (tool) => (backtrack === "on" && tool === own ? BACKTRACK_TOOL : tool);
}
