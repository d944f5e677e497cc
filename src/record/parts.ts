import type { Json } from "./json.ts";

/** What a prompt or a tool's result is made of. */
export type Part = TextPart | ImagePart;

export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

export interface ImagePart {
  readonly type: "image";
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
}

export type ReplyPart = TextPart | ThinkingPart | ToolCallPart;

/** Goes back to the provider that wrote it, with its signature, and to no other. */
export interface ThinkingPart {
  readonly type: "thinking";
  readonly text: string;
  readonly signature?: string;
}

/** What the agent calls the tool that asks for a backtrack. */
export const BACKTRACK_TOOL = "Backtrack";

export interface ToolCallPart {
  readonly type: "tool-call";
  readonly call: string;
  readonly name: string;
  readonly input: Json;
  /** What the model really wrote, when it was not JSON. `input` is then an empty object. */
  readonly malformed?: string;
}

/** As the provider counted it; `input` holds the cached tokens too. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export interface TodoItem {
  readonly text: string;
  readonly status: "open" | "doing" | "done";
}

export function textPart(text: string): TextPart {
  return { type: "text", text };
}

/** The text of the parts, one after the other; images and thinking have none. */
export function textOf(parts: readonly (Part | ReplyPart)[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
