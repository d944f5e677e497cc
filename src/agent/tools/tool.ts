import { z } from "zod";
import type { ToolSpec } from "../../ports/model.ts";
import type { CallReason } from "../../record/call-reason.ts";
import type { Seen } from "../../record/entry.ts";
import type { Remark } from "../../record/error.ts";
import type { OutsideChange } from "../../record/files.ts";
import {
  isJsonObject,
  type Json,
  type JsonObject,
  MAX_INPUT_DEPTH,
  type Part,
  textPart,
} from "../../record/parts.ts";
import { breakTag, breakTagInJson, type Framing } from "../../timeline/context/foreign-text.ts";
import type { Reach, Subject } from "../permissions/rules.ts";
import type { CommandPlan } from "../permissions/unasked/plan.ts";

/**
 * A tool that the model may call, made by a factory such as `bashTool({ ... })`. Name and parameters are those that
 * models know from other agents; the description is in a .md file next to the code.
 */
export interface Tool<Input = unknown> {
  readonly name: string;
  readonly description: string;
  /** Arguments that do not match get the result "Invalid arguments: ..." and never reach `run`. */
  readonly input: z.ZodType<Input>;
  /** For tools with an external schema (MCP); by default derived from `input`. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly reach: Reach;
  /** "by-calls": the tool changes files only through further calls, each of which is captured separately. */
  readonly works?: "by-calls";
  /** "others": runs in parallel with adjacent calls although it may change files; tools that only read always do. */
  readonly beside?: "others";
  /** The subjects of a call, for rules and for questions to the user. Must not change anything. */
  subjects(input: Input): Promise<readonly Subject[]>;
  /** One line for the user, such as a path or a command. */
  about(input: Input): string;
  /** A preview of the call's changes, for the user who is asked. Must not change anything. */
  preview?(input: Input): Promise<Preview | undefined>;
  /** Resolves soon after the signal aborts, after ending everything that it started. Throws only because of a bug. */
  run(input: Input, call: ToolCall): Promise<ToolResult | Later>;
}

/** A preview of a call's changes, or the reason why the call would fail. If it would fail, the user is not asked. */
export type Preview =
  /** A unified diff. */
  | { readonly diff: string }
  | { readonly without: "not-text" | "too-different" }
  | { readonly refused: Remark };

/** The result is written later, after all calls of the step have ended. */
export type Later = "later";

/** The call for which a tool runs. */
export interface ToolCall {
  readonly id: string;
  readonly signal: AbortSignal;
  /** The real paths that the call may read or write. A link that now leads elsewhere is not followed. */
  readonly places?: readonly string[];
  /** Present if a command was allowed by its words: run the plan, and do not pass the text to a shell. */
  readonly plan?: CommandPlan | undefined;
  /** Live output for the user; the model gets the result. */
  readonly onOutput: (text: string) => void;
}

export interface ToolResult {
  readonly outcome: "ok" | "error" | "denied" | "interrupted";
  readonly parts: readonly Part[];
  /** Why the call was denied; absent if the user gave the reason in their own words. */
  readonly reason?: CallReason | undefined;
  /** The files whose contents the model now knows: Edit refuses a file that has changed since. */
  readonly seen?: readonly Seen[] | undefined;
  /** Absolute paths that the call wrote, if it knows all of them. */
  readonly touched?: readonly string[];
  /** The processes that the call started: when the last of them ended, or whether some are running. */
  readonly processes?: { readonly endedAt: number } | { readonly isRunning: () => boolean };
  /** The changes outside the snapshots, if the tool has tracked them itself. */
  readonly outside?: readonly OutsideChange[] | undefined;
}

/** Puts a tool into a table of tools with different inputs. */
export function defineTool<Input>(tool: Tool<Input>): Tool {
  // Each tool only gets input parsed by its own schema, which the type of a mixed table cannot express.
  return tool as unknown as Tool;
}

export function done(text: string): ToolResult {
  return { outcome: "ok", parts: [textPart(text)] };
}

/** A failure that the model can react to; the turn continues. */
export function failed(text: string): ToolResult {
  return { outcome: "error", parts: [textPart(text)] };
}

export function interrupted(text = "Interrupted."): ToolResult {
  return { outcome: "interrupted", parts: [textPart(text)] };
}

/**
 * Text for the operating system, which does not accept NUL characters. Checked by `refine`, which does not add a
 * pattern to the JSON Schema.
 */
export function systemText(description: string): z.ZodString {
  return z
    .string()
    .min(1)
    .refine((text) => !text.includes("\0"), "must not contain a NUL character")
    .describe(description);
}

/**
 * The schema, ignoring fields that models send out of habit and that have no meaning here. The model is not told about
 * these fields.
 */
export function tolerating<Input>(fields: readonly string[], schema: z.ZodType<Input>): z.ZodType<Input> {
  return z.preprocess((value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).filter(([key]) => !fields.includes(key)));
  }, schema);
}

const MAX_ISSUES = 5;

/** The text for the model about arguments that are not valid JSON. */
export const MALFORMED_INPUT = `Invalid arguments: they are not JSON, not an object, or nested in more than ${MAX_INPUT_DEPTH} levels. Call the tool again with one JSON object.`;

/** The tool's definition for the model. Keys are in the order of the schema, so the bytes are the same each time. */
export function specOf(tool: Tool): ToolSpec {
  return { name: tool.name, description: tool.description, parameters: parametersOf(tool) };
}

/** Definitions for a session's model, without the session's tag, which a server's text could contain. */
export function specIn(framing: Framing, tool: Tool): ToolSpec {
  const { name, description, parameters } = specOf(tool);
  const broken = breakTagInJson(parameters, framing);
  return {
    name,
    description: breakTag(description, framing),
    parameters: isJsonObject(broken) ? broken : parameters,
  };
}

function parametersOf({ name, parameters, input }: Tool): JsonObject {
  const schema: unknown =
    parameters ?? z.toJSONSchema(input, { override: ({ jsonSchema }) => trim(jsonSchema) });
  const plain: unknown = JSON.parse(JSON.stringify(schema));
  if (!isJsonObject(plain)) throw new TypeError(`The parameters of ${name} are no JSON Schema object.`);
  const { $schema: _, ...rest } = plain;
  return rest;
}

/** Drops the bounds of JavaScript's integers, which would only cost tokens. */
function trim(schema: { maximum?: number | undefined; minimum?: number | undefined }): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}

/** The parsed arguments of a call, or what is wrong with them, for the model. */
export function parseInput(tool: Tool, json: Json): { readonly input: unknown } | { readonly error: string } {
  const parsed = tool.input.safeParse(json);
  if (parsed.success) return { input: parsed.data };
  const issues = parsed.error.issues.slice(0, MAX_ISSUES).map((issue) => issueText(issue, json));
  const more = parsed.error.issues.length - issues.length;
  if (more > 0) issues.push(`and ${more} more`);
  return {
    error: `Invalid arguments: ${issues.join("; ")}. Call ${tool.name} again with arguments that fit its schema.`,
  };
}

function issueText(issue: z.core.$ZodIssue, json: Json): string {
  const place = issue.path.reduce<string>(
    (text, key) =>
      typeof key === "number" ? `${text}[${key}]` : `${text}${text === "" ? "" : "."}${String(key)}`,
    "",
  );
  return place === "" ? whatOf(issue, json) : `${place}: ${whatOf(issue, valueAt(json, issue.path))}`;
}

function whatOf(issue: z.core.$ZodIssue, value: Json | undefined): string {
  switch (issue.code) {
    case "invalid_type":
      return value === undefined
        ? `missing, expected ${issue.expected}`
        : `expected ${issue.expected}, got ${kindOf(value)}`;
    case "unrecognized_keys":
      return `unknown ${issue.keys.length === 1 ? "field" : "fields"} ${issue.keys.map((key) => JSON.stringify(key)).join(", ")}`;
    case "invalid_value":
      return `expected one of ${issue.values.map((each) => JSON.stringify(each)).join(", ")}, got ${shown(value)}`;
    default:
      return issue.message.replace(/^[A-Z]/, (letter) => letter.toLowerCase());
  }
}

function valueAt(json: Json, path: readonly PropertyKey[]): Json | undefined {
  let value: unknown = json;
  for (const key of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Reflect.get(value, key);
  }
  return value as Json | undefined;
}

function kindOf(value: Json): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function shown(value: Json | undefined): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > 60 ? kindOf(value) : text;
}
