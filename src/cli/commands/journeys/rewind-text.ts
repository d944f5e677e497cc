import type { DescribedRewind } from "../../../app/rewind.ts";
import type { FilesOutcome } from "../../../machine/files/requests.ts";
import { type Part, textOf } from "../../../record/parts.ts";
import { oneLine } from "../../../record/visible-text.ts";
import { checkpointText, outcomeLines, previewLines } from "../../../show/journey-text.ts";
import type { Strings } from "../../../strings/strings.ts";
import { atAShell, wordingIn } from "../../../strings/wording.ts";
import { effectText } from "./journey-text.ts";

/** The data that is shown about a rewind before and after it is performed. */
interface ShownRewind {
  readonly preview: DescribedRewind;
  /** The command that undoes the rewind. */
  readonly redo: string;
}

/** Returns the name of the place, such as `#12 find the leak`. */
function placeText({ checkpoint, step }: DescribedRewind, strings: Strings): string {
  if (step !== undefined) return oneLine(strings.executions.stepOf(step.execution, step.name));
  return `#${checkpoint.number} ${checkpointText(checkpoint, strings)}`;
}

/** Returns the text that is shown before the rewind. */
export function previewText({ preview, redo }: ShownRewind, strings: Strings): string[] {
  const { journeys } = strings;
  return [
    journeys.wouldRestore(placeText(preview, strings)),
    ...(preview.files === undefined ? [] : previewLines(preview.files, strings)),
    ...(preview.files === undefined || preview.step === undefined ? [] : [strings.executions.takesAll(redo)]),
    ...conversationText(preview, strings),
    journeys.dryRun,
  ];
}

/** Returns the text that is shown after the rewind. */
export function resultText(
  { preview, redo }: ShownRewind,
  outcome: FilesOutcome,
  strings: Strings,
): string[] {
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
    journeys.redoWith(redo),
  ];
}

/** Returns the heading, which does not contain "restored" if the files should have been restored but were not. */
function headOf(
  { scope }: DescribedRewind,
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

function conversationText(preview: DescribedRewind, strings: Strings): string[] {
  const { scope, effect, prompt, filesStay, mode } = preview;
  const { journeys, files } = strings;
  return [
    ...(scope === "files" ? [] : effectText(effect, strings, mode)),
    ...(filesStay === undefined ? [] : [files.stay(wordingIn(strings.reasons, atAShell).message(filesStay))]),
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
