import type { EntryId } from "../record/ids.ts";
import { shapeOf } from "../record/visible-text.ts";
import { linesOfBranch, NearestAbove, nearest, type Outline } from "./outline.ts";
import { isAboutPlace, isCheckpoint, isCheckpointKind, type Row } from "./row.ts";

/** A numbered place, as lists show it. */
export interface CheckpointPlace {
  readonly row: Row;
  readonly number: number;
  /** "here": on the branch of the head. "left": on one that a journey left. */
  readonly branch: "here" | "left";
}

/** All checkpoints of the session, also those on branches that were left; oldest first. */
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

/** Found by its entry, never by searching text. */
export function findCheckpoint(outline: Outline, number: number): Row | undefined {
  for (let seq = outline.length; seq >= 1; seq -= 1) {
    if (!isCheckpointKind(outline.kindAt(seq))) continue;
    const row = outline.at(seq);
    if (row?.number === number) return row;
  }
  return undefined;
}

/** The steps that the agent may go back to: on its branch, behind the last compaction. */
export function usableSteps(outline: Outline): Row[] {
  const steps: Row[] = [];
  for (let row = outline.head; row !== undefined; row = outline.at(row.parent)) {
    if (row.kind === "compaction") break;
    if (row.kind === "step") steps.push(row);
  }
  return steps.reverse();
}

/** Finds the prompts of steps. Who asks for those of many uses one of these for all. */
export function promptsAbove(outline: Outline): NearestAbove {
  return new NearestAbove(outline, (kind) => kind === "prompt", "asked");
}

/** The prompt that a checkpoint stands before, or that a step belongs to. */
export function promptOf(
  outline: Outline,
  checkpoint: Row,
  above: NearestAbove = promptsAbove(outline),
): Row | undefined {
  if (checkpoint.kind === "step") return above.of(checkpoint);
  for (let seq = checkpoint.seq + 1; seq <= outline.length; seq += 1) {
    const row = outline.at(seq);
    // The checkpoint's snapshot may stand between the two.
    if (row?.kind === "prompt" && nearest(outline, row, isCheckpoint)?.seq === checkpoint.seq) return row;
    if (row !== undefined && isCheckpoint(row)) return undefined;
  }
  return undefined;
}

/**
 * The start of the command that the person ran right behind a checkpoint of its own. An agent's call has a reply before
 * it, so that no other can stand there; only what says how the place is, or is called, comes between.
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

/** Names of places: what a `label` entry said last, over the whole log. */
export type LabelsById = ReadonlyMap<EntryId, string>;

/** Another label that is easily taken for `label`; undefined where there is none. `target` is the place that gets it. */
export function lookalikeOf(labels: LabelsById, label: string, target?: EntryId): string | undefined {
  const shape = shapeOf(label);
  for (const [id, other] of labels)
    if (id !== target && other !== label && shapeOf(other) === shape) return other;
  return undefined;
}

/** The newest checkpoint that carries `label`. */
export function findLabelled(outline: Outline, labels: LabelsById, label: string): Row | undefined {
  const rows = [...labels].flatMap(([id, name]) => (name === label ? (outline.byId(id) ?? []) : []));
  return rows.sort((a, b) => b.seq - a.seq)[0];
}

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
