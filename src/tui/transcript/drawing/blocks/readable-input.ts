import { isJsonObject, type Json } from "../../../../record/json.ts";

const DEEPEST = 4;

/** What a call was asked for, as a person would write it down: a name and what stands behind it, lists with dashes. */
export function readableInput(input: Json, depth = 0): readonly string[] {
  if (Array.isArray(input)) return input.flatMap((each) => listed(each, depth));
  if (!isJsonObject(input)) return String(input).split("\n");
  return Object.entries(input).flatMap(([name, value]) => named(name, value, depth));
}

function named(name: string, value: Json | undefined, depth: number): readonly string[] {
  if (value === undefined || value === null) return [];
  if (isNested(value) && depth >= DEEPEST) return [`${name}: ${JSON.stringify(value)}`];
  const lines = readableInput(value, depth + 1);
  const [first = ""] = lines;
  if (!isNested(value) && lines.length <= 1) return [`${name}: ${first}`];
  return [`${name}:`, ...lines.map((line) => `  ${line}`)];
}

function listed(value: Json, depth: number): readonly string[] {
  const lines = depth >= DEEPEST ? [JSON.stringify(value)] : readableInput(value, depth + 1);
  return lines.map((line, index) => `${index === 0 ? "-" : " "} ${line}`);
}

function isNested(value: Json): boolean {
  return typeof value === "object" && value !== null;
}
