import { createHash } from "node:crypto";
import { isJsonObject, type Json, type JsonObject } from "../../../record/parts.ts";
import {
  blocksOf,
  type CacheBlock,
  canonical,
  imagesIn,
  joinPieces,
  objectOf,
  objectsOf,
  type Piece,
  type ReadRequest,
  stringOf,
  textOfContent,
} from "./wire.ts";

/** Maximum number of marks that Anthropic allows in one request. */
const MAX_MARKS = 4;

export function readAnthropic(body: JsonObject): ReadRequest {
  return {
    model: stringOf(body["model"]),
    system: textOfContent(body["system"]),
    messages: joinPieces(objectsOf(body["messages"]).flatMap(piecesOfMessage)),
    tools: objectsOf(body["tools"]).map((tool) => stringOf(tool["name"])),
    blocks: cacheBlocks(body),
    answer: body["stream"] === true ? "stream" : "whole",
  };
}

function piecesOfMessage(message: JsonObject): readonly Piece[] {
  const role = spokenRoles.find((known) => known === message["role"]) ?? "user";
  return blocksOf(message["content"]).map((block) => pieceOf(role, block));
}

const spokenRoles = ["user", "assistant", "system"] as const;

function pieceOf(role: (typeof spokenRoles)[number], block: JsonObject): Piece {
  switch (block["type"]) {
    case "text":
      return { role, text: stringOf(block["text"]) };
    case "image":
      return { role, images: 1 };
    case "tool_use":
      return {
        role,
        call: { id: stringOf(block["id"]), name: stringOf(block["name"]), input: block["input"] ?? null },
      };
    case "tool_result":
      return {
        role: "tool",
        result: {
          id: stringOf(block["tool_use_id"]),
          text: textOfContent(block["content"]),
          isError: block["is_error"] === true,
        },
        images: imagesIn(block["content"]),
      };
    default:
      return { role };
  }
}

function cacheBlocks(body: JsonObject): readonly CacheBlock[] {
  const blocks = [
    ...objectsOf(body["tools"]).map((tool) => cacheBlock("tool", tool)),
    ...systemBlocks(body).map((block) => cacheBlock("system", block)),
    ...objectsOf(body["messages"]).flatMap((message) =>
      blocksOf(message["content"]).map((block) => cacheBlock(stringOf(message["role"]), block)),
    ),
  ];
  const last = blocks.at(-1);
  if (!isMark(body["cache_control"]) || last === undefined) return blocks;
  return [...blocks.slice(0, -1), { ...last, mark: "marked" }];
}

function cacheBlock(kind: string, block: JsonObject): CacheBlock {
  return { text: `${kind} ${canonical(block)}`, mark: marksOn(block) > 0 ? "marked" : "plain" };
}

function systemBlocks(body: JsonObject): readonly JsonObject[] {
  return body["system"] === undefined ? [] : blocksOf(body["system"]);
}

function isMark(value: Json | undefined): boolean {
  return value !== undefined && value !== null;
}

/** Counts the marks on a block. The marks on a tool result are on the blocks inside the result. */
function marksOn(block: JsonObject): number {
  const inside = block["type"] === "tool_result" ? objectsOf(block["content"]) : [];
  return [block, ...inside].filter((each) => isMark(each["cache_control"])).length;
}

export function* anthropicProblems(body: JsonObject): Generator<string> {
  if (stringOf(body["model"]) === "") yield "model: field required";
  if (typeof body["max_tokens"] !== "number") yield "max_tokens: field required";
  const messages = objectsOf(body["messages"]);
  if (messages.length === 0) yield "messages: at least one message is required";
  if (messages[0]?.["role"] !== "user") yield "messages: first message must use the user role";
  yield* systemProblems(body);
  yield* toolProblems(body);
  for (const [index, message] of messages.entries()) {
    yield* messageProblems(message, `messages.${index}`);
  }
  yield* placeProblems(messages);
  yield* pairProblems(messages);
  yield* endProblems(messages.at(-1));
}

function* systemProblems(body: JsonObject): Generator<string> {
  for (const [index, block] of systemBlocks(body).entries()) {
    if (stringOf(block["text"]).trim() === "") {
      yield `system.${index}: text content blocks must contain non-whitespace text`;
    }
  }
  const marked = [
    ...objectsOf(body["tools"]),
    ...systemBlocks(body),
    ...objectsOf(body["messages"]).flatMap((message) => blocksOf(message["content"])),
  ];
  const marks = marked.reduce((sum, block) => sum + marksOn(block), isMark(body["cache_control"]) ? 1 : 0);
  if (marks > MAX_MARKS) {
    yield `A maximum of ${MAX_MARKS} blocks with cache_control may be provided. Found ${marks}.`;
  }
}

function* toolProblems(body: JsonObject): Generator<string> {
  const names = objectsOf(body["tools"]).map((tool) => stringOf(tool["name"]));
  for (const [index, name] of names.entries()) {
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name)) yield `tools.${index}.name: string should match pattern`;
  }
  if (new Set(names).size < names.length) yield "tools: Tool names must be unique.";
}

function* messageProblems(message: JsonObject, at: string): Generator<string> {
  const role = message["role"];
  if (blocksOfRole[stringOf(role)] === undefined) yield `${at}.role: unexpected role ${JSON.stringify(role)}`;
  const blocks = blocksOf(message["content"]);
  if (blocks.length === 0 && !setsOutput(message)) yield `${at}: all messages must have non-empty content`;
  for (const [index, block] of blocks.entries()) {
    yield* blockProblems(block, stringOf(role), `${at}.content.${index}`);
  }
}

/**
 * Checks whether the message contains configuration for the output. A message with the role "system" can configure the
 * output instead of containing text.
 */
function setsOutput(message: JsonObject): boolean {
  return message["role"] === "system" && Object.keys(objectOf(message["output_config"])).length > 0;
}

/**
 * Yields problems with the positions of instructions. Newer models accept instructions between the messages, but only
 * if the model's turn comes next.
 */
function* placeProblems(messages: readonly JsonObject[]): Generator<string> {
  for (const [index, { role }] of messages.entries()) {
    if (role !== "system") continue;
    const at = `messages.${index}`;
    const next = messages[index + 1]?.["role"];
    if (messages[index - 1]?.["role"] !== "user") yield `${at}: role 'system' must follow a user message`;
    if (next !== undefined && next !== "assistant") {
      yield `${at}: role 'system' must be last or be followed by an assistant message`;
    }
  }
}

const blocksOfRole: Readonly<Record<string, readonly string[]>> = {
  user: ["text", "image", "document", "tool_result"],
  assistant: ["text", "tool_use", "thinking", "redacted_thinking"],
  system: ["text"],
};

function* blockProblems(block: JsonObject, role: string, at: string): Generator<string> {
  const type = stringOf(block["type"]);
  if (!blocksOfRole[role]?.includes(type)) yield `${at}: a block of type ${type} is not allowed for ${role}`;
  if (type === "text" && stringOf(block["text"]).trim() === "") {
    yield `${at}: text content blocks must contain non-whitespace text`;
  }
  if (type === "thinking") yield* thinkingProblems(block, at);
  if (type === "tool_use") yield* callProblems(block, at);
  if (type === "tool_result") {
    for (const inside of objectsOf(block["content"])) {
      if (inside["type"] === "text" && inside["text"] === "") {
        yield `${at}.content: text content blocks must be non-empty`;
      }
    }
  }
}

function* thinkingProblems(block: JsonObject, at: string): Generator<string> {
  if (isMark(block["cache_control"])) yield `${at}: cache_control cannot be set on thinking blocks`;
  if (typeof block["signature"] !== "string") yield `${at}.thinking.signature: field required`;
  if (block["signature"] !== signatureOf(stringOf(block["thinking"]))) {
    yield `${at}: Invalid \`signature\` in \`thinking\` block`;
  }
}

function* callProblems(block: JsonObject, at: string): Generator<string> {
  if (!/^[a-zA-Z0-9_-]+$/.test(stringOf(block["id"]))) yield `${at}.tool_use.id: string should match pattern`;
  if (!/^[a-zA-Z0-9_-]{1,200}$/.test(stringOf(block["name"]))) {
    yield `${at}.tool_use.name: string should match pattern`;
  }
  if (!isJsonObject(block["input"])) yield `${at}.tool_use.input: input should be a valid dictionary`;
}

/**
 * Yields the problems with pairs of calls and results. Consecutive messages with the same role are treated as one
 * message, because the provider joins them before checking.
 */
function* pairProblems(messages: readonly JsonObject[]): Generator<string> {
  const seen = new Set<string>();
  let open: readonly string[] = [];
  for (const turn of turnsOf(messages)) {
    const results = idsIn(turn.blocks, "tool_result", "tool_use_id");
    const missing = open.filter((id) => !results.includes(id));
    if (missing.length > 0) {
      yield `${turn.at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}`;
    }
    yield* resultProblems(turn, results, open);
    open = idsIn(turn.blocks, "tool_use", "id");
    for (const id of open) {
      if (seen.has(id)) yield `${turn.at}: \`tool_use\` ids must be unique: ${id}`;
      seen.add(id);
    }
  }
  if (open.length > 0) {
    yield `messages: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}`;
  }
}

interface Turn {
  readonly at: string;
  readonly role: Json | undefined;
  readonly blocks: readonly JsonObject[];
}

function turnsOf(messages: readonly JsonObject[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (const [index, message] of messages.entries()) {
    if (message["role"] === "system") continue;
    const last = turns.at(-1);
    const blocks = blocksOf(message["content"]);
    if (last?.role === message["role"] && last !== undefined) {
      turns[turns.length - 1] = { ...last, blocks: [...last.blocks, ...blocks] };
    } else turns.push({ at: `messages.${index}`, role: message["role"], blocks });
  }
  return turns;
}

function* resultProblems(turn: Turn, results: readonly string[], open: readonly string[]): Generator<string> {
  const unexpected = results.find((id) => !open.includes(id));
  if (unexpected !== undefined) {
    yield `${turn.at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${unexpected}`;
  }
  if (new Set(results).size < results.length) {
    yield `${turn.at}: each tool_use must have a single result, found several with one id`;
  }
  const firstOther = turn.blocks.findIndex((block) => block["type"] !== "tool_result");
  const lastResult = turn.blocks.findLastIndex((block) => block["type"] === "tool_result");
  if (lastResult > firstOther && firstOther !== -1) {
    yield `${turn.at}: \`tool_result\` blocks must come before all other content`;
  }
}

function idsIn(blocks: readonly JsonObject[], type: string, field: string): readonly string[] {
  return blocks.filter((block) => block["type"] === type).map((block) => stringOf(block[field]));
}

function* endProblems(last: JsonObject | undefined): Generator<string> {
  if (last?.["role"] !== "assistant") return;
  const text = stringOf(objectOf(blocksOf(last["content"]).at(-1))["text"]);
  if (/\s$/.test(text)) yield "messages: final assistant content cannot end with trailing whitespace";
}

/**
 * Returns a signature for thinking. A provider signs thinking, and accepts only thinking that it has signed. This
 * signature can be checked without being stored.
 */
export function signatureOf(thinking: string): string {
  return `scripted-${createHash("sha256").update(thinking).digest("base64")}`;
}
