import type { LeftBehind, TurnFiles } from "../../app/queries/query-types.ts";
import type { Entry } from "../../record/entry.ts";
import type { EntryId } from "../../record/ids.ts";
import type { Block, CallBlock } from "./block.ts";
import type { Chunks } from "./chunks.ts";

/**
 * The displayed conversation: settled blocks, and the blocks at its end that can still change. The settled blocks
 * depend only on the entries, so they are the same whether the conversation was followed live or read from the log.
 */
export interface Transcript {
  readonly settled: readonly Block[];
  readonly live: readonly Block[];
  /** Whether the timeline has entries before the first block. */
  readonly earlier: "yes" | "no" | "loading";
  /** Facts about running calls that their entries do not contain, by the call's id. */
  readonly running: ReadonlyMap<string, RunningCall>;
  readonly turn: "runs" | "none";
  /** "yes" means that a journey led to a place before the first block, so everything must be read again. */
  readonly stale: "yes" | "no";
  readonly memory: Memory;
}

export interface RunningCall {
  readonly block: CallBlock;
  /** The conversation of the sub-agent that the call started. */
  readonly agent?: Transcript;
}

/** State that is needed to apply the next event. */
interface Memory {
  /**
   * All items, oldest first. The items are kept because the blocks are rebuilt from them after going back and after
   * loading earlier pages.
   */
  readonly story: readonly StoryItem[];
  readonly built: Built;
  readonly fills: Fills;
  /** The part of the reply that is still arriving, at the end of `live`. */
  readonly run: LiveRun | undefined;
  /** Number of notices added; used in the keys of their blocks. */
  readonly noticeCount: number;
}

/**
 * An item from which the conversation is built: an entry, a block that is not on the timeline, or the point where a
 * read ended while nothing was running.
 */
export type StoryItem = { readonly entry: Entry } | { readonly block: Block } | { readonly read: "here" };

/** The results of lookups, by the block's key. */
export type Fills = ReadonlyMap<string, Fill>;
export type Fill =
  | { readonly what: "files"; readonly files: TurnFiles }
  | { readonly what: "card"; readonly left: LeftBehind }
  | { readonly what: "compaction"; readonly after: number | undefined }
  /**
   * The items that a backtrack or redo left behind, oldest first. Undefined if the log does not contain the items,
   * which can happen in a fork.
   */
  | { readonly what: "left"; readonly items: readonly StoryItem[] | undefined }
  /**
   * The blocks of a sub-agent that was followed live. The blocks are in the sub-agent's own log, and that log is not
   * read again.
   */
  | { readonly what: "below"; readonly blocks: readonly Block[] };

export interface LiveRun {
  readonly of: "text" | "thinking" | "calls";
  /** The index in `live` where the run begins. For text, this is the index of the last piece. */
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

/** Returns the oldest loaded entry. The previous page ends before this entry. */
export function oldestEntry({ memory: { story } }: Transcript): EntryId | undefined {
  const oldest = story.find((item) => "entry" in item);
  return oldest !== undefined && "entry" in oldest ? oldest.entry.id : undefined;
}

/** Facts about the processed entries that the builder must remember in addition to its blocks. */
export interface Built {
  readonly open: readonly OpenCall[];
  /** The todos that were shown last, as JSON. */
  readonly todos: string;
  readonly turn: Turn | undefined;
  /** The number of the checkpoint before the next prompt. */
  readonly checkpoint: number | undefined;
  /** The index of the block with the last failure. The next failure counts as another attempt. */
  readonly failure: number | undefined;
}

/** A call without a result, and the index of its block. */
export interface OpenCall {
  readonly call: string;
  readonly at: number;
  readonly from: "reply" | "person";
  /** When the call began, in milliseconds since 1970. Undefined until the call begins. */
  readonly since: number | undefined;
}

/** The turn that the entries belong to. */
export interface Turn {
  /** The turn's prompt, or the backtrack that repeats it. */
  readonly prompt: EntryId;
  /** "begun": the turn has not done anything yet. "ended": the block at `files` lists the turn's files. */
  readonly state: "begun" | "works" | "ended";
  /** The index of the block with the turn's files, if there is one. */
  readonly files: number | undefined;
}

/** Facts that the builder needs in addition to the entries. */
export interface BuildContext {
  readonly fills: Fills;
  /** Returns the number of a checkpoint that an earlier entry created. */
  numberOf(checkpoint: EntryId): number | undefined;
}

/** Returns the key of the block for the entries that a journey left behind. */
export function leftKey(journey: EntryId): string {
  return `left-${journey}`;
}
