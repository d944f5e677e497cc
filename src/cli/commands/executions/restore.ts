import { type FoundPlace, findPlace, namedStep } from "../../../app/executions.ts";
import { openSessionDeps } from "../../../app/sessions/store.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { CheckpointNumber } from "../../../record/ids.ts";
import { requireCheckpoint } from "../../../travel/rewind.ts";
import { defineCommand, required, text } from "../../command.ts";
import { rewindOptions, runRewind } from "../journeys/rewind.ts";

export const restore = defineCommand({
  help: (help) => help.executionsRestore,
  arguments: {
    id: required(),
  },
  options: {
    step: text("<index|name>"),
    ...rewindOptions,
  },
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
