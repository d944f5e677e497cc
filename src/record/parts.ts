export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The maximum nesting depth of a tool's input. Writing a much deeper value as JSON would overflow the stack. */
export const MAX_INPUT_DEPTH = 200;

/**
 * Checks whether arrays and objects are nested more than `levels` deep. Does not use recursion, so values of any depth
 * are safe.
 */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= levels; depth += 1) {
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
    if (level.length === 0) return false;
  }
  return true;
}

/** A part of a prompt or of a tool's result. */
export type Part = TextPart | ImagePart;

export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

export interface ImagePart {
  readonly type: "image";
  readonly mediaType: string;
  /** The image's bytes in Base64. */
  readonly data: string;
}

export type ReplyPart = TextPart | ThinkingPart | ToolCallPart;

/** The model's thinking. The thinking is sent back with its signature, but only to the provider that wrote it. */
export interface ThinkingPart {
  readonly type: "thinking";
  readonly text: string;
  readonly signature?: string;
}

/** The name of the tool that requests a backtrack. */
export const BACKTRACK_TOOL = "Backtrack";

export interface ToolCallPart {
  readonly type: "tool-call";
  readonly call: string;
  readonly name: string;
  readonly input: Json;
  /** The text that the model wrote if it was not valid JSON. In that case, `input` is an empty object. */
  readonly malformed?: string;
}

/** Token counts reported by the provider. `input` includes cached tokens. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export const noUsage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export function sumOfUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}

/** The fraction of the input that the provider read from its cache; undefined if no input was counted. */
export function cacheHitRate({ input, cacheRead }: Usage): number | undefined {
  return input === 0 ? undefined : cacheRead / input;
}

export interface TodoItem {
  readonly text: string;
  readonly status: "open" | "doing" | "done";
}

export function textPart(text: string): TextPart {
  return { type: "text", text };
}

/** The text parts, joined in order. Images and thinking are left out. */
export function textOf(parts: readonly (Part | ReplyPart)[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
