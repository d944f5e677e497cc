export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** How deeply the input of a tool may be nested: much deeper, and writing it as JSON overflows the stack. */
export const MAX_INPUT_DEPTH = 200;

/** Whether arrays and objects are nested in more than `levels`. Does not recurse, however deep they are. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= levels; depth += 1) {
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
    if (level.length === 0) return false;
  }
  return true;
}

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

export const noUsage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export function sumOfUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}

/** The part of what was sent that the provider had in its cache; undefined when nothing was counted. */
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

/** The text of the parts, one after the other; images and thinking have none. */
export function textOf(parts: readonly (Part | ReplyPart)[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
