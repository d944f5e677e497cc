import { type Part, type ReplyPart, textOf } from "../../record/parts.ts";
import type { Context, ContextMessage } from "../../timeline/context/context.ts";

/** The purpose of a call that the worker makes. The call's id encodes the purpose, so that no state is needed. */
export interface Purpose {
  readonly aim: "ask" | "read" | "apply" | "test" | "again" | "back" | "revert";
  /** The candidate's id; "" for the first run of the test. */
  readonly candidate: string;
  /** The checkpoint before the step in which the candidate's try began. */
  readonly from: number;
}

/** A call with its result. */
export interface Answered extends Purpose {
  readonly outcome: "ok" | "error" | "denied" | "interrupted";
  readonly text: string;
}

/** Everything that the worker knows: the context is its only memory. */
export interface Reading {
  readonly prompt: string;
  /** The newest checkpoint that a backtrack may name. */
  readonly checkpoint: number | undefined;
  /** The calls since the prompt, in order. */
  readonly answered: readonly Answered[];
  /** The candidates that were tried according to the notes, with their results. */
  readonly noted: ReadonlyMap<string, string>;
}

export function callId({ aim, candidate, from }: Purpose): string {
  return `find-${from}-${aim}${candidate === "" ? "" : `-${candidate}`}`;
}

const CALL = /^find-(\d+)-(ask|read|apply|test|again|back|revert)(?:-(\S+))?$/u;
const MARKER = /^<system-([0-9a-z]+)>Checkpoint (\d+)(?:, context \d+ %)?<\/system-\1>$/u;

/** One line of a note for each candidate. The worker later reads these lines back. */
export function noteLine(candidate: string, about: string, outcome: string): string {
  return `- [${candidate}] ${about}: ${outcome}`;
}

/** The worker's own note is quoted in the context; in older sessions it is not. */
const NOTE_LINE = /^(?:> )?- (\[(\S+)\] [^\n]*)$/gmu;

export function readContext({ messages }: Context): Reading {
  const tag = tagIn(messages);
  const isOurs = (part: Part): boolean => tag !== undefined && isFramed(part, tag);
  const asked = messages.findLastIndex(
    (message) =>
      message.role === "user" && message.parts.some((part) => part.type === "text" && !isOurs(part)),
  );
  const prompt = messages[asked];
  const noted = new Map<string, string>();
  for (const part of messages.slice(Math.max(0, asked)).flatMap(partsOf)) {
    if (part.type !== "text" || !isOurs(part as Part)) continue;
    for (const [, line = "", id = ""] of part.text.matchAll(NOTE_LINE)) noted.set(id, line);
  }
  const numbers = messages.flatMap(partsOf).flatMap((part) => {
    const [, by, number] = part.type === "text" ? (MARKER.exec(part.text) ?? []) : [];
    return by === tag && number !== undefined ? [Number(number)] : [];
  });
  return {
    prompt: prompt === undefined ? "" : textOf(partsOf(prompt).filter((part) => !isOurs(part as Part))),
    checkpoint: numbers.at(-1),
    answered: messages.slice(asked + 1).flatMap((message) => answeredIn(message, isOurs)),
    noted,
  };
}

/** The first marker follows the user's first message, before any foreign text. */
function tagIn(messages: readonly ContextMessage[]): string | undefined {
  const first = messages.findIndex(({ role }) => role === "assistant");
  const before = first === -1 ? messages : messages.slice(0, first);
  const last = before.findLast(({ role }) => role === "user")?.parts.at(-1);
  return last?.type === "text" ? MARKER.exec(last.text)?.[1] : undefined;
}

function isFramed(part: Part, tag: string): boolean {
  if (part.type !== "text") return false;
  return part.text.startsWith(`<system-${tag}>`) && part.text.endsWith(`</system-${tag}>`);
}

function answeredIn(message: ContextMessage, isOurs: (part: Part) => boolean): readonly Answered[] {
  if (message.role !== "tool") return [];
  const [, from, aim, candidate = ""] = CALL.exec(message.call) ?? [];
  if (from === undefined || aim === undefined) return [];
  const { outcome, parts } = message;
  const text = textOf(parts.filter((part) => !isOurs(part)));
  return [{ aim: aim as Purpose["aim"], candidate, from: Number(from), outcome, text }];
}

function partsOf(message: ContextMessage): readonly (Part | ReplyPart)[] {
  return message.parts;
}
