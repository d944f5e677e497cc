import { z } from "zod";
import type { ToolSpec } from "../../ports/model.ts";
import { isJsonObject, type Json, type JsonObject, MAX_INPUT_DEPTH } from "../../record/json.ts";
import { breakTag, breakTagInJson, type Framing } from "../../timeline/context/foreign-text.ts";
import type { Tool } from "./tool.ts";

const MOST_ISSUES = 5;

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
  const issues = parsed.error.issues.slice(0, MOST_ISSUES).map((issue) => issueText(issue, json));
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
