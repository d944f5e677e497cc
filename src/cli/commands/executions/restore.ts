import { findRestorePoint } from "../../../app/executions/find-execution.ts";
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
  run: async ({ arguments: { id }, options, frame }) =>
    runRewind(frame, { checkpoint: await findRestorePoint(frame, { id, step: options.step }), options }),
});
