import type { LeftBehind, TurnFiles } from "../../app/queries/query-types.ts";
import type { Entry } from "../../record/entry.ts";
import type { EntryId } from "../../record/ids.ts";
import type { Block, CallBlock } from "./block.ts";
import type { Chunks } from "./chunks.ts";

/**
 * The conversation as it is shown: what has settled, and what still changes at its end. What has settled follows from the
 * entries alone, so that it is the same whether it was heard live or read again.
 */
export interface Transcript {
  readonly settled: readonly Block[];
  readonly live: readonly Block[];
  /** Whether the timeline holds more before the first of them. */
  readonly earlier: "yes" | "no" | "loading";
  /** By the call's id: what is known of calls that run, beyond what is written down. */
  readonly running: ReadonlyMap<string, RunningCall>;
  readonly turn: "runs" | "none";
  /** "yes": a journey led to before the first of them, and all must be read again. */
  readonly stale: "yes" | "no";
  readonly memory: Memory;
}

export interface RunningCall {
  readonly block: CallBlock;
  /** The conversation of the sub-agent that does the call's work. */
  readonly agent?: Transcript;
}

/** What the next event needs to know. */
interface Memory {
  /** Kept whole, because going back and loading earlier pages build the blocks anew: no block is ever repaired by guessing. */
  readonly story: readonly StoryItem[];
  readonly built: Built;
  readonly fills: Fills;
  /** The part of the reply that still arrives, at the end of `live`. */
  readonly run: LiveRun | undefined;
  /** How many blocks have been said, for their keys. */
  readonly noticeCount: number;
}

/** An entry; a block that is not on the timeline; or the point where a read ended and nothing was running. */
export type StoryItem = { readonly entry: Entry } | { readonly block: Block } | { readonly read: "here" };

/** By the block's key: what had to be looked up. */
export type Fills = ReadonlyMap<string, Fill>;
export type Fill =
  | { readonly what: "files"; readonly files: TurnFiles }
  | { readonly what: "card"; readonly left: LeftBehind }
  | { readonly what: "compaction"; readonly after: number | undefined }
  /** What a backtrack or a redo left, oldest first; undefined where the log does not have it, such as in a fork. */
  | { readonly what: "left"; readonly items: readonly StoryItem[] | undefined }
  /** What was heard of a sub-agent: its own log tells it, and is not read again. */
  | { readonly what: "below"; readonly blocks: readonly Block[] };

export interface LiveRun {
  readonly of: "text" | "thinking" | "calls";
  /** Where in `live` it begins; for a text, the place of its last piece. */
  readonly at: number;
  readonly chunks: Chunks;
}

export const NOTHING_BUILT: Built = {
  open: [],
  todos: "[]",
  turn: undefined,
  checkpoint: undefined,
  failure: undefined,
};

export const EMPTY_TRANSCRIPT: Transcript = {
  settled: [],
  live: [],
  earlier: "no",
  running: new Map(),
  turn: "none",
  stale: "no",
  memory: { story: [], built: NOTHING_BUILT, fills: new Map(), run: undefined, noticeCount: 0 },
};

/** Where the page before this begins to be read from. */
export function oldestEntry({ memory: { story } }: Transcript): EntryId | undefined {
  const oldest = story.find((told) => "entry" in told);
  return oldest !== undefined && "entry" in oldest ? oldest.entry.id : undefined;
}

/** What the builder must know of the entries so far, besides the blocks that it made. */
export interface Built {
  readonly open: readonly OpenCall[];
  /** The todos that were shown last, as JSON. */
  readonly todos: string;
  readonly turn: Turn | undefined;
  /** The number of the checkpoint before the next prompt. */
  readonly checkpoint: number | undefined;
  /** The place of the last failure: the next one counts as another try. */
  readonly failure: number | undefined;
}

/** A call without its result, and the place of its block. */
export interface OpenCall {
  readonly call: string;
  readonly at: number;
  readonly from: "reply" | "person";
  /** When it began, in milliseconds; undefined until then. */
  readonly since: number | undefined;
}

/** The turn that the entries stand in. */
export interface Turn {
  /** Or the backtrack that says it again. */
  readonly prompt: EntryId;
  /** "begun": nothing was done yet. "ended": its files are told at `files`. */
  readonly state: "begun" | "works" | "ended";
  /** The place of the block with its files, if there is one. */
  readonly files: number | undefined;
}

/** What the entries themselves do not say. */
export interface BuildContext {
  readonly fills: Fills;
  /** Of a checkpoint that was told of before. */
  numberOf(checkpoint: EntryId): number | undefined;
}

/** The key of what a journey left. */
export function leftKey(journey: EntryId): string {
  return `left-${journey}`;
}
