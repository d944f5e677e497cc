import type { Block } from "./block.ts";
import type { Told, Transcript } from "./transcript.ts";

/** Puts a block that is not on the timeline in the place of its earlier state. */
export function replaceBlock(transcript: Transcript, block: Block): Transcript {
  const { settled, memory } = transcript;
  const newer = (told: Told): Told => ("block" in told && told.block.key === block.key ? { block } : told);
  return {
    ...transcript,
    settled: settled.map((each) => (each.key === block.key ? block : each)),
    memory: { ...memory, story: memory.story.map(newer) },
  };
}
