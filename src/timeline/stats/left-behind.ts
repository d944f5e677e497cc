import type { EntryOf } from "../../record/entry.ts";
import type { Outline } from "../outline.ts";
import { isEntryToCount, type Row } from "../row.ts";
import { contextTokens } from "../tokens/count.ts";

/** What one backtrack left. */
export interface LeftBehind {
  readonly entries: number;
  readonly tokens: number;
}

/** Nothing where the place that it left from is lost, or in a fork, which does not have it. */
export function leftBehind(outline: Outline, backtrack: EntryOf<"backtrack">): LeftBehind {
  const from = outline.byId(backtrack.from);
  const landing = outline.at(outline.at(backtrack.seq)?.parent ?? 0);
  if (from === undefined || landing === undefined) return { entries: 0, tokens: 0 };
  const tokens = contextTokens(outline, from) - contextTokens(outline, landing);
  return { entries: distance(outline, from, landing), tokens: Math.max(0, tokens) };
}

function distance(outline: Outline, from: Row, landing: Row): number {
  let count = 0;
  let row: Row | undefined = from;
  while (row !== undefined && row.seq > landing.seq) {
    if (isEntryToCount(row)) count += 1;
    row = outline.at(row.parent);
  }
  return count;
}

/**
 * By line of each reply: how many tokens its request did not carry, because backtracks before it on its own branch had
 * left them. Parents stand above their children, so that one pass over the log is enough.
 */
export function notSentByReply(
  outline: Outline,
  leftByLine: ReadonlyMap<number, LeftBehind>,
): ReadonlyMap<number, number> {
  const carried = new Map<number, number>();
  const notSent = new Map<number, number>();
  for (const row of outline.rows()) {
    const before = carried.get(row.parent) ?? 0;
    if (row.kind === "reply" && before !== 0) notSent.set(row.seq, before);
    const now = afterRow(row, before, leftByLine);
    if (now !== 0) carried.set(row.seq, now);
  }
  return notSent;
}

/** What requests behind `row` do not carry, where those behind its parent did not carry `before`. */
export function afterRow(row: Row, before: number, leftByLine: ReadonlyMap<number, LeftBehind>): number {
  if (row.kind === "compaction") return 0;
  const left = row.kind === "backtrack" ? leftByLine.get(row.seq) : undefined;
  return left === undefined ? before : before + left.tokens - row.estimate;
}
