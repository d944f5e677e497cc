import type { LeftBehind, TurnFiles } from "../../app/queries/query-types.ts";
import type { Entry } from "../../record/entry.ts";
import type { EntryId } from "../../record/ids.ts";
import type { Block } from "./block.ts";
import { Builder } from "./builder.ts";
import {
  type BuildContext,
  EMPTY_TRANSCRIPT,
  type Fill,
  type Fills,
  leftKey,
  NOTHING_BUILT,
  type StoryItem,
  type Transcript,
} from "./transcript.ts";

/**
 * Builds the conversation from entries, oldest first, while no turn is running. `earlier` says whether the timeline has
 * entries before them. A call without a result is treated as cut off.
 */
export function initialTranscript(entries: readonly Entry[], earlier: "yes" | "no"): Transcript {
  const { memory } = EMPTY_TRANSCRIPT;
  const story = [...entries.map((entry) => ({ entry })), { read: "here" } as const];
  return rebuilt({ ...EMPTY_TRANSCRIPT, earlier, memory: { ...memory, story } });
}

/**
 * Adds earlier entries at the beginning. All blocks are rebuilt, so that items that span two pages, such as a call and
 * its result, look as if they had been read at once.
 */
export function prependPage(
  transcript: Transcript,
  entries: readonly Entry[],
  earlier: "yes" | "no",
): Transcript {
  const { memory } = transcript;
  const story = [...entries.map((entry) => ({ entry })), ...memory.story];
  return rebuilt({ ...transcript, earlier, memory: { ...memory, story } });
}

/** Adds the next entry on the timeline. Ignores an entry that has already been applied. */
export function applyEntry(transcript: Transcript, entry: Entry): Transcript {
  if (entry.seq <= lastSeq(transcript)) return transcript;
  return append(afterJourney(transcript, entry), { entry });
}

/**
 * Adds the entries that a journey left behind, once they have been looked up. All blocks are rebuilt, because the
 * blocks for these entries must be inserted before the journey.
 */
export function fillLeft(
  transcript: Transcript,
  key: string,
  entries: readonly Entry[] | undefined,
): Transcript {
  const { memory } = transcript;
  const fills = new Map(memory.fills).set(key, { what: "left", items: entries?.map((entry) => ({ entry })) });
  return rebuilt({ ...transcript, memory: { ...memory, fills } });
}

/** Adds a block that is not on the timeline. The block keeps its place until the user rewinds to a point before it. */
export function addBlock(transcript: Transcript, make: (key: string) => Block): Transcript {
  const { memory } = transcript;
  const said = memory.noticeCount + 1;
  const added = append(transcript, { block: make(`said-${said}`) });
  return { ...added, memory: { ...added.memory, noticeCount: said } };
}

/**
 * Updates the conversation after a journey, so that it consists of the entries on the branch. Entries that a backtrack
 * left behind are kept for the builder, which shows them folded. Entries that a rewind left behind are on another
 * branch, as the user requested.
 */
function afterJourney(transcript: Transcript, entry: Entry): Transcript {
  if (entry.kind !== "backtrack" && entry.kind !== "rewind" && entry.kind !== "redo") return transcript;
  const { memory } = transcript;
  const at = memory.story.findLastIndex((item) => "entry" in item && item.entry.id === entry.parent);
  if (at === -1)
    return memory.story.some((item) => "entry" in item) ? { ...transcript, stale: "yes" } : transcript;
  const isLast = !memory.story.slice(at + 1).some((item) => "entry" in item);
  const left = { what: "left", items: isLast ? [] : memory.story.slice(at + 1) } as const;
  const fills =
    entry.kind === "backtrack" ? new Map(memory.fills).set(leftKey(entry.id), left) : memory.fills;
  if (isLast) return { ...transcript, memory: { ...memory, fills } };
  return rebuilt({ ...transcript, memory: { ...memory, story: memory.story.slice(0, at + 1), fills } });
}

function lastSeq({ memory: { story } }: Transcript): number {
  const last = story.findLast((item) => "entry" in item);
  return last !== undefined && "entry" in last ? last.entry.seq : 0;
}

function append(transcript: Transcript, item: StoryItem): Transcript {
  const { settled, memory } = transcript;
  const builder = new Builder({ blocks: settled, ...memory.built }, buildContext(memory.story, memory.fills));
  builder.apply(item);
  const story = [...memory.story, item];
  return { ...transcript, settled: builder.blocks, memory: { ...memory, story, built: builder.built } };
}

function rebuilt(transcript: Transcript): Transcript {
  const { story, fills } = transcript.memory;
  const builder = builtFrom(story, fills);
  return { ...transcript, settled: builder.blocks, memory: { ...transcript.memory, built: builder.built } };
}

function builtFrom(story: readonly StoryItem[], fills: Fills): Builder {
  const builder = new Builder({ blocks: [], ...NOTHING_BUILT }, buildContext(story, fills));
  for (const item of story) builder.apply(item);
  return builder;
}

function buildContext(story: readonly StoryItem[], fills: Fills): BuildContext {
  return {
    fills,
    numberOf: (checkpoint) => {
      const item = story.findLast((each) => "entry" in each && each.entry.id === checkpoint);
      return item !== undefined && "entry" in item && "number" in item.entry ? item.entry.number : undefined;
    },
  };
}

/** Replaces a block that is not on the timeline with its new state. */
export function replaceBlock(transcript: Transcript, block: Block): Transcript {
  const { settled, memory } = transcript;
  const newer = (item: StoryItem): StoryItem =>
    "block" in item && item.block.key === block.key ? { block } : item;
  return {
    ...transcript,
    settled: settled.map((each) => (each.key === block.key ? block : each)),
    memory: { ...memory, story: memory.story.map(newer) },
  };
}

/** A lookup that a block needs before it can be drawn completely. */
export type Unfilled =
  | { readonly what: "files"; readonly key: string; readonly of: EntryId }
  | { readonly what: "card" | "left"; readonly key: string; readonly journey: EntryId }
  | { readonly what: "compaction"; readonly key: string; readonly compaction: EntryId };

const NO_FILES: TurnFiles = { files: [], more: 0 };
/** The counts to use if the abandoned entries can no longer be counted. In that case, nothing is shown. */
const NOTHING_LEFT: LeftBehind = { entries: 0, tokens: 0 };

/**
 * Returns the lookups that these blocks still need. The files of a running turn arrive as an event when the turn ends.
 */
export function unfilled({ turn, memory }: Transcript, blocks: readonly Block[]): readonly Unfilled[] {
  const current = turn === "runs" ? memory.built.turn?.prompt : undefined;
  return blocks.map(itself).flatMap((block): Unfilled[] => {
    if (block.kind === "files" && block.files === undefined && block.of !== current) {
      return [{ what: "files", key: block.key, of: block.of }];
    }
    if (block.kind === "card" && block.left === undefined) {
      return [{ what: "card", key: block.key, journey: block.journey }];
    }
    if (block.kind === "left" && block.holds === undefined) {
      return [{ what: "left", key: block.key, journey: block.journey }];
    }
    if (isUncounted(block) && !memory.fills.has(block.key)) {
      return [{ what: "compaction", key: block.key, compaction: block.key as EntryId }];
    }
    return [];
  });
}

/** Returns the block itself, without the wrapper for blocks that a journey left behind. */
function itself(block: Block): Block {
  return block.kind === "left-item" ? itself(block.block) : block;
}

function isUncounted(block: Block): boolean {
  return (
    block.kind === "happening" && block.happening.what === "compaction" && block.happening.after === undefined
  );
}

/**
 * Adds the files of a turn after they were looked up. The files are undefined if they are no longer known. In that
 * case, none are shown. Files that the agent emitted during the lookup take precedence, because the lookup may have run
 * before the last capture.
 */
export function fillFiles(transcript: Transcript, key: string, files: TurnFiles | undefined): Transcript {
  return transcript.memory.fills.has(key) ? transcript : setFiles(transcript, key, files ?? NO_FILES);
}

/** Sets the files that the agent itself has emitted. */
export function setFiles(transcript: Transcript, key: string, files: TurnFiles): Transcript {
  return fill(transcript, key, { what: "files", files });
}

export function fillCard(transcript: Transcript, key: string, left: LeftBehind | undefined): Transcript {
  return fill(transcript, key, { what: "card", left: left ?? NOTHING_LEFT });
}

/** Keeps the blocks of a call's sub-agent after the call has ended. */
export function keepBelow(transcript: Transcript, call: string): Transcript {
  const known = transcript.running.get(call)?.block;
  if (known === undefined || known.below.length === 0) return transcript;
  return fill(transcript, known.key, { what: "below", blocks: known.below });
}

export function fillCompaction(transcript: Transcript, key: string, after: number | undefined): Transcript {
  return fill(transcript, key, { what: "compaction", after });
}

function fill(transcript: Transcript, key: string, known: Fill): Transcript {
  const { settled, memory } = transcript;
  const fills = new Map(memory.fills).set(key, known);
  const filled = settled.map((block) => (block.key === key ? filledBlock(block, known) : block));
  return { ...transcript, settled: filled, memory: { ...memory, fills } };
}

function filledBlock(block: Block, known: Fill): Block {
  if (block.kind === "left-item") return { ...block, block: filledBlock(block.block, known) };
  if (block.kind === "files" && known.what === "files") return { ...block, ...known.files };
  if (block.kind === "card" && known.what === "card") return { ...block, left: known.left };
  if (block.kind === "happening" && block.happening.what === "compaction" && known.what === "compaction") {
    return { ...block, happening: { ...block.happening, after: known.after } };
  }
  return block;
}
