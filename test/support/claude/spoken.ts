import type { Json, JsonObject } from "../../../src/record/parts.ts";
import {
  blocksOf,
  objectsOf,
  stringOf,
  textOfContent,
} from "../../../src/testing/model-server/wires/wire.ts";
import type { ReceivedRequest } from "../../../src/testing/testing.ts";

/** A message in normalized form; empty fields are absent. */
export interface SpokenMessage {
  readonly role: "user" | "assistant";
  /** The SDK's summary of everything before its compaction. */
  readonly summary?: string;
  /** One item per block: the SDK joins consecutive prompts, but not their blocks. */
  readonly text?: readonly string[];
  /** Prompts sent during the turn, which the SDK passes on to the model in its own words. */
  readonly meanwhile?: readonly string[];
  readonly calls?: readonly { readonly name: string; readonly input: Json }[];
  /** In the order of the calls, not in the order in which the tools ended. */
  readonly results?: readonly { readonly text: string; readonly isError?: true }[];
}

/** The conversation of a request without what the SDK adds, so that tests can compare all of it. */
export function spoken(request: ReceivedRequest): readonly SpokenMessage[] {
  const messages = joined(turnsOf(request));
  const calls = messages.flatMap(({ blocks }) =>
    blocks.filter(isType("tool_use")).map((block) => block["id"]),
  );
  return messages.map(({ role, blocks, added }) => {
    const texts = blocks.map(textOf);
    const results = blocks
      .filter(isType("tool_result"))
      .sort((a, b) => calls.indexOf(a["tool_use_id"]) - calls.indexOf(b["tool_use_id"]));
    return {
      role: role === "assistant" ? "assistant" : "user",
      ...unlessEmpty("summary", texts.flatMap(summaryIn)[0]),
      ...unlessEmpty("text", texts.flatMap(wordsIn)),
      ...unlessEmpty("meanwhile", [...texts, ...added].flatMap(meanwhileIn)),
      ...unlessEmpty("calls", blocks.filter(isType("tool_use")).map(callOf)),
      ...unlessEmpty("results", results.map(resultOf)),
    };
  });
}

/**
 * What the SDK adds: reminders in messages, and messages of role "system". The output of hooks arrives this
 * way.
 */
export function additions(request: ReceivedRequest): readonly string[] {
  return turnsOf(request).flatMap(({ role, blocks }) => {
    const texts = blocks.map(textOf);
    if (role === "system") return texts;
    return texts.flatMap((text) => [...text.matchAll(REMINDERS)].map(([, inside = ""]) => inside.trim()));
  });
}

const REMINDERS = /<system-reminder>([\s\S]*?)<\/system-reminder>\s*/gu;
/** Traces of slash commands such as /compact, which the model is told about. */
const COMMANDS = /^<(local-command-caveat|command-name|local-command-stdout|local-command-stderr)>/u;
const CONTINUED =
  /^This session is being continued from a previous conversation[\s\S]*?\nSummary:\n([\s\S]*?)\n\nIf you need/u;
const HANDED_BACK = /^\[Subagent hand-back\][\s\S]*?The report follows:\n([\s\S]*?)\nagentId: /u;

const MEANWHILE =
  /The user sent a new message while you were working:\n([\s\S]*?)\n\nThis is how Claude Code/gu;

interface Turn {
  readonly role: string;
  readonly blocks: readonly JsonObject[];
}

interface JoinedTurn extends Turn {
  /** The texts of the "system" messages that follow it. */
  readonly added: readonly string[];
}

function turnsOf({ body }: ReceivedRequest): readonly Turn[] {
  const { messages } = body as JsonObject;
  return objectsOf(messages).map((message) => ({
    role: stringOf(message["role"]),
    blocks: blocksOf(message["content"]),
  }));
}

function joined(turns: readonly Turn[]): readonly JoinedTurn[] {
  const all: JoinedTurn[] = [];
  for (const turn of turns) {
    const last = all.at(-1);
    const place = all.length - 1;
    if (last !== undefined && turn.role === "system") {
      all[place] = { ...last, added: [...last.added, ...turn.blocks.map(textOf)] };
    } else if (last?.role === turn.role) all[place] = { ...last, blocks: [...last.blocks, ...turn.blocks] };
    else all.push({ ...turn, added: [] });
  }
  return all;
}

function isType(type: string): (block: JsonObject) => boolean {
  return (block) => block["type"] === type;
}

function textOf(block: JsonObject): string {
  return block["type"] === "text" ? stringOf(block["text"]) : "";
}

function summaryIn(text: string): readonly string[] {
  const summary = CONTINUED.exec(text)?.[1];
  return summary === undefined ? [] : [summary];
}

function meanwhileIn(text: string): readonly string[] {
  return [...text.matchAll(MEANWHILE)].map(([, words = ""]) => words);
}

function wordsIn(text: string): readonly string[] {
  // The SDK puts a line break between joined prompts.
  const words = text.replaceAll(REMINDERS, "").replace(/\n$/u, "");
  return words === "" || COMMANDS.test(words) || CONTINUED.test(text) ? [] : [words];
}

function callOf(block: JsonObject): { readonly name: string; readonly input: Json } {
  return { name: stringOf(block["name"]), input: block["input"] ?? null };
}

function resultOf(block: JsonObject): { readonly text: string; readonly isError?: true } {
  const text = textOfContent(block["content"]).replaceAll(REMINDERS, "");
  // The SDK wraps a sub-agent's report in a frame with ids and times.
  const report = HANDED_BACK.exec(text)?.[1]?.replaceAll(/^ {2}/gmu, "");
  return { text: report ?? text, ...(block["is_error"] === true ? { isError: true } : {}) };
}

function unlessEmpty<Name extends string, Value extends { readonly length: number }>(
  name: Name,
  value: Value | undefined,
): { readonly [Key in Name]?: Value } {
  return (value === undefined || value.length === 0 ? {} : { [name]: value }) as {
    readonly [Key in Name]?: Value;
  };
}
