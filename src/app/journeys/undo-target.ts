import { WorldlineError } from "../../record/error.ts";
import { commandOf } from "../../timeline/checkpoints.ts";
import type { Outline } from "../../timeline/outline.ts";
import { askedBefore, nearest } from "../../timeline/outline.ts";
import { isCheckpoint, type Row } from "../../timeline/row.ts";

/**
 * The checkpoint before the prompt, or the person's command, that so many of them back was the last one; throws where there
 * are not so many. A backtrack takes prompts along: the last of them is what was asked last, and only its work goes back.
 */
export function undoTarget(outline: Outline, prompts: number): Row {
  if (!Number.isSafeInteger(prompts) || prompts < 1) {
    throw new WorldlineError("prompts-not-a-number", { given: prompts });
  }
  let found = 0;
  for (let row = outline.head; row !== undefined; row = askedBefore(outline, row)) {
    const checkpoint = checkpointBefore(outline, row);
    if (checkpoint === undefined) continue;
    found += 1;
    if (found === prompts) return checkpoint;
  }
  throw tooMany(prompts, found);
}

function checkpointBefore(outline: Outline, row: Row): Row | undefined {
  if (row.kind === "prompt") return promptCheckpoint(outline, row);
  return row.kind === "tool-start" ? commandCheckpoint(outline, row) : undefined;
}

/** None for a call of the agent's: that belongs to its prompt. */
function commandCheckpoint(outline: Outline, start: Row): Row | undefined {
  const above = nearest(outline, outline.at(start.parent), isCheckpoint);
  if (above?.kind !== "checkpoint") return undefined;
  return commandOf(outline, above)?.seq === start.seq ? above : undefined;
}

/** What was imported, or damaged, may have a prompt without one. */
function promptCheckpoint(outline: Outline, prompt: Row): Row | undefined {
  const above = nearest(
    outline,
    outline.at(prompt.parent),
    (row) => isCheckpoint(row) || row.kind === "prompt",
  );
  return above?.kind === "checkpoint" ? above : undefined;
}

function tooMany(prompts: number, found: number): WorldlineError {
  return found === 0
    ? new WorldlineError("nothing-to-take-back", {})
    : new WorldlineError("fewer-prompts", { wanted: prompts, found });
}
