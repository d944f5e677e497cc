import { createHash } from "node:crypto";
import type {
  CallToolResult,
  Client,
  ContentBlock,
  Tool as ServerToolSpec,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import { type Part, textPart } from "../../record/parts.ts";
import { imageFault, imageType } from "../tools/read/image.ts";
import { firstCharacters, oneLine } from "../tools/text.ts";
import { defineTool, failed, interrupted, type Tool, type ToolResult } from "../tools/tool.ts";

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
              if (message !== undefined) progress.tell(message);
            },
          },
        );
        return resultOf(result);
      } catch (error) {
        if (signal.aborted) return interrupted("Interrupted; not known whether it took effect.");
        return failed(options.gone() ?? shortened(`The MCP server ${server} failed: ${reasonOf(error)}`));
      }
    },
  });
}

/** A server may tell of its progress for ever; the user does not read that much of it. */
class Progress {
  #left = 1_000;
  readonly #onOutput: (text: string) => void;

  constructor(onOutput: (text: string) => void) {
    this.#onOutput = onOutput;
  }

  tell(message: string): void {
    this.#left -= 1;
    if (this.#left >= 0) this.#onOutput(`${firstCharacters(message, 1_000)}\n`);
  }
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
      return imagePart(block.data, block.mimeType);
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

/** A provider that refuses one image refuses every later request of the conversation: none is let through unlooked at. */
function imagePart(data: string, said: string): Part {
  const bytes = Buffer.from(data, "base64");
  const mediaType = imageType(bytes);
  if (mediaType === undefined)
    return text(`(An image was left out: it is no PNG, JPEG, GIF or WebP, but ${said}.)`);
  const fault = imageFault(bytes, mediaType);
  if (fault !== undefined) return text(`(An image was left out: ${fault}.)`);
  return { type: "image", mediaType, data: bytes.toString("base64") };
}

function text(whole: string): Part {
  return textPart(shortened(whole));
}

function shortened(whole: string): string {
  if (whole.length <= LONGEST_RESULT) return whole;
  const kept = firstCharacters(whole, LONGEST_RESULT);
  return `${kept}... (${whole.length - kept.length} more characters)`;
}
