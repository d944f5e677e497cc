import { z } from "zod";
import type { ToolSpec } from "../../ports/model.ts";
import type { CallReason } from "../../record/call-reason.ts";
import type { Seen } from "../../record/entry.ts";
import type { OutsideChange } from "../../record/files.ts";
import {
  isJsonObject,
  type Json,
  type JsonObject,
  MAX_INPUT_DEPTH,
  type Part,
  textPart,
} from "../../record/parts.ts";
import { type BlankWords, condensedBlanks } from "../../record/visible-text.ts";
import { breakTag, breakTagInJson, type Framing } from "../../timeline/context/foreign-text.ts";
import type { Reach, Subject } from "../permissions/rules.ts";
import type { CommandPlan } from "../permissions/unasked/plan.ts";

/**
 * A tool that the model may call. Made by a factory that takes what it needs, such as `bashTool({ ... })`. Its name and its
 * parameters are what models know from elsewhere; its description stands in a .md file beside it.
 */
export interface Tool<Input = unknown> {
  readonly name: string;
  readonly description: string;
  /** What does not fit is answered with "Invalid arguments: ..." and never reaches `run`. */
  readonly input: z.ZodType<Input>;
  /** For tools whose schema comes from elsewhere (MCP); by default made from `input`. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly reach: Reach;
  /** "by-calls": it changes nothing itself, but by calls of its own, each of which is looked at. */
  readonly works?: "by-calls";
  /** "others": runs beside its neighbours although it may change something; what only reads does anyway. */
  readonly beside?: "others";
  /** What the call is about. Looks, and changes nothing. */
  subjects(input: Input): Promise<readonly Subject[]>;
  /** In one line, for the person: a path, a command. */
  about(input: Input): string;
  /** What it would change now, for the user who is asked. Changes nothing itself. */
  preview?(input: Input): Promise<Preview | undefined>;
  /** Resolves soon after the signal aborts, having ended all that it started. Throws only for what is a fault of ours. */
  run(input: Input, call: ToolCall): Promise<ToolResult | Later>;
}

/** What a call would change, or why it would fail now: then the user is not asked. */
export type Preview =
  /** A unified diff. */
  | { readonly diff: string }
  | { readonly without: "not-text" | "too-different" }
  | { readonly refused: string };

/** The result is written when all calls of the step have ended, by whoever carries the call out. */
export type Later = "later";

/** The call that a tool works for. */
export interface ToolCall {
  readonly id: string;
  readonly signal: AbortSignal;
  /** The real paths that it was allowed to read or write: a link that leads elsewhere by now is not followed. */
  readonly places?: readonly string[];
  /** Of a command whose words were allowed: it must run so, and not as a shell would read it. */
  readonly plan?: CommandPlan | undefined;
  /** Live, for the person; what the model gets is the result. */
  readonly onOutput: (text: string) => void;
}

export interface ToolResult {
  readonly outcome: "ok" | "error" | "denied" | "interrupted";
  readonly parts: readonly Part[];
  /** Why it was denied, where the user did not say it in words of their own. */
  readonly reason?: CallReason | undefined;
  /** The files whose content the model now knows: Edit refuses where one has changed since. */
  readonly seen?: readonly Seen[] | undefined;
  /** Absolute paths that it wrote, where it knows all of them. */
  readonly touched?: readonly string[];
  /** The processes that it started: when the last of them had ended, or whether some go on. */
  readonly processes?: { readonly endedAt: number } | { readonly isRunning: () => boolean };
  /** What it changed where no snapshot looks, where it has followed that itself. */
  readonly outside?: readonly OutsideChange[] | undefined;
}

/** For a table of tools whose inputs differ. */
export function defineTool<Input>(tool: Tool<Input>): Tool {
  // Each is only ever given what its own schema has parsed, which the type of a mixed table cannot say.
  return tool as unknown as Tool;
}

export function done(text: string): ToolResult {
  return { outcome: "ok", parts: [textPart(text)] };
}

/** What the model can do something about: it is told what, and goes on. */
export function failed(text: string): ToolResult {
  return { outcome: "error", parts: [textPart(text)] };
}

export function interrupted(text = "Interrupted."): ToolResult {
  return { outcome: "interrupted", parts: [textPart(text)] };
}

/** A text that goes to the system, which takes none with a NUL. Refined, so that no pattern stands in the JSON Schema. */
export function systemText(description: string): z.ZodString {
  return z
    .string()
    .min(1)
    .refine((text) => !text.includes("\0"), "must not contain a NUL character")
    .describe(description);
}

/**
 * The schema, with fields that models add out of habit and that say nothing here: they are dropped instead of refused,
 * and the model is not told of them.
 */
export function tolerating<Input>(fields: readonly string[], schema: z.ZodType<Input>): z.ZodType<Input> {
  return z.preprocess((value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).filter(([key]) => !fields.includes(key)));
  }, schema);
}

const MAX_ISSUES = 5;

/** What the model is told of arguments that no tool takes. */
export const MALFORMED_INPUT = `Invalid arguments: they are not JSON, not an object, or nested in more than ${MAX_INPUT_DEPTH} levels. Call the tool again with one JSON object.`;

/** The tool as the model is told of it. Keys stand as the schema declares them, so the bytes are the same each time. */
export function specOf(tool: Tool): ToolSpec {
  return { name: tool.name, description: tool.description, parameters: parametersOf(tool) };
}

/** For the model of a session: what a server says of its tools could carry the session's tag. */
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

/** Bounds that every integer has in JavaScript would only cost tokens. */
function trim(schema: { maximum?: number | undefined; minimum?: number | undefined }): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}

/** The arguments of a call as its tool takes them, or what is wrong with them, for the model. */
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

const controls = /[\p{Cc}]/gu;
const lineBreaks = /[\r\n\t\p{Zl}\p{Zp}]+/gu;
const MAX_LINE_CHARACTERS = 200;
const MAX_END_CHARACTERS = 60;
const BLANKS: BlankWords = {
  spaces: (count) => `⋯ ${count} spaces ⋯`,
  blanks: (count) => `⋯ ${count} blank characters ⋯`,
  lines: (count) => `⋯ ${count} blank lines ⋯`,
};

/** The first characters of a text. Never half of a pair: providers refuse a request with a lone surrogate. */
export function firstCharacters(text: string, count: number): string {
  const cut = text.slice(0, count);
  return isHighSurrogate(cut.charCodeAt(cut.length - 1)) && cut.length < text.length ? cut.slice(0, -1) : cut;
}

export function lastCharacters(text: string, count: number): string {
  if (count <= 0) return "";
  const cut = text.slice(-count);
  return isLowSurrogate(cut.charCodeAt(0)) && cut.length < text.length ? cut.slice(1) : cut;
}

/** What a program printed, with control characters as pictures. Tabs stay; all kinds of line breaks become one. */
export function visible(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(controls, (each) => (each === "\n" || each === "\t" ? each : pictureOf(each)));
}

/** A name that stands on a line of its own: line breaks in it are pictures too. */
export function visibleName(name: string): string {
  return name.replace(controls, pictureOf);
}

/** For the one line in which a person is told what a call is about: its beginning and its end, without long runs of blanks. */
export function oneLine(text: string): string {
  const line = visible(condensedBlanks(text.trim(), BLANKS).replace(lineBreaks, " ")).trim();
  if (line.length <= MAX_LINE_CHARACTERS) return line;
  return `${firstCharacters(line, MAX_LINE_CHARACTERS - MAX_END_CHARACTERS)} … ${lastCharacters(line, MAX_END_CHARACTERS)}`;
}

export function plural(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** How many lines a text has; what follows the last line break counts when there is something. */
export function lineCount(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return text === "" || text.endsWith("\n") ? count : count + 1;
}

function pictureOf(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : "\ufffd";
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
