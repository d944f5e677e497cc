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
 * A tool that the model can call, created by a factory such as `bashTool({ ... })`. The tool has the same name and
 * parameters as in other agents, because models are familiar with them. The tool's description is in a .md file next to
 * the code.
 */
export interface Tool<Input = unknown> {
  readonly name: string;
  readonly description: string;
  /**
   * The schema for a call's arguments. Arguments that do not match it get the result "Invalid arguments: ..." and never
   * reach `run`.
   */
  readonly input: z.ZodType<Input>;
  /** The JSON Schema of a tool with an external schema (MCP). By default, it is derived from `input`. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly reach: Reach;
  /** "by-calls" means that the tool changes files only through further calls, each of which is captured separately. */
  readonly works?: "by-calls";
  /**
   * "others" means that the tool runs in parallel with adjacent calls even though it can change files. Tools that only
   * read files always run in parallel.
   */
  readonly beside?: "others";
  /** Returns the subjects of a call, for rules and for questions to the user. Must not change anything. */
  subjects(input: Input): Promise<readonly Subject[]>;
  /** Returns one line for the user, such as a path or a command. */
  about(input: Input): string;
  /**
   * Returns a preview of the call's changes, which the user sees when asked for permission. Must not change anything.
   */
  preview?(input: Input): Promise<Preview | undefined>;
  /**
   * Runs a call. If the signal aborts, ends everything that the call started and resolves promptly. Throws only if
   * there is a bug.
   */
  run(input: Input, call: ToolCall): Promise<ToolResult | Later>;
}

/**
 * A preview of a call's changes, or the reason that the call would fail. If the call would fail, the user is not asked.
 */
export type Preview =
  /** A unified diff. */
  | { readonly diff: string }
  | { readonly without: "not-text" | "too-different" }
  | { readonly refused: Remark };

/** Returned by a tool whose result is written later, after all calls of the step have ended. */
export type Later = "later";

/** The call that a tool is running. */
export interface ToolCall {
  readonly id: string;
  readonly signal: AbortSignal;
  /**
   * The real paths that the call may read or write. If a link has changed and now leads elsewhere, it is not followed.
   */
  readonly places?: readonly string[];
  /**
   * Present if only the individual commands in a line were allowed. In that case, run the plan and do not pass the text
   * to a shell.
   */
  readonly plan?: CommandPlan | undefined;
  /** Receives live output for the user. The model gets only the result. */
  readonly onOutput: (text: string) => void;
}

export interface ToolResult {
  readonly outcome: "ok" | "error" | "denied" | "interrupted";
  readonly parts: readonly Part[];
  /** Why the call was denied. Absent if the user gave the reason in their own words. */
  readonly reason?: CallReason | undefined;
  /** The files whose contents the model now knows. Edit refuses a file that has changed since then. */
  readonly seen?: readonly Seen[] | undefined;
  /** Absolute paths that the call wrote to, if all of them are known. */
  readonly touched?: readonly string[];
  /**
   * The time when the last process started by the call ended, or a function that checks whether any of them are
   * running.
   */
  readonly processes?: { readonly endedAt: number } | { readonly isRunning: () => boolean };
  /** Changes outside the snapshots, if the tool tracked them itself. */
  readonly outside?: readonly OutsideChange[] | undefined;
}

/** Defines a tool so that a table can contain tools with different inputs. */
export function defineTool<Input>(tool: Tool<Input>): Tool {
  // Each tool gets only input parsed with its own schema, but the type of a mixed table cannot express this.
  return tool as unknown as Tool;
}

export function done(text: string): ToolResult {
  return { outcome: "ok", parts: [textPart(text)] };
}

/** Returns a failure that the model can react to. The turn continues. */
export function failed(text: string): ToolResult {
  return { outcome: "error", parts: [textPart(text)] };
}

export function interrupted(text = "Interrupted."): ToolResult {
  return { outcome: "interrupted", parts: [textPart(text)] };
}

/**
 * Returns a schema for text that is passed to the operating system, which does not accept NUL characters. The schema
 * uses `refine`, because that does not add a pattern to the JSON Schema.
 */
export function systemText(description: string): z.ZodString {
  return z
    .string()
    .min(1)
    .refine((text) => !text.includes("\0"), "must not contain a NUL character")
    .describe(description);
}

/**
 * Returns the schema, ignoring fields that models send out of habit and that have no meaning here. The model is not
 * told about these fields.
 */
export function tolerating<Input>(fields: readonly string[], schema: z.ZodType<Input>): z.ZodType<Input> {
  return z.preprocess((value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).filter(([key]) => !fields.includes(key)));
  }, schema);
}

const MAX_ISSUES = 5;

/** The text sent to the model if arguments are not valid JSON. */
export const MALFORMED_INPUT = `Invalid arguments: not JSON, not an object, or nested more than ${MAX_INPUT_DEPTH} levels deep. Call the tool again with a single JSON object.`;

/**
 * Returns the tool's definition for the model. Keys are in the order of the schema, so the bytes are the same each
 * time.
 */
export function specOf(tool: Tool): ToolSpec {
  return { name: tool.name, description: tool.description, parameters: parametersOf(tool) };
}

/**
 * Returns the tool's definition for a session's model. Removes the session's tag from it, because a server's text could
 * contain the tag.
 */
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
  if (!isJsonObject(plain)) throw new TypeError(`The parameters of ${name} are not a JSON Schema object.`);
  const { $schema: _, ...rest } = plain;
  return rest;
}

/** Drops the bounds of JavaScript integers from the schema, because they would only cost tokens. */
function trim(schema: { maximum?: number | undefined; minimum?: number | undefined }): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}

/** Returns the parsed arguments of a call, or an error message for the model that says what is wrong with them. */
export function parseInput(tool: Tool, json: Json): { readonly input: unknown } | { readonly error: string } {
  const parsed = tool.input.safeParse(json);
  if (parsed.success) return { input: parsed.data };
  const issues = parsed.error.issues.slice(0, MAX_ISSUES).map((issue) => issueText(issue, json));
  const more = parsed.error.issues.length - issues.length;
  if (more > 0) issues.push(`and ${more} more`);
  return {
    error: `Invalid arguments: ${issues.join("; ")}. Call ${tool.name} again with arguments that match its schema.`,
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
