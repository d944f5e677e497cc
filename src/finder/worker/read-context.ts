import { type Part, type ReplyPart, textOf } from "../../record/parts.ts";
import type { Context, ContextMessage } from "../../timeline/context/context.ts";
import { isFramed, readMarker, unquoteLines } from "../../timeline/context/notices.ts";

/**
 * The purpose of a call made by the worker. The call's id encodes the purpose, so the worker does not have to keep any
 * state.
 */
export interface Purpose {
  readonly aim: "ask" | "read" | "apply" | "test" | "again" | "back" | "revert";
  /** The candidate's id, or "" for the first run of the test. */
  readonly candidate: string;
  /** The checkpoint before the step where the candidate's try began. */
  readonly from: number;
}

/** A call made by the worker, with its result. */
export interface Answered extends Purpose {
  readonly outcome: "ok" | "error" | "denied" | "interrupted";
  readonly text: string;
}

/** Everything that the worker needs to decide, read from the context, which is its only memory. */
export interface Reading {
  readonly prompt: string;
  /** The newest checkpoint that a backtrack can return to. */
  readonly checkpoint: number | undefined;
  /** The calls since the prompt, in order. */
  readonly answered: readonly Answered[];
  /** The lines in the note about candidates that were tried, by candidate id. */
  readonly noted: ReadonlyMap<string, string>;
}

export function callId({ aim, candidate, from }: Purpose): string {
  return `find-${from}-${aim}${candidate === "" ? "" : `-${candidate}`}`;
}

const CALL = /^find-(\d+)-(ask|read|apply|test|again|back|revert)(?:-(\S+))?$/u;

/** Returns the line of a note that describes a candidate. The worker later reads such lines back. */
export function noteLine(candidate: string, about: string, outcome: string): string {
  return `- [${candidate}] ${about}: ${outcome}`;
}

const NOTE_LINE = /^- (\[(\S+)\] [^\n]*)$/gmu;

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
    for (const [, line = "", id = ""] of unquoteLines(part.text).matchAll(NOTE_LINE)) noted.set(id, line);
  }
  const numbers = messages.flatMap(partsOf).flatMap((part) => {
    const marker = readMarker(part as Part);
    return marker !== undefined && marker.tag === tag ? [marker.number] : [];
  });
  return {
    prompt: prompt === undefined ? "" : textOf(partsOf(prompt).filter((part) => !isOurs(part as Part))),
    checkpoint: numbers.at(-1),
    answered: messages.slice(asked + 1).flatMap((message) => answeredIn(message, isOurs)),
    noted,
  };
}

/** Returns the session's tag. The first marker follows the user's first message, before any foreign text. */
function tagIn(messages: readonly ContextMessage[]): string | undefined {
  const first = messages.findIndex(({ role }) => role === "assistant");
  const before = first === -1 ? messages : messages.slice(0, first);
  const last = before.findLast(({ role }) => role === "user")?.parts.at(-1);
  return last === undefined ? undefined : readMarker(last as Part)?.tag;
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
