import { type CheckpointView, describeCheckpoints } from "../../../machine/looking/checkpoint-view.ts";
import type { SessionView } from "../../../machine/view.ts";
import { type Part, textOf } from "../../../record/parts.ts";
import type { Strings } from "../../../strings/strings.ts";
import { promptOf } from "../../../timeline/checkpoints.ts";
import type { Row } from "../../../timeline/row.ts";
import { checkpointText } from "../../show/checkpoint-text.ts";
import { type Effect, effectOf } from "../../timeline/distance.ts";
import { effectText } from "./effect-text.ts";

/** What a rewind does, worked out before it is made: the same words serve the dry run and the deed. */
export interface RewindPreview {
  readonly checkpoint: CheckpointView;
  readonly effect: Effect;
  /** The prompt that the checkpoint stood before. */
  readonly prompt?: readonly Part[];
}

export async function previewRewind(view: SessionView, row: Row): Promise<RewindPreview> {
  const [checkpoint] = await describeCheckpoints([{ row, number: row.number, branch: "here" }], view);
  const promptRow = row.kind === "checkpoint" ? promptOf(view.outline, row) : undefined;
  const [entry] = promptRow === undefined ? [] : await view.entries([promptRow.seq]);
  return {
    checkpoint: checkpoint as CheckpointView,
    effect: effectOf(view.outline, row),
    ...(entry?.kind === "prompt" ? { prompt: entry.parts } : {}),
  };
}

/** "left-out": the person named a scope without files. "unsaid": they may expect files to go back too. */
export type FilesAsked = "left-out" | "unsaid";

interface Rewinding {
  readonly mode: "dry-run" | "made";
  readonly files: FilesAsked;
}

export function rewindText(preview: RewindPreview, { mode, files }: Rewinding, strings: Strings): string[] {
  const { journeys } = strings;
  const { checkpoint, effect, prompt } = preview;
  const place = `#${checkpoint.number} ${checkpointText(checkpoint, strings)}`;
  return [
    mode === "made" ? journeys.restored(place) : journeys.wouldRestore(place),
    ...effectText(effect, strings),
    ...(files === "unsaid" ? [journeys.filesStay] : []),
    ...(prompt === undefined ? [] : [journeys.promptBack, ...indented(promptText(prompt, strings))]),
    mode === "made" ? journeys.redoWith("worldline redo") : journeys.dryRun,
  ];
}

function promptText(parts: readonly Part[], { looking }: Strings): string {
  const images = parts.flatMap((part) => (part.type === "image" ? [looking.image(part.mediaType)] : []));
  return [textOf(parts), ...images].filter((text) => text !== "").join("\n");
}

function indented(text: string): string[] {
  return text.split("\n").map((line) => `  ${line}`);
}
