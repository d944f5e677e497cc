import type { LeftBehind, TurnFiles } from "../../app/queries/query-types.ts";
import type { Entry } from "../../record/entry.ts";
import type { EntryId } from "../../record/ids.ts";
import type { Block, CallBlock } from "./block.ts";
import type { Chunks } from "./chunks.ts";

/**
 * The conversation as it is shown: the settled blocks, and the blocks at its end that still change. The settled
 * blocks follow from the entries alone, so they are the same whether the conversation was followed live or read from
 * the log.
 */
export interface Transcript {
  readonly settled: readonly Block[];
  readonly live: readonly Block[];
  /** Whether the timeline has entries before the first block. */
  readonly earlier: "yes" | "no" | "loading";
  /** Facts about running calls that their entries do not contain, by the call's id. */
  readonly running: ReadonlyMap<string, RunningCall>;
  readonly turn: "runs" | "none";
  /** "yes": a journey led to a place before the first block, so everything must be read again. */
  readonly stale: "yes" | "no";
  readonly memory: Memory;
}

export interface RunningCall {
  readonly block: CallBlock;
  /** The conversation of the sub-agent that works for the call. */
  readonly agent?: Transcript;
}

/** The state that the next event needs. */
interface Memory {
  /**
   * All items are kept, because going back and loading earlier pages rebuild the blocks from them; blocks are never
   * patched by guessing.
   */
  readonly story: readonly StoryItem[];
  readonly built: Built;
  readonly fills: Fills;
  /** The part of the reply that is still arriving, at the end of `live`. */
  readonly run: LiveRun | undefined;
  /** How many notices there have been, for the keys of their blocks. */
  readonly noticeCount: number;
}

/** An entry; a block that is not on the timeline; or the point at which a read ended while nothing was running. */
export type StoryItem = { readonly entry: Entry } | { readonly block: Block } | { readonly read: "here" };

/** The results of lookups, by the block's key. */
export type Fills = ReadonlyMap<string, Fill>;
export type Fill =
  | { readonly what: "files"; readonly files: TurnFiles }
  | { readonly what: "card"; readonly left: LeftBehind }
  | { readonly what: "compaction"; readonly after: number | undefined }
  /**
   * The items that a backtrack or redo left, oldest first; undefined if the log does not have them, such as in a fork.
   */
  | { readonly what: "left"; readonly items: readonly StoryItem[] | undefined }
  /** The blocks of a sub-agent that was followed live. They are in its own log, which is not read again. */
  | { readonly what: "below"; readonly blocks: readonly Block[] };

export interface LiveRun {
  readonly of: "text" | "thinking" | "calls";
  /** The index in `live` at which the run begins; for text, the index of its last piece. */
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

/** The entry before which the previous page ends. */
export function oldestEntry({ memory: { story } }: Transcript): EntryId | undefined {
  const oldest = story.find((item) => "entry" in item);
  return oldest !== undefined && "entry" in oldest ? oldest.entry.id : undefined;
}

/** Facts about the entries processed so far that the builder must remember in addition to its blocks. */
export interface Built {
  readonly open: readonly OpenCall[];
  /** The todos that were shown last, as JSON. */
  readonly todos: string;
  readonly turn: Turn | undefined;
  /** The number of the checkpoint before the next prompt. */
  readonly checkpoint: number | undefined;
  /** The index of the block of the last failure: the next failure counts as another attempt. */
  readonly failure: number | undefined;
}

/** A call without a result, and the index of its block. */
export interface OpenCall {
  readonly call: string;
  readonly at: number;
  readonly from: "reply" | "person";
  /** When the call began, in milliseconds; undefined before that. */
  readonly since: number | undefined;
}

/** The turn to which the entries belong. */
export interface Turn {
  /** The turn's prompt, or the backtrack that repeats it. */
  readonly prompt: EntryId;
  /** "begun": nothing has been done yet. "ended": the block at `files` lists the turn's files. */
  readonly state: "begun" | "works" | "ended";
  /** The index of the block with the turn's files, if there is one. */
  readonly files: number | undefined;
}

/** Facts that the builder needs in addition to the entries. */
export interface BuildContext {
  readonly fills: Fills;
  /** The number of a checkpoint in an earlier entry. */
  numberOf(checkpoint: EntryId): number | undefined;
}

/** The key of the blocks that a journey left. */
export function leftKey(journey: EntryId): string {
  return `left-${journey}`;
}
