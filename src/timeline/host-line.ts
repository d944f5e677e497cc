import { nearest } from "./branch.ts";
import { promptOf } from "./checkpoints.ts";
import type { Outline } from "./outline.ts";
import { isCheckpoint, type Row } from "./row.ts";

/** The line that says what another agent calls the prompt of this checkpoint; none where no other one was given it. */
export function hostLineOf(outline: Outline, checkpoint: Row): Row | undefined {
  if (checkpoint.kind !== "checkpoint") return undefined;
  const prompt = promptOf(outline, checkpoint);
  return prompt === undefined ? undefined : hostLineOfPrompt(outline, prompt);
}

/** The same, for who has the prompt itself. */
export function hostLineOfPrompt(outline: Outline, prompt: Row): Row | undefined {
  return [prompt.seq + 1, prompt.seq + 2]
    .map((seq) => outline.at(seq))
    .find((row) => row?.kind === "host" && promptAbove(outline, row)?.seq === prompt.seq);
}

/** The checkpoint that such a line belongs to; none for a line that names another message than a prompt. */
export function checkpointOfHostLine(outline: Outline, line: Row): Row | undefined {
  const checkpoint = nearest(outline, promptAbove(outline, line), isCheckpoint);
  if (checkpoint === undefined) return undefined;
  return hostLineOf(outline, checkpoint)?.seq === line.seq ? checkpoint : undefined;
}

/** Written with the prompt; only a line that begins a file may have come in between. */
function promptAbove(outline: Outline, line: Row): Row | undefined {
  const above = outline.at(line.parent);
  const prompt = above?.kind === "rotated" ? outline.at(above.parent) : above;
  return prompt?.kind === "prompt" ? prompt : undefined;
}
