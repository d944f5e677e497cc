import { gapBetween, layOut } from "../transcript/drawing/lay-out.ts";
import { unfilled } from "../transcript/fill.ts";
import { fillLeft, initialTranscript } from "../transcript/hear-entry.ts";
import type { DrawEntries } from "../travel/tree-flow.ts";

/** A place of the tree as the conversation would show it, all unfolded: who looks at it wants to know. */
export const drawPlace: DrawEntries = (entries, width, look) => {
  const read = initialTranscript(entries, "no");
  // What a backtrack left is another place of the tree; its entry has the prompts that it took along.
  const { settled, live } = unfilled(read, read.settled)
    .filter(({ what }) => what === "left")
    .reduce((transcript, { key }) => fillLeft(transcript, key, undefined), read);
  const blocks = [...settled, ...live];
  const layout = { width, folds: "unfolded", display: "card" } as const;
  return blocks.flatMap((block, index) => {
    const lines = layOut(block, layout, look);
    const above = blocks[index - 1];
    const gap = above === undefined || lines.length === 0 ? 0 : gapBetween(above, block, layout);
    return [...Array.from({ length: gap }, () => ""), ...lines];
  });
};
