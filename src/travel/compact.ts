import type { CompactionBody, DraftOf, EntryOf } from "../record/entry.ts";
import { WorldlineError } from "../record/error.ts";
import type { EntryId } from "../record/ids.ts";
import { shownLines } from "../timeline/context/context.ts";
import type { Outline } from "../timeline/outline.ts";
import type { Row } from "../timeline/row.ts";
import { isCopied } from "./fork.ts";
import type { Journey } from "./rewind.ts";
import { requireHead } from "./rewind.ts";

/** Data that, in addition to the outline, determines where a compaction cuts the conversation. */
export interface CutRequest {
  /** The number of exchanges (a reply with its results) that stay unchanged in the context. */
  readonly keep: number;
  /** The compaction in effect at the head, if there is one. */
  readonly last: EntryOf<"compaction"> | undefined;
  /** Backtracks whose notes repeat the user's requests on the abandoned path, word for word. */
  readonly asking: ReadonlySet<EntryId>;
  /** The last line of each reply's results; see `reachesOf`. */
  readonly reaches: ReadonlyMap<number, number>;
}

export interface CompactionRequest extends CutRequest {
  readonly summary: string;
  /** The raw token estimate of the summary, in the form that the model will see. */
  readonly summaryEstimate: number;
  readonly reason: CompactionBody["reason"];
  readonly focus?: string;
  readonly tokensBefore: number;
  /** The model that wrote the summary, and its token usage. */
  readonly by?: Required<Pick<CompactionBody, "model" | "usage">>;
}

/**
 * Plans a compaction. The compaction's entry refers to other entries instead of copying them, so that the log grows
 * only by the length of the summary.
 */
export function planCompaction(outline: Outline, request: CompactionRequest): Journey {
  const head = requireHead(outline);
  const { kept, pinned } = compactionCut(outline, request);
  // A fork does not copy all kinds of lines, but it must be able to find this line.
  const firstKept = kept.find(isCopied) ?? head;
  const { summary, reason, tokensBefore, focus, summaryEstimate } = request;
  const shown = [...pinned, ...kept].filter((row) => row.kind !== "step" && row.kind !== "compaction");
  const system = outline.at(1)?.estimate ?? 0;
  const body: DraftOf<"compaction"> = {
    kind: "compaction",
    summary,
    firstKept: firstKept.id,
    pinned: pinned.map((row) => row.id),
    reason,
    ...(focus === undefined ? {} : { focus }),
    tokensBefore,
    ...request.by,
    kept: system + summaryEstimate + shown.reduce((sum, row) => sum + row.estimate, 0),
  };
  return { reason: "compaction", moves: [{ do: "append", parent: head.id, body }] };
}

export interface CompactionCut {
  /** The entries that the summary will replace. */
  readonly summarised: readonly Row[];
  readonly kept: readonly Row[];
  readonly pinned: readonly Row[];
}

/**
 * Determines where a compaction cuts the conversation. The cut is after a complete exchange, so that a call is never
 * separated from its result. The current prompt is kept even if it comes before the cut.
 */
export function compactionCut(outline: Outline, request: CutRequest): CompactionCut {
  const keep = Math.max(1, request.keep);
  const rows = shownRows(outline, request.last);
  const replies = rows.flatMap((row, index) => (row.kind === "reply" ? [index] : []));
  const cut = wholeExchanges(rows, startOfExchange(rows, replies.at(-keep) ?? 0), request.reaches);
  const before = rows.slice(0, cut).filter(isContent);
  if (replies.length <= keep || before.length === 0) {
    throw new WorldlineError("nothing-to-compact", { kept: keep });
  }
  const isAsk = (row: Row): boolean => row.kind === "prompt" || request.asking.has(row.id);
  const lastAsk = rows.findLastIndex(isAsk);
  const pinned = rows.slice(0, cut).filter((_, index) => index === lastAsk);
  return {
    summarised: [...earlierSummary(outline, request.last), ...before.filter((row) => !pinned.includes(row))],
    kept: rows.slice(cut),
    pinned,
  };
}

/**
 * The rows that are currently in the context. Includes the rows that the last compaction kept, because no summary
 * covers these rows yet.
 */
function shownRows(outline: Outline, last: CutRequest["last"]): readonly Row[] {
  const { pinned, entries } = shownLines(outline, outline.head, last);
  return [...pinned, ...entries].flatMap((line) => outline.at(line) ?? []);
}

/**
 * The compaction that contains the earlier summary. The earlier summary will no longer be shown, so the new summary
 * must cover it as well.
 */
function earlierSummary(outline: Outline, last: CutRequest["last"]): readonly Row[] {
  const row = last === undefined ? undefined : outline.at(last.seq);
  return row === undefined ? [] : [row];
}

/**
 * The position directly after the last reply or result before `reply`. Prompts and notices in between are part of the
 * same exchange as `reply`.
 */
function startOfExchange(rows: readonly Row[], reply: number): number {
  return rows.findLastIndex((row, index) => index < reply && endsExchange(row)) + 1;
}

/** Moves the cut up until each call before the cut also has its result before the cut. */
function wholeExchanges(rows: readonly Row[], cut: number, reaches: CutRequest["reaches"]): number {
  let at = cut;
  for (let index = at - 1; index >= 0; index = Math.min(index, at) - 1) {
    const reach = reaches.get(rows[index]?.seq ?? 0) ?? 0;
    if (reach >= (rows[at]?.seq ?? 0)) at = startOfExchange(rows, index);
  }
  return at;
}

function endsExchange(row: Row): boolean {
  return row.kind === "reply" || row.kind === "tool-end" || row.kind === "compaction";
}

function isContent(row: Row): boolean {
  return ["prompt", "reply", "tool-end", "notice", "backtrack"].includes(row.kind);
}
