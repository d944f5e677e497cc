import { createHash } from "node:crypto";
import type {
  CallToolResult,
  Client,
  ContentBlock,
  Tool as ServerToolSpec,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import type { Part } from "../../record/parts.ts";
import { defineTool, type Tool, type ToolResult } from "../tools/tool.ts";

export interface ServerToolOptions {
  readonly server: string;
  readonly client: Client;
  readonly spec: ServerToolSpec;
  /** Without any sign of life for this long, a call is given up. */
  readonly callMs: number;
  /** Why the server is gone, once it is. */
  readonly gone: () => string | undefined;
}

const LONGEST_NAME = 64;
const LONGEST_RESULT = 100_000;

/** A tool of a server as one of ours. Its arguments are the server's to check. */
export function serverTool(options: ServerToolOptions): Tool {
  const { server, spec } = options;
  return defineTool({
    name: serverToolName(server, spec.name),
    description: spec.description ?? spec.title ?? `The tool ${spec.name} of the MCP server ${server}.`,
    input: z.looseObject({}),
    parameters: { ...spec.inputSchema },
    reach: spec.annotations?.readOnlyHint === true ? "reads" : "anything",
    subjects: async () => [{ kind: "tool" }],
    about: (input) => shortened(JSON.stringify(input), 200),
    run: async (input, { signal, onOutput }) => {
      const gone = options.gone();
      if (gone !== undefined) return failed(gone);
      try {
        const result = await options.client.callTool(
          { name: spec.name, arguments: input },
          {
            signal,
            timeout: options.callMs,
            resetTimeoutOnProgress: true,
            onprogress: ({ message }) => message !== undefined && onOutput(`${message}\n`),
          },
        );
        return resultOf(result);
      } catch (error) {
        if (signal.aborted)
          return { outcome: "interrupted", parts: [text("Interrupted; not known whether it took effect.")] };
        return failed(options.gone() ?? `The MCP server ${server} failed: ${reasonOf(error)}`);
      }
    },
  });
}

/** Providers take no other characters and no longer names; what is cut ends in a hash of the whole, so that two stay two. */
export function serverToolName(server: string, tool: string): string {
  const name = `mcp__${clean(server)}__${clean(tool)}`;
  if (name.length <= LONGEST_NAME) return name;
  const hash = createHash("sha256").update(`${server}\0${tool}`).digest("hex").slice(0, 8);
  return `${name.slice(0, LONGEST_NAME - 9)}_${hash}`;
}

function clean(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/gu, "_");
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function resultOf({ content, isError, structuredContent }: CallToolResult): ToolResult {
  const parts = content.map(partOf);
  const told =
    parts.length > 0 || structuredContent === undefined ? parts : [text(JSON.stringify(structuredContent))];
  return {
    outcome: isError === true ? "error" : "ok",
    parts: told.length > 0 ? told : [text("(no output)")],
  };
}

function partOf(block: ContentBlock): Part {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
      return { type: "image", mediaType: block.mimeType, data: block.data };
    case "resource":
      return "text" in block.resource
        ? text(block.resource.text)
        : text(`(a resource that is no text: ${block.resource.uri})`);
    case "resource_link":
      return text(`(a resource: ${block.uri})`);
    default:
      return text(`(${block.type}, which cannot be shown)`);
  }
}

function text(whole: string): Part {
  return { type: "text", text: shortened(whole, LONGEST_RESULT) };
}

function shortened(whole: string, most: number): string {
  return whole.length <= most ? whole : `${whole.slice(0, most)}... (${whole.length - most} more characters)`;
}

function failed(why: string): ToolResult {
  return { outcome: "error", parts: [text(why)] };
}
