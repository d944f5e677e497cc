import type { EntryId } from "../record/ids.ts";
import { shapeOf } from "../record/visible-text.ts";
import { linesOfBranch, NearestAbove, nearest, type Outline } from "./outline.ts";
import { isAboutPlace, isCheckpoint, isCheckpointKind, type Row } from "./row.ts";

/** A checkpoint as it is shown in lists. */
export interface CheckpointPlace {
  readonly row: Row;
  readonly number: number;
  /** "here": on the current branch. "left": on a branch that a journey left. */
  readonly branch: "here" | "left";
}

/** All checkpoints of the session, including those on abandoned branches, oldest first. */
export function checkpointsOf(outline: Outline): CheckpointPlace[] {
  const here = linesOfBranch(outline);
  const places: CheckpointPlace[] = [];
  for (let seq = 1; seq <= outline.length; seq += 1) {
    const row = isCheckpointKind(outline.kindAt(seq)) ? outline.at(seq) : undefined;
    if (row === undefined) continue;
    places.push({ row, number: row.number, branch: here.has(row.seq) ? "here" : "left" });
  }
  return places;
}

/** Finds a checkpoint by its number. Relies on the kinds of entries, never on their text. */
export function findCheckpoint(outline: Outline, number: number): Row | undefined {
  for (let seq = outline.length; seq >= 1; seq -= 1) {
    if (!isCheckpointKind(outline.kindAt(seq))) continue;
    const row = outline.at(seq);
    if (row?.number === number) return row;
  }
  return undefined;
}

/** The steps that the agent can go back to: those on its branch after the last compaction. */
export function usableSteps(outline: Outline): Row[] {
  const steps: Row[] = [];
  for (let row = outline.head; row !== undefined; row = outline.at(row.parent)) {
    if (row.kind === "compaction") break;
    if (row.kind === "step") steps.push(row);
  }
  return steps.reverse();
}

/**
 * Returns an object that finds the prompt that a step belongs to. To find the prompts for many steps, use a single
 * instance, so that the log is traversed only once.
 */
export function promptsAbove(outline: Outline): NearestAbove {
  return new NearestAbove(outline, (kind) => kind === "prompt", "asked");
}

/** The prompt that a checkpoint was created for, or the prompt of the turn that a step is part of. */
export function promptOf(
  outline: Outline,
  checkpoint: Row,
  above: NearestAbove = promptsAbove(outline),
): Row | undefined {
  if (checkpoint.kind === "step") return above.of(checkpoint);
  for (let seq = checkpoint.seq + 1; seq <= outline.length; seq += 1) {
    const row = outline.at(seq);
    // The entry for the checkpoint's snapshot may come between the checkpoint and the prompt.
    if (row?.kind === "prompt" && nearest(outline, row, isCheckpoint)?.seq === checkpoint.seq) return row;
    if (row !== undefined && isCheckpoint(row)) return undefined;
  }
  return undefined;
}

/**
 * The `tool-start` entry of the command that the user ran, if the checkpoint was created for a command. Only entries
 * about the checkpoint, such as its snapshot or label, may come in between. Calls by the agent are never found, because
 * they come after a reply.
 */
export function commandOf(outline: Outline, checkpoint: Row): Row | undefined {
  for (let seq = checkpoint.seq + 1; seq <= outline.length; seq += 1) {
    const row = outline.at(seq);
    if (row === undefined || isAboutPlace(row)) continue;
    const isStart = row.kind === "tool-start" && nearest(outline, row, isCheckpoint)?.seq === checkpoint.seq;
    return isStart ? row : undefined;
  }
  return undefined;
}

/** The current labels of checkpoints. The last `label` entry for a checkpoint counts, regardless of its branch. */
export type LabelsById = ReadonlyMap<EntryId, string>;

/**
 * Another label that is easily mistaken for `label`; undefined if there is none. The label of `target` is ignored,
 * because `target` is the checkpoint being labeled.
 */
export function lookalikeOf(labels: LabelsById, label: string, target?: EntryId): string | undefined {
  const shape = shapeOf(label);
  for (const [id, other] of labels)
    if (id !== target && other !== label && shapeOf(other) === shape) return other;
  return undefined;
}

/** The newest checkpoint that has the label. */
export function findLabelled(outline: Outline, labels: LabelsById, label: string): Row | undefined {
  const rows = [...labels].flatMap(([id, name]) => (name === label ? (outline.byId(id) ?? []) : []));
  return rows.sort((a, b) => b.seq - a.seq)[0];
}

/**
 * The `host` line that contains another agent's id for this checkpoint's prompt; undefined if no other agent received
 * the prompt.
 */
export function hostLineOf(outline: Outline, checkpoint: Row): Row | undefined {
  if (checkpoint.kind !== "checkpoint") return undefined;
  const prompt = promptOf(outline, checkpoint);
  return prompt === undefined ? undefined : hostLineOfPrompt(outline, prompt);
}

/** Like `hostLineOf`, but for a caller that already has the prompt. */
export function hostLineOfPrompt(outline: Outline, prompt: Row): Row | undefined {
  return [prompt.seq + 1, prompt.seq + 2]
    .map((seq) => outline.at(seq))
    .find((row) => row?.kind === "host" && rowAbove(outline, row)?.seq === prompt.seq);
}

/** The checkpoint of the prompt that a `host` line refers to; undefined if the line refers to another message. */
export function checkpointOfHostLine(outline: Outline, line: Row): Row | undefined {
  const checkpoint = nearest(outline, rowAbove(outline, line), isCheckpoint);
  if (checkpoint === undefined) return undefined;
  return hostLineOf(outline, checkpoint)?.seq === line.seq ? checkpoint : undefined;
}

/**
 * The row directly before a `host` line. This row is the prompt if the line refers to one. The prompt and the line are
 * written together, so only the first line of a new file can come between them.
 */
function rowAbove(outline: Outline, line: Row): Row | undefined {
  const above = outline.at(line.parent);
  return above?.kind === "rotated" ? outline.at(above.parent) : above;
}
