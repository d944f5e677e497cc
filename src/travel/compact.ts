import type { CompactionBody, DraftOf } from "../record/entry.ts";
import { WorldlineError } from "../record/error.ts";
import { branchOf } from "../timeline/branch.ts";
import type { Outline, Row } from "../timeline/outline.ts";
import type { Journey } from "./journey.ts";
import { requireHead } from "./rewind.ts";

export interface CompactionRequest {
  readonly summary: string;
  /** Raw estimate of the summary as the model will see it. */
  readonly summaryEstimate: number;
  /** How many exchanges (a reply with its results) stay as they are. */
  readonly keep: number;
  readonly reason: CompactionBody["reason"];
  readonly focus?: string;
  readonly tokensBefore: number;
}

/** Decides a compaction: by reference, so that the log grows by the summary and nothing else. */
export function planCompaction(outline: Outline, request: CompactionRequest): Journey {
  const head = requireHead(outline);
  const { kept, pinned } = compactionCut(outline, request.keep);
  const firstKept = kept[0] ?? head;
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
    kept: system + summaryEstimate + shown.reduce((sum, row) => sum + row.estimate, 0),
  };
  return { reason: "compaction", moves: [{ do: "append", parent: head.id, body }] };
}

export interface CompactionCut {
  /** What the summary will stand for. */
  readonly summarised: readonly Row[];
  readonly kept: readonly Row[];
  readonly pinned: readonly Row[];
}

/**
 * Where a compaction cuts. Cuts fall only behind a finished exchange, so a call is never parted
 * from its result, and the prompt that is being worked on is kept even when it lies before the cut.
 */
export function compactionCut(outline: Outline, keep: number): CompactionCut {
  const rows = sinceCompaction(branchOf(outline));
  const replies = rows.flatMap((row, index) => (row.kind === "reply" ? [index] : []));
  const firstKeptReply = replies.at(-Math.max(1, keep)) ?? 0;
  const cut = startOfExchange(rows, firstKeptReply);
  const summarised = rows.slice(0, cut).filter((row) => isContent(row));
  if (replies.length <= keep || summarised.length === 0) {
    throw new WorldlineError("NOTHING_TO_COMPACT", "Nothing to compact.", {
      hint: `The last ${keep} exchanges always stay as they are.`,
    });
  }
  const lastPrompt = rows.findLastIndex((row) => row.kind === "prompt");
  const prompt = lastPrompt >= 0 && lastPrompt < cut ? rows[lastPrompt] : undefined;
  return {
    summarised: summarised.filter((row) => row !== prompt),
    kept: rows.slice(cut),
    pinned: prompt === undefined ? [] : [prompt],
  };
}

/** What came before is in the summary of the last compaction already. */
function sinceCompaction(branch: readonly Row[]): readonly Row[] {
  const last = branch.findLastIndex((row) => row.kind === "compaction");
  return last === -1 ? branch.slice(1) : branch.slice(last);
}

/** Right behind the reply or result before `reply`: prompts and notices in between go with it. */
function startOfExchange(rows: readonly Row[], reply: number): number {
  let start = reply;
  while (start > 0 && !endsExchange(rows[start - 1])) start -= 1;
  return start;
}

function endsExchange(row: Row | undefined): boolean {
  return row?.kind === "reply" || row?.kind === "tool-end" || row?.kind === "compaction";
}

function isContent(row: Row): boolean {
  return ["prompt", "reply", "tool-end", "notice", "backtrack", "compaction"].includes(row.kind);
}
