import type { FoundExecution } from "../../../app/executions/find-execution.ts";
import { findPlace } from "../../../app/executions/find-step.ts";
import { valueDocument } from "../../../app/executions/value-document.ts";
import { openStore } from "../../../app/sessions/ground.ts";
import type { ExecutionStatus, StepCheckpoint } from "../../../executions/execution.ts";
import { statusOfProgram } from "../../../executions/list-executions.ts";
import { defineCommand } from "../../command/command.ts";
import { required } from "../../command/parameters.ts";
import { executionLines, stepLines } from "./show-text.ts";

export const show = defineCommand({
  description:
    "Shows the steps of an execution: place, name, attempt, status, time and error. Of one checkpoint it shows all that it " +
    "holds: state, context, variables, metadata and output. With --json, values that JSON cannot hold stand as an object " +
    'with one key, such as {"$date": "..."}, {"$map": [[key, value]]}, {"$bytes": base64}; docs/guide/executions.md has all ' +
    "of them. Changes nothing.",
  arguments: {
    id: required(
      "the execution, or the beginning of its id, or a checkpoint of it such as ckpt-exec-123-2 or ckpt-exec-123-2@1",
    ),
  },
  examples: [
    { command: "worldline executions show exec-123", meaning: "its steps" },
    {
      command: "worldline executions show ckpt-exec-123-2",
      meaning: "all that the latest attempt at step 2 holds",
    },
    { command: "worldline executions show exec-123 --json", meaning: "everything, for a script" },
  ],
  run: async ({ arguments: { id }, frame }) => {
    const store = openStore(frame);
    const { found, step } = await findPlace(frame, store, { text: id, naming: "beginning" });
    if (step === undefined) {
      // The list has it for turns.
      const status = found.begins === undefined ? await statusOfProgram(store, found.view) : undefined;
      frame.output.answer(executionDocument(found, status), () =>
        executionLines(found, frame, status).join("\n"),
      );
    } else {
      frame.output.answer(stepDocument(step), () => stepLines(step, frame).join("\n"));
    }
  },
});

function executionDocument({ id, view, steps, begins }: FoundExecution, status: ExecutionStatus | undefined) {
  const { header } = view;
  return {
    id,
    kind: begins === undefined ? "program" : "turn",
    scope: header.execution?.scope ?? view.id,
    session: view.id,
    workspace: header.workspace,
    ...(status === undefined ? {} : { status }),
    used: new Date(view.used).toISOString(),
    checkpoints: steps.map(stepDocument),
  };
}

/** What a step does not have is null; what it has, and JSON has not, is marked as such. */
function stepDocument(step: StepCheckpoint) {
  const { id, execution, name, index, attempt, status, decided = null, time, checkpoint, branch } = step;
  return {
    ...{ id, execution, name, index, attempt, status, decided },
    error: orNull(step.error),
    state: orNull(step.state),
    context: orNull(step.context),
    variables: orNull(step.variables),
    metadata: orNull(step.metadata),
    output: orNull(step.output),
    ...(step.unstored === undefined ? {} : { unstored: step.unstored }),
    time: time.toISOString(),
    checkpoint: checkpoint ?? null,
    branch,
  };
}

function orNull(value: unknown) {
  return value === undefined ? null : valueDocument(value);
}
