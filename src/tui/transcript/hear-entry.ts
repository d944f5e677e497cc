import type { Entry } from "../../record/entry.ts";
import type { Block } from "./block.ts";
import { Builder } from "./building/builder.ts";
import { type Known, leftKey, NOTHING_BUILT } from "./building/built.ts";
import { EMPTY_TRANSCRIPT, type Fills, type Told, type Transcript } from "./transcript.ts";

/**
 * The conversation that these entries tell, oldest first, while no turn runs; `earlier`: whether there are more before them.
 * A call without its result was cut.
 */
export function initialTranscript(entries: readonly Entry[], earlier: "yes" | "no"): Transcript {
  const { memory } = EMPTY_TRANSCRIPT;
  const story = [...entries.map((entry) => ({ entry })), { read: "here" } as const];
  return rebuilt({ ...EMPTY_TRANSCRIPT, earlier, memory: { ...memory, story } });
}

/**
 * Puts earlier entries before the first. All is built anew, so that what lies across the border of two pages, such as a call
 * and its result, is as if it had been read at once.
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

/** The next entry of the timeline. One that was heard before changes nothing. */
export function hearEntry(transcript: Transcript, entry: Entry): Transcript {
  if (entry.seq <= lastSeq(transcript)) return transcript;
  return append(landed(transcript, entry), { entry });
}

/** What a journey left, as it was looked up. All is built anew, because it stands where it was: before its journey. */
export function fillLeft(
  transcript: Transcript,
  key: string,
  entries: readonly Entry[] | undefined,
): Transcript {
  const { memory } = transcript;
  const fills = new Map(memory.fills).set(key, { what: "left", told: entries?.map((entry) => ({ entry })) });
  return rebuilt({ ...transcript, memory: { ...memory, fills } });
}

/** A block that is not on the timeline. It stays where it was said, until the person goes back to before it. */
export function addBlock(transcript: Transcript, make: (key: string) => Block): Transcript {
  const { memory } = transcript;
  const said = memory.said + 1;
  const told = append(transcript, { block: make(`said-${said}`) });
  return { ...told, memory: { ...told.memory, said } };
}

/**
 * After a journey the conversation is what lies on the branch. What the agent left by itself is kept for the builder, which shows
 * it folded; what the person left by a rewind is on another branch, as they wanted.
 */
function landed(transcript: Transcript, entry: Entry): Transcript {
  if (entry.kind !== "backtrack" && entry.kind !== "rewind" && entry.kind !== "redo") return transcript;
  const { memory } = transcript;
  const at = memory.story.findLastIndex((told) => "entry" in told && told.entry.id === entry.parent);
  if (at === -1)
    return memory.story.some((told) => "entry" in told) ? { ...transcript, stale: "yes" } : transcript;
  const isLast = !memory.story.slice(at + 1).some((told) => "entry" in told);
  const left = { what: "left", told: isLast ? [] : memory.story.slice(at + 1) } as const;
  const fills =
    entry.kind === "backtrack" ? new Map(memory.fills).set(leftKey(entry.id), left) : memory.fills;
  if (isLast) return { ...transcript, memory: { ...memory, fills } };
  return rebuilt({ ...transcript, memory: { ...memory, story: memory.story.slice(0, at + 1), fills } });
}

function lastSeq({ memory: { story } }: Transcript): number {
  const last = story.findLast((told) => "entry" in told);
  return last !== undefined && "entry" in last ? last.entry.seq : 0;
}

function append(transcript: Transcript, told: Told): Transcript {
  const { settled, memory } = transcript;
  const builder = new Builder({ blocks: settled, ...memory.built }, knownIn(memory.story, memory.fills));
  builder.tell(told);
  const story = [...memory.story, told];
  return { ...transcript, settled: builder.blocks, memory: { ...memory, story, built: builder.built } };
}

function rebuilt(transcript: Transcript): Transcript {
  const { story, fills } = transcript.memory;
  const builder = builtFrom(story, fills);
  return { ...transcript, settled: builder.blocks, memory: { ...transcript.memory, built: builder.built } };
}

function builtFrom(story: readonly Told[], fills: Fills): Builder {
  const builder = new Builder({ blocks: [], ...NOTHING_BUILT }, knownIn(story, fills));
  for (const told of story) builder.tell(told);
  return builder;
}

function knownIn(story: readonly Told[], fills: Fills): Known {
  return {
    fills,
    numberOf: (checkpoint) => {
      const told = story.findLast((each) => "entry" in each && each.entry.id === checkpoint);
      return told !== undefined && "entry" in told && "number" in told.entry ? told.entry.number : undefined;
    },
  };
}
