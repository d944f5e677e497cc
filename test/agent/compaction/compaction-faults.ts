import type { Entry } from "../../../src/record/entry.ts";
import { OpenCalls } from "../../../src/timeline/calls.ts";
import type { ContextMessage } from "../../../src/timeline/context/context.ts";
import type { Look } from "./fuzz-compaction.ts";

interface Compaction {
  readonly before: Look;
  readonly after: Look;
  readonly keep: number;
  readonly tag: string;
  /** The entries of the branch, starting at the first one that the compaction kept. */
  readonly entries: readonly Entry[];
}

/** Lists the faults of a finished compaction, judging only by what the model sees. */
export function faultsIn({ before, after, keep, tag, entries }: Compaction): string[] {
  const then = withoutMarkers(before.messages, tag);
  const [summary, ...rest] = withoutMarkers(after.messages, tag);
  const [first, ...others] = rest;
  // One older message may be pinned ahead of the rest: the prompt that the agent is working on.
  const isTail = isSuffix(rest, then);
  const kept = isTail ? rest : others;
  return [
    ...(summary?.startsWith('{"role":"user"') ? [] : ["no summary"]),
    ...(isTail || (isSuffix(others, then) && first !== undefined && then.includes(first))
      ? []
      : ["not a tail"]),
    ...(kept[0]?.startsWith('{"role":"tool"') ? ["a result without its call"] : []),
    ...(hasLoneResult(entries) ? ["a result that was neither summarised nor is shown"] : []),
    ...(repliesIn(kept) >= Math.min(keep, repliesIn(then)) ? [] : ["too few exchanges"]),
    ...(rest.includes(lastPromptOf(then)) ? [] : ["the last prompt is gone"]),
    ...(after.tokens < before.tokens ? [] : ["the context has grown"]),
  ];
}

function hasLoneResult(entries: readonly Entry[]): boolean {
  const calls = new OpenCalls<{ readonly call: string }>();
  return entries.some((entry) => {
    if (entry.kind === "step") calls.seal();
    if (entry.kind === "reply") calls.open(entry.parts.filter((part) => part.type === "tool-call"));
    return entry.kind === "tool-end" && calls.take(entry.call) === undefined;
  });
}

/**
 * Drops checkpoint markers: those from before the compaction are hidden afterward, the only change allowed in
 * what is kept.
 */
function withoutMarkers(messages: readonly ContextMessage[], tag: string): string[] {
  const marker = `<system-${tag}>Checkpoint `;
  return messages.flatMap((message) => {
    const parts = message.parts.filter((part) => part.type !== "text" || !part.text.startsWith(marker));
    return parts.length === 0 && message.role === "user" ? [] : [JSON.stringify({ ...message, parts })];
  });
}

function isSuffix(tail: readonly string[], whole: readonly string[]): boolean {
  return tail.length <= whole.length && tail.every((text, index) => text === whole.at(index - tail.length));
}

function repliesIn(messages: readonly string[]): number {
  return messages.filter((text) => text.startsWith('{"role":"assistant"')).length;
}

/** Finds the user's last prompt; every prompt in the game begins with "Wish". */
function lastPromptOf(messages: readonly string[]): string {
  return (
    messages.findLast((text) => text.startsWith('{"role":"user","parts":[{"type":"text","text":"Wish')) ?? ""
  );
}
