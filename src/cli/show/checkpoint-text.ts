import type { CheckpointView } from "../../machine/looking/checkpoint-view.ts";
import type { Strings } from "../../strings/strings.ts";
import { oneLine } from "../output/printable.ts";
import { clockTime } from "./time.ts";

/** What a person knows a checkpoint by: its label, how its prompt or its command begins, or when it was made. */
export function checkpointText(
  { label, prompt, command, at }: Pick<CheckpointView, "label" | "prompt" | "command" | "at">,
  strings: Strings,
): string {
  const lead = command === undefined ? prompt : `! ${command}`;
  const known = [...(label === undefined ? [] : [`[${label}]`]), ...(lead ? [lead] : [])];
  return oneLine(known.length === 0 ? strings.checkpoints.atTime(clockTime(at)) : known.join(" "));
}

/** The same for lists, which also have the checkpoints of branches that were left. */
export function listedText(checkpoint: CheckpointView, strings: Strings): string {
  const text = checkpointText(checkpoint, strings);
  return checkpoint.branch === "left" ? `${text} ${strings.checkpoints.left}` : text;
}
