import { type FoundPlace, findPlace, namedStep } from "../../../app/executions.ts";
import { openSessionDeps } from "../../../app/sessions/store.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { CheckpointNumber } from "../../../record/ids.ts";
import { requireCheckpoint } from "../../../travel/rewind.ts";
import { defineCommand, required, text } from "../../command.ts";
import { rewindOptions, runRewind } from "../journeys/rewind.ts";

export const restore = defineCommand({
  description:
    "Brings an execution back to a step: its steps go on from there, and the files of the workspace are as they were, where " +
    "the execution has them. It is the rewind of its session. Nobody can tell what a program changed from what a person did: " +
    "what anybody changed since is taken back too, without a question for each file, and `worldline redo --session` brings " +
    "it back. (In a turn of an agent, what others changed is asked about as by `worldline rewind`.) A program's step is gone " +
    "back to as it had ended; an agent's step, or its whole turn, as it began. The program itself takes its state up when it " +
    "is started again.",
  arguments: {
    id: required("the whole id of the execution, or of a checkpoint of it such as ckpt-exec-123-2"),
  },
  options: {
    step: text(
      "<index|name>",
      "the step to go back to (default: the newest that succeeded; of a turn where it began)",
    ),
    ...rewindOptions,
  },
  examples: [
    { command: "worldline executions restore exec-123 --dry-run", meaning: "what would change" },
    {
      command: "worldline executions restore exec-123 --step data_processing",
      meaning: "as that step had ended",
    },
    { command: "worldline executions restore ckpt-exec-123-2 --yes", meaning: "without a question" },
  ],
  run: async ({ arguments: { id }, options, frame }) => {
    const deps = await openSessionDeps(frame);
    const place = await findPlace(frame, deps.store, { text: id, naming: "whole" });
    const { view } = place.found;
    const row = requireCheckpoint(view.outline, targetOf(place, options.step));
    return runRewind(frame, { deps, target: { view, row }, options });
  },
});

function targetOf({ found, step: given }: FoundPlace, wanted: string | undefined): CheckpointNumber {
  if (given !== undefined && wanted !== undefined) throw twoSteps();
  const step = wanted === undefined ? given : namedStep(found, wanted);
  if (step !== undefined) {
    if (step.checkpoint !== undefined) return step.checkpoint;
    throw new WorldlineError("step-not-ended", { execution: found.id, step: step.name });
  }
  if (found.begins !== undefined) return found.begins;
  const newest = found.steps.findLast(
    ({ status, branch, checkpoint }) => status === "success" && branch === "here" && checkpoint !== undefined,
  );
  if (newest?.checkpoint !== undefined) return newest.checkpoint;
  throw new WorldlineError("no-successful-checkpoint", { execution: found.id });
}

function twoSteps(): WorldlineError {
  return new WorldlineError("two-steps-named", {});
}
