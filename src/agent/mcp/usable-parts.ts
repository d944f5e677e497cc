import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isDeeperThan, isJsonObject, type JsonObject } from "../../record/json.ts";
import { firstCharacters } from "../tools/text.ts";

type Sdk = typeof import("@modelcontextprotocol/client");

/** A tool of a server that cannot be used, and why. */
export interface UnusableTool {
  readonly name: string;
  readonly why: string;
}

/** Much deeper, and writing a schema as JSON overflows the stack. */
const MAX_DEPTH = 200;
/** Of the definition of one tool: each request to the model holds it. */
const MAX_TOOL_CHARACTERS = 100_000;
const MAX_TOOLS = 1_000;
const MAX_PARTS = 1_000;

/**
 * Takes out of a server's messages what the SDK refuses, because it refuses the whole list or result for one tool or part of it. A
 * tool that cannot be used is reported, and a part gives way to a text that says so. Schemas of results are left out: a result
 * that does not fit one is still what the server says.
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
  // Whatever it is but no: a failure that is not said properly is still one.
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
    const why = faultOf(tool, sdk);
    if (why === undefined) return [withoutOutputSchema(tool as JsonObject)];
    const name = isJsonObject(tool) && typeof tool["name"] === "string" ? tool["name"] : "(without a name)";
    unusable.push({ name: firstCharacters(name, 60), why });
    return [];
  });
  const more = listed.length - MAX_TOOLS;
  if (more > 0) unusable.push({ name: `${more} more`, why: `only ${MAX_TOOLS} are taken` });
  if (unusable.length > 0) onUnusable(unusable);
  return kept;
}

function withoutOutputSchema({ outputSchema: _, ...tool }: JsonObject): JsonObject {
  return tool;
}

function faultOf(tool: unknown, sdk: Sdk): string | undefined {
  if (!isJsonObject(tool)) return "it is not an object";
  if (isDeeperThan(tool, MAX_DEPTH)) return "its schema is nested too deeply";
  const written = JSON.stringify(withoutOutputSchema(tool));
  if (written.length > MAX_TOOL_CHARACTERS) return `it is longer than ${MAX_TOOL_CHARACTERS} characters`;
  if (tool["name"] === "") return "its name is empty";
  const checked = sdk.specTypeSchemas.Tool["~standard"].validate(withoutOutputSchema(tool));
  if (checked instanceof Promise || checked.issues === undefined) return undefined;
  const [issue] = checked.issues;
  const path = (issue?.path ?? []).map((step) => String(typeof step === "object" ? step.key : step));
  return `${path.length === 0 ? "" : `${path.join(".")}: `}${issue?.message ?? "not understood"}`;
}

function usableContent(content: unknown, sdk: Sdk): readonly unknown[] {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  const kept = parts.slice(0, MAX_PARTS).map((part) => {
    if (!isDeeperThan(part, MAX_DEPTH) && sdk.isSpecType.ContentBlock(part)) return part;
    const kind = isJsonObject(part) && typeof part["type"] === "string" ? part["type"] : "no type";
    return {
      type: "text",
      text: `(A part of the result was left out: it is malformed, of ${firstCharacters(kind, 40)}.)`,
    };
  });
  const more = parts.length - MAX_PARTS;
  return more > 0 ? [...kept, { type: "text", text: `(${more} more parts were left out.)` }] : kept;
}
