import type { EntryOf } from "../../record/entry.ts";
import { isOnBranch } from "../branch.ts";
import type { Outline } from "../outline.ts";
import { isEntryToCount, type Row } from "../row.ts";
import { contextTokens } from "../tokens/count.ts";

/** What one backtrack left. */
export interface LeftBehind {
  readonly entries: number;
  readonly tokens: number;
}

/** A backtrack's way, by its lines: it left from `from`, and went back to `landing`. */
export interface WayLeft extends LeftBehind {
  readonly from: number;
  readonly landing: number;
}

/** Nothing where the place that it left from is lost, or in a fork, which does not have it. */
export function leftBehind(outline: Outline, backtrack: EntryOf<"backtrack">): LeftBehind {
  const { entries, tokens } = wayLeftBy(outline, backtrack);
  return { entries, tokens };
}

export function wayLeftBy(outline: Outline, { seq, from: left }: EntryOf<"backtrack">): WayLeft {
  const from = outline.byId(left);
  const landing = outline.at(outline.at(seq)?.parent ?? 0);
  if (from === undefined || landing === undefined) return { entries: 0, tokens: 0, from: 0, landing: 0 };
  const tokens = contextTokens(outline, from, seq) - contextTokens(outline, landing, seq);
  return {
    entries: distance(outline, from, landing),
    tokens: Math.max(0, tokens),
    from: from.seq,
    landing: landing.seq,
  };
}

/**
 * The tokens that backtracks took out of the context, each counted once: not those that a redo has brought back, and not
 * again where the same stretch of the log was left a second time.
 */
export function savedByBacktracks(outline: Outline, ways: Iterable<WayLeft>): number {
  const left = new Set<number>();
  let tokens = 0;
  for (const way of [...ways].sort((a, b) => b.from - a.from)) {
    const from = outline.at(way.from);
    if (from === undefined || left.has(way.from) || isOnBranch(outline, from)) continue;
    tokens += way.tokens;
    let row: Row | undefined = from;
    while (row !== undefined && row.seq > way.landing) {
      left.add(row.seq);
      row = outline.at(row.parent);
    }
  }
  return tokens;
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

/** What requests after `row` do not carry, where those after its parent did not carry `before`. */
function afterRow(row: Row, before: number, leftByLine: ReadonlyMap<number, LeftBehind>): number {
  if (row.kind === "compaction") return 0;
  const left = row.kind === "backtrack" ? leftByLine.get(row.seq) : undefined;
  return left === undefined ? before : before + left.tokens - row.estimate;
}
