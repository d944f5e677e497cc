import { type ProgramStep, stepAt } from "../../../app/checkpoints/program-steps.ts";
import type { DescribedPreview } from "../../../app/journeys/files-preview.ts";
import type { SettledScope } from "../../../app/journeys/scope.ts";
import { type Effect, effectOf, noEffect } from "../../../app/rewind.ts";
import { type CheckpointView, describeCheckpoints } from "../../../machine/checkpoint-list.ts";
import type { FilesOutcome } from "../../../machine/files/requests.ts";
import type { SessionView } from "../../../machine/view.ts";
import type { SessionBody } from "../../../record/entry.ts";
import { type Part, textOf } from "../../../record/parts.ts";
import { oneLine } from "../../../record/visible-text.ts";
import { checkpointText, outcomeLines, previewLines } from "../../../show/journey-text.ts";
import type { Strings } from "../../../strings/strings.ts";
import { promptOf } from "../../../timeline/checkpoints.ts";
import type { Row } from "../../../timeline/row.ts";
import { effectText } from "./journey-text.ts";

/** What a rewind does, worked out before it is made: the same words serve the dry run and the deed. */
export interface RewindPreview extends SettledScope {
  readonly checkpoint: CheckpointView;
  readonly effect: Effect;
  /** The prompt that the checkpoint stood before, where the conversation goes back. */
  readonly prompt?: readonly Part[];
  readonly files?: DescribedPreview;
  /** What goes forward again. */
  readonly redo: string;
  /** The step of a program after which the checkpoint was made: there is no conversation. */
  readonly step?: ProgramStep;
  readonly mode: SessionBody["mode"];
}

export async function previewRewind(
  view: SessionView,
  row: Row,
  { settled, redo }: { readonly settled: SettledScope; readonly redo: string },
): Promise<RewindPreview> {
  const [checkpoint] = await describeCheckpoints([{ row, number: row.number, branch: "here" }], view);
  const step = await stepAt(view, row);
  const known = {
    ...settled,
    checkpoint: checkpoint as CheckpointView,
    redo,
    mode: view.header.mode,
    ...(step === undefined ? {} : { step }),
  };
  if (settled.scope === "files") return { ...known, effect: noEffect(view.outline) };
  const promptRow = row.kind === "checkpoint" ? promptOf(view.outline, row) : undefined;
  const [entry] = promptRow === undefined ? [] : await view.entries([promptRow.seq]);
  return {
    ...known,
    effect: effectOf(view.outline, row),
    ...(entry?.kind === "prompt" ? { prompt: entry.parts } : {}),
  };
}

/** `#12 find the leak`. */
function placeText({ checkpoint, step }: RewindPreview, strings: Strings): string {
  if (step !== undefined) return oneLine(strings.executions.stepOf(step.execution, step.name));
  return `#${checkpoint.number} ${checkpointText(checkpoint, strings)}`;
}

/** What would happen. */
export function foreseenText(preview: RewindPreview, strings: Strings): string[] {
  const { journeys } = strings;
  return [
    journeys.wouldRestore(placeText(preview, strings)),
    ...(preview.files === undefined ? [] : previewLines(preview.files, strings)),
    ...(preview.files === undefined || preview.step === undefined
      ? []
      : [strings.executions.takesAll(preview.redo)]),
    ...conversationText(preview, strings),
    journeys.dryRun,
  ];
}

/** What has happened. */
export function madeText(preview: RewindPreview, outcome: FilesOutcome, strings: Strings): string[] {
  const { journeys, files } = strings;
  const place = placeText(preview, strings);
  const isOfFiles = preview.scope !== "conversation";
  return [
    headOf(preview, outcome, { place, strings }),
    ...(isOfFiles ? outcomeLines(outcome, strings) : []),
    ...conversationText(preview, strings),
    ...(isOfFiles || outcome.differ.length === 0
      ? []
      : [files.differ(outcome.differ.length, `#${preview.checkpoint.number}`)]),
    journeys.redoWith(preview.redo),
  ];
}

/** What was meant to go back and did not is not called restored. */
function headOf(
  { scope }: RewindPreview,
  outcome: FilesOutcome,
  { place, strings }: { readonly place: string; readonly strings: Strings },
): string {
  const { journeys, files } = strings;
  const isAnyDone = outcome.paths.some((each) => each.outcome === "restored");
  if (scope !== "conversation" && outcome.failed > 0)
    return isAnyDone ? files.restoredInPart(place) : files.restoreFailed(place);
  if (scope === "conversation" || isAnyDone || outcome.paths.length === 0) return journeys.restored(place);
  return scope === "files" ? files.filesKept(place) : files.talkRestored(place);
}

function conversationText(preview: RewindPreview, strings: Strings): string[] {
  const { scope, effect, prompt, filesStay, mode } = preview;
  const { journeys, files } = strings;
  return [
    ...(scope === "files" ? [] : effectText(effect, strings, mode)),
    ...(filesStay === undefined ? [] : [files.stay(filesStay.message)]),
    ...(prompt === undefined ? [] : [journeys.promptBack, ...indented(promptText(prompt, strings))]),
  ];
}

function promptText(parts: readonly Part[], { looking }: Strings): string {
  const images = parts.flatMap((part) => (part.type === "image" ? [looking.image(part.mediaType)] : []));
  return [textOf(parts), ...images].filter((text) => text !== "").join("\n");
}

function indented(text: string): string[] {
  return text.split("\n").map((line) => `  ${line}`);
}
