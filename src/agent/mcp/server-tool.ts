import { createHash } from "node:crypto";
import type {
  CallToolResult,
  Client,
  ContentBlock,
  JSONRPCMessage,
  Tool as ServerToolSpec,
  Transport,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import { foreignText, type Problem, problemIn, type RemarkParams, remark } from "../../record/error.ts";
import { isDeeperThan, isJsonObject, type JsonObject, type Part, textPart } from "../../record/parts.ts";
import { imageFault, imageType } from "../tools/read.ts";
import { firstCharacters, oneLine, plural } from "../tools/text.ts";
import { defineTool, failed, interrupted, type Tool, type ToolResult } from "../tools/tool.ts";

interface ServerToolOptions {
  readonly server: string;
  readonly client: Client;
  readonly spec: ServerToolSpec;
  /** How long a call may show no sign of life before it is abandoned. */
  readonly callMs: number;
  /** Returns the reason why the server exited, or undefined while it is running. */
  readonly gone: () => string | undefined;
}

const MAX_NAME_CHARACTERS = 64;
const MAX_RESULT_CHARACTERS = 100_000;

/** Wraps a server's tool as a tool of the agent. The server checks the arguments itself. */
export function serverTool(options: ServerToolOptions): Tool {
  const { server, spec } = options;
  return defineTool({
    name: serverToolName(server, spec.name),
    description: spec.description ?? spec.title ?? `The ${spec.name} tool of the MCP server ${server}.`,
    input: z.looseObject({}),
    parameters: { ...spec.inputSchema },
    reach: spec.annotations?.readOnlyHint === true ? "reads" : "anything",
    subjects: async () => [{ kind: "tool" }],
    about: (input) => oneLine(JSON.stringify(input)),
    run: async (input, { signal, onOutput }) => {
      const gone = options.gone();
      if (gone !== undefined) return failed(gone);
      const progress = new Progress(onOutput);
      try {
        const result = await options.client.callTool(
          { name: spec.name, arguments: input },
          {
            signal,
            timeout: options.callMs,
            resetTimeoutOnProgress: true,
            onprogress: ({ message }) => {
              if (message !== undefined) progress.report(message);
            },
          },
        );
        return resultOf(result);
      } catch (error) {
        if (signal.aborted) return interrupted("Interrupted; it is not known whether it took effect.");
        return failed(options.gone() ?? shortened(`The MCP server ${server} failed: ${reasonOf(error)}`));
      }
    },
  });
}

/** Limits how much progress is shown. A server may report progress forever, but no user would read that much. */
class Progress {
  #left = 1_000;
  readonly #onOutput: (text: string) => void;

  constructor(onOutput: (text: string) => void) {
    this.#onOutput = onOutput;
  }

  report(message: string): void {
    this.#left -= 1;
    if (this.#left >= 0) this.#onOutput(`${firstCharacters(message, 1_000)}\n`);
  }
}

/**
 * Returns a name that providers accept, because they reject special characters and long names. A shortened name ends
 * with a hash of the full name, so that different names stay different.
 */
export function serverToolName(server: string, tool: string): string {
  const name = `mcp__${clean(server)}__${clean(tool)}`;
  if (name.length <= MAX_NAME_CHARACTERS) return name;
  const hash = createHash("sha256").update(`${server}\0${tool}`).digest("hex").slice(0, 8);
  return `${name.slice(0, MAX_NAME_CHARACTERS - 9)}_${hash}`;
}

function clean(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/gu, "_");
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function resultOf({ content, isError, structuredContent }: CallToolResult): ToolResult {
  const parts = content.map(partOf);
  const shown =
    parts.length > 0 || structuredContent === undefined ? parts : [text(JSON.stringify(structuredContent))];
  return {
    outcome: isError === true ? "error" : "ok",
    parts: shown.length > 0 ? shown : [text("(no output)")],
  };
}

function partOf(block: ContentBlock): Part {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
      return imagePart(block.data, block.mimeType);
    case "resource":
      return "text" in block.resource
        ? text(block.resource.text)
        : text(`(binary resource: ${block.resource.uri})`);
    case "resource_link":
      return text(`(resource: ${block.uri})`);
    default:
      return text(`(${block.type} content cannot be shown)`);
  }
}

/**
 * Returns an image part after checking the image. A provider that rejects one image would reject every later request in
 * the conversation.
 */
function imagePart(data: string, said: string): Part {
  const bytes = Buffer.from(data, "base64");
  const mediaType = imageType(bytes);
  if (mediaType === undefined)
    return text(
      `(An image was omitted: it is not a PNG, JPEG, GIF, or WebP file. Its declared type is ${said}.)`,
    );
  const fault = imageFault(bytes, mediaType);
  if (fault !== undefined) return text(`(An image was omitted: ${fault}.)`);
  return { type: "image", mediaType, data: bytes.toString("base64") };
}

function text(whole: string): Part {
  return textPart(shortened(whole));
}

function shortened(whole: string): string {
  if (whole.length <= MAX_RESULT_CHARACTERS) return whole;
  const kept = firstCharacters(whole, MAX_RESULT_CHARACTERS);
  return `${kept}... (${whole.length - kept.length} more characters)`;
}

type Sdk = typeof import("@modelcontextprotocol/client");

export type UnusableTool = RemarkParams<"mcp-tools-unusable">["tools"][number];

/** Maximum depth of a schema. A deeper schema overflows the stack when it is written as JSON. */
const MAX_DEPTH = 200;
/** The size limit for the definition of one tool, which is part of every request to the model. */
const MAX_TOOL_CHARACTERS = 100_000;
const MAX_TOOLS = 1_000;
const MAX_PARTS = 1_000;

/**
 * Removes invalid parts from a server's messages, because the SDK would otherwise reject the whole list or result. An
 * unusable tool is reported. An unusable part is replaced by text that says so. Output schemas are dropped, because a
 * result that does not match its schema is still the server's answer.
 */
export function takeUsableParts(
  transport: Transport,
  sdk: Sdk,
  onUnusable: (tools: readonly UnusableTool[]) => void,
): void {
  type Take = NonNullable<Transport["onmessage"]>;
  let given: Take | undefined;
  const take: Take = (message, extra) => given?.(usable(message, sdk, onUnusable), extra);
  Object.defineProperty(transport, "onmessage", {
    get: () => (given === undefined ? undefined : take),
    set: (next: Take | undefined) => {
      given = next;
    },
  });
}

function usable(
  message: JSONRPCMessage,
  sdk: Sdk,
  onUnusable: (tools: readonly UnusableTool[]) => void,
): JSONRPCMessage {
  if (!("result" in message) || !isJsonObject(message.result)) return message;
  const { tools, content, structuredContent, isError, ...rest } = message.result;
  const result: Record<string, unknown> = rest;
  if (
    structuredContent !== undefined &&
    isJsonObject(structuredContent) &&
    !isDeeperThan(structuredContent, MAX_DEPTH)
  )
    result["structuredContent"] = structuredContent;
  // Any value except "no" means failure, even a malformed one.
  if (isError !== undefined) result["isError"] = Boolean(isError);
  if (tools !== undefined) result["tools"] = usableTools(tools, sdk, onUnusable);
  if (content !== undefined) result["content"] = usableContent(content, sdk);
  return { ...message, result } as JSONRPCMessage;
}

function usableTools(
  tools: unknown,
  sdk: Sdk,
  onUnusable: (tools: readonly UnusableTool[]) => void,
): readonly unknown[] {
  const listed: readonly unknown[] = Array.isArray(tools) ? tools : [];
  const unusable: UnusableTool[] = [];
  const kept = listed.slice(0, MAX_TOOLS).flatMap((tool) => {
    const problem = faultOf(tool, sdk);
    if (problem === undefined) return [withoutOutputSchema(tool as JsonObject)];
    const name = isJsonObject(tool) && typeof tool["name"] === "string" ? tool["name"] : "";
    unusable.push({ name: firstCharacters(name, 60), problem });
    return [];
  });
  const more = listed.length - MAX_TOOLS;
  if (more > 0) {
    unusable.push({ problem: problemIn(remark("mcp-tools-too-many", { count: more, most: MAX_TOOLS })) });
  }
  if (unusable.length > 0) onUnusable(unusable);
  return kept;
}

function withoutOutputSchema({ outputSchema: _, ...tool }: JsonObject): JsonObject {
  return tool;
}

function faultOf(tool: unknown, sdk: Sdk): Problem | undefined {
  if (!isJsonObject(tool)) return problemIn(remark("mcp-tool-no-object"));
  if (isDeeperThan(tool, MAX_DEPTH)) return problemIn(remark("mcp-tool-too-deep"));
  const written = JSON.stringify(withoutOutputSchema(tool));
  if (written.length > MAX_TOOL_CHARACTERS) {
    return problemIn(remark("mcp-tool-too-long", { most: MAX_TOOL_CHARACTERS }));
  }
  if (tool["name"] === "") return problemIn(remark("mcp-tool-unnamed"));
  const checked = sdk.specTypeSchemas.Tool["~standard"].validate(withoutOutputSchema(tool));
  if (checked instanceof Promise || checked.issues === undefined) return undefined;
  const [issue] = checked.issues;
  if (issue === undefined) return problemIn(remark("mcp-tool-unclear"));
  const path = (issue.path ?? []).map((step) => String(typeof step === "object" ? step.key : step));
  return foreignText(`${path.length === 0 ? "" : `${path.join(".")}: `}${issue.message}`);
}

function usableContent(content: unknown, sdk: Sdk): readonly unknown[] {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  const kept = parts.slice(0, MAX_PARTS).map((part) => {
    if (!isDeeperThan(part, MAX_DEPTH) && sdk.isSpecType.ContentBlock(part)) return part;
    const kind = isJsonObject(part) && typeof part["type"] === "string" ? part["type"] : "none";
    return {
      type: "text",
      text: `(A malformed part of the result was omitted. Its type: ${firstCharacters(kind, 40)}.)`,
    };
  });
  const more = parts.length - MAX_PARTS;
  return more > 0 ? [...kept, { type: "text", text: `(${plural(more, "more part")} omitted.)` }] : kept;
}
