import type { ListedFiles } from "../app/checkpoints/checkpoint-list.ts";
import type { NamedPlace } from "../app/checkpoints/checkpoint-rows.ts";
import type { CheckpointView } from "../machine/checkpoint-list.ts";
import { oneLine, visibleName } from "../record/visible-text.ts";
import { clockTime } from "../strings/clock.ts";
import type { Strings } from "../strings/strings.ts";

/** What a person knows a checkpoint by: its label, how its prompt or its command begins, the program's step that it stands behind, or when it was made. */
export function checkpointText(
  { label, prompt, command, step, at }: Pick<CheckpointView, "label" | "prompt" | "command" | "step" | "at">,
  strings: Strings,
): string {
  const lead = command === undefined ? (step ?? prompt) : `! ${command}`;
  const known = [...(label === undefined ? [] : [`[${visibleName(label)}]`]), ...(lead ? [lead] : [])];
  return oneLine(known.length === 0 ? strings.checkpoints.atTime(clockTime(at)) : known.join(" "));
}

/** `#12 find the leak`, or `exec-123, step data_processing`. */
export function placeText(place: NamedPlace | undefined, strings: Strings): string {
  if (place === undefined) return strings.terminal.dialogs.tree.beginning;
  if ("execution" in place) return strings.executions.stepOf(place.execution, place.step);
  const { number, at, label, text, on } = place;
  const { after } = strings.terminal.dialogs.checkpoints;
  const prompt = text !== undefined && on === "after" ? after(text) : text;
  const known = {
    at,
    ...(label === undefined ? {} : { label }),
    ...(prompt === undefined ? {} : { prompt }),
  };
  return `#${number} ${checkpointText(known, strings)}`;
}

/** The same for lists, which also have the checkpoints of branches that were left. */
export function listedText(checkpoint: CheckpointView, strings: Strings): string {
  const text = checkpointText(checkpoint, strings);
  return checkpoint.branch === "left" ? `${text} ${strings.checkpoints.left}` : text;
}

/** What a list says of a checkpoint's files: `captured`, `captured, 3 changes since`, `conversation only`. */
export function filesText({ state, changedSince }: ListedFiles, { files, phrases }: Strings): string {
  const since = changedSince === undefined || changedSince === 0 ? [] : [files.changedSince(changedSince)];
  return phrases.listed([files.states[state], ...since]);
}
