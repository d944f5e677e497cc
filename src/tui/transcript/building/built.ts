import type { EntryId } from "../../../record/ids.ts";
import type { Fills } from "../transcript.ts";

/** What the builder must know of the entries so far, besides the blocks that it made. */
export interface Built {
  readonly open: readonly OpenCall[];
  /** The todos that were shown last, as JSON. */
  readonly todos: string;
  readonly turn: Turn | undefined;
  /** The number of the checkpoint that the next prompt stands behind. */
  readonly checkpoint: number | undefined;
  /** Where the failure stands that the next one would be a repetition of. */
  readonly failure: number | undefined;
}

/** A call without its result: where its block stands. */
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
  /** Where the block of its files stands, if one does. */
  readonly files: number | undefined;
}

/** What the entries themselves do not say. */
export interface Known {
  readonly fills: Fills;
  /** Of a checkpoint that was told of before. */
  numberOf(checkpoint: EntryId): number | undefined;
}

/** The key of what a journey left. */
export function leftKey(journey: EntryId): string {
  return `left-${journey}`;
}

export const NOTHING_BUILT: Built = {
  open: [],
  todos: "[]",
  turn: undefined,
  checkpoint: undefined,
  failure: undefined,
};
