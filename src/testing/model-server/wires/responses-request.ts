import type { Json, JsonObject } from "../../../record/parts.ts";
import {
  canonical,
  imagesIn,
  joinPieces,
  objectsOf,
  type Piece,
  parsed,
  stringOf,
  textOfContent,
} from "./reading.ts";
import type { ReadRequest } from "./wire.ts";

export function readResponses(body: JsonObject): ReadRequest {
  const items = itemsOf(body);
  const instructions = stringOf(body["instructions"]);
  return {
    model: stringOf(body["model"]),
    system: [instructions, ...items.filter(isInstruction).map((item) => textOfContent(item["content"]))]
      .filter((text) => text !== "")
      .join("\n"),
    messages: joinPieces(items.filter((item) => !isInstruction(item)).map(pieceOf)),
    tools: objectsOf(body["tools"]).map((tool) => stringOf(tool["name"])),
    blocks: [
      ...objectsOf(body["tools"]).map(canonical),
      ...(instructions === "" ? [] : [canonical(instructions)]),
      ...items.map(canonical),
    ].map((text) => ({ text, mark: "plain" })),
    answer: body["stream"] === true ? "stream" : "whole",
  };
}

function itemsOf(body: JsonObject): readonly JsonObject[] {
  const input = body["input"];
  return typeof input === "string" ? [{ role: "user", content: input }] : objectsOf(input);
}

/** Messages may leave their type out. */
function typeOf(item: JsonObject): string {
  return item["type"] === undefined && item["role"] !== undefined ? "message" : stringOf(item["type"]);
}

function isInstruction(item: JsonObject): boolean {
  return typeOf(item) === "message" && (item["role"] === "system" || item["role"] === "developer");
}

function pieceOf(item: JsonObject): Piece {
  const id = stringOf(item["call_id"]);
  switch (typeOf(item)) {
    case "function_call":
      return {
        role: "assistant",
        call: { id, name: stringOf(item["name"]), input: parsed(stringOf(item["arguments"])) ?? null },
      };
    case "function_call_output":
      return {
        role: "tool",
        result: { id, text: textOfContent(item["output"]), isError: false },
        images: imagesIn(item["output"]),
      };
    case "message":
      return {
        role: item["role"] === "assistant" ? "assistant" : "user",
        text: textOfContent(item["content"]),
        images: imagesIn(item["content"]),
      };
    default:
      return { role: "assistant" };
  }
}

export function* responsesProblems(body: JsonObject): Generator<string> {
  if (stringOf(body["model"]) === "") yield "Missing required parameter: 'model'.";
  const items = itemsOf(body);
  const first = items.find((item) => !isInstruction(item));
  if (first === undefined) yield "Missing required parameter: 'input'.";
  if (first?.["role"] !== "user") yield "input: first message must use the user role";
  for (const [index, item] of items.entries()) {
    yield* itemProblems(item, `input[${index}]`);
    if (typeOf(item) === "reasoning") yield* reasoningProblems(item, items[index + 1]);
  }
  const ids = items.map((item) => stringOf(item["id"])).filter((id) => id !== "");
  const twice = ids.find((id, index) => ids.indexOf(id) < index);
  if (twice !== undefined)
    yield `Duplicate item found with id ${twice}. Remove duplicate items from your input.`;
  yield* pairProblems(items);
}

function* itemProblems(item: JsonObject, at: string): Generator<string> {
  switch (typeOf(item)) {
    case "message":
      if (!["system", "developer", "user", "assistant"].includes(stringOf(item["role"]))) {
        yield `Invalid value: '${stringOf(item["role"])}' - '${at}.role'`;
      }
      yield* contentProblems(item, at);
      return;
    case "function_call":
      if (!/^[a-zA-Z0-9_-]+$/.test(stringOf(item["name"]))) yield `Invalid '${at}.name'`;
      if (parsed(stringOf(item["arguments"])) === undefined)
        yield `Invalid '${at}.arguments': not valid JSON`;
      yield* idProblems(item["call_id"], at);
      return;
    case "function_call_output":
      if (item["output"] === undefined) yield `Missing required parameter: '${at}.output'`;
      yield* idProblems(item["call_id"], at);
      return;
    case "reasoning":
      return;
    case "item_reference":
      yield `Item with id '${stringOf(item["id"])}' not found. Items are not persisted by this server.`;
      return;
    default:
      yield `Invalid value: '${stringOf(item["type"])}' - '${at}.type'`;
  }
}

/** What the model wrote is output, what anyone else wrote is input. */
function* contentProblems(item: JsonObject, at: string): Generator<string> {
  const allowed = item["role"] === "assistant" ? /^(output_text|refusal)$/ : /^input_/;
  for (const [index, block] of objectsOf(item["content"]).entries()) {
    const type = stringOf(block["type"]);
    if (!allowed.test(type)) yield `Invalid value: '${type}' - '${at}.content[${index}]'`;
  }
}

function* idProblems(id: Json | undefined, at: string): Generator<string> {
  const text = stringOf(id);
  if (text === "") yield `Missing required parameter: '${at}.call_id'`;
  if (text.length > 64) yield `Invalid '${at}.call_id': string too long, at most 64 characters`;
}

function* reasoningProblems(item: JsonObject, next: JsonObject | undefined): Generator<string> {
  const follows = next === undefined ? "" : typeOf(next);
  const answered =
    follows === "function_call" ||
    follows === "reasoning" ||
    (follows === "message" && next?.["role"] === "assistant");
  if (!answered) {
    yield `Item '${stringOf(item["id"])}' of type 'reasoning' was provided without its required following item.`;
  }
}

function* pairProblems(items: readonly JsonObject[]): Generator<string> {
  const calls = placesOf(items, "function_call");
  const outputs = placesOf(items, "function_call_output");
  for (const [id, [place = -1, ...more]] of outputs) {
    const [called = Number.POSITIVE_INFINITY] = calls.get(id) ?? [];
    if (called > place) yield `No tool call found for function call output with call_id ${id}.`;
    if (more.length > 0) yield `Several function call outputs with call_id ${id}.`;
  }
  for (const [id, places] of calls) {
    if (places.length > 1) yield `Duplicate call_id in function calls: ${id}.`;
    if (!outputs.has(id)) yield `No tool output found for function call ${id}.`;
  }
}

function placesOf(items: readonly JsonObject[], type: string): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [index, item] of items.entries()) {
    const id = stringOf(item["call_id"]);
    if (typeOf(item) === type) places.set(id, [...(places.get(id) ?? []), index]);
  }
  return places;
}
