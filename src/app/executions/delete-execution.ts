import type { StepCheckpoint } from "../../executions/execution.ts";
import { checkpointNotFound } from "../../executions/execution-error.ts";
import { holdExecution } from "../../executions/hold-execution.ts";
import { checkpointNamed } from "../../executions/step-records.ts";
import { WorldlineError } from "../../record/error.ts";
import type { AppContext } from "../context.ts";
import { openSessionDeps, openStore } from "../sessions/store.ts";
import { trashSession } from "../sessions/trash.ts";
import { type FoundExecution, requireExecution } from "./find-execution.ts";

const NAME = "worldline executions delete";

/** The target of a deletion: an execution, or one of its checkpoints. */
export interface ExecutionDeletion {
  readonly found: FoundExecution;
  readonly step: StepCheckpoint | undefined;
}

interface DeletionRequest {
  readonly id: string;
  /** The id of a checkpoint. An id without an attempt means the latest attempt on this branch. */
  readonly checkpoint: string | undefined;
}

export async function planExecutionDeletion(
  context: AppContext,
  { id, checkpoint }: DeletionRequest,
): Promise<ExecutionDeletion> {
  const found = await requireExecution(context, openStore(context), { text: id, naming: "whole" });
  if (found.begins !== undefined) {
    throw new WorldlineError("execution-part-of-session", { execution: found.id, session: found.view.id });
  }
  return { found, step: checkpoint === undefined ? undefined : requireStep(found, checkpoint) };
}

function requireStep({ id, steps }: FoundExecution, wanted: string): StepCheckpoint {
  const named = checkpointNamed(id, wanted);
  const attempts = steps.filter(({ index }) => index === named?.index);
  const step =
    named?.attempt === undefined
      ? (attempts.findLast(({ branch }) => branch === "here") ?? attempts.at(-1))
      : attempts.find(({ attempt }) => attempt === named.attempt);
  if (step !== undefined) return step;
  throw checkpointNotFound(
    wanted,
    steps.map((each) => each.id),
  );
}

/** Moves an execution and its session to the trash, or removes a checkpoint from its session. */
export async function deleteExecution(
  context: AppContext,
  { found, step }: ExecutionDeletion,
): Promise<void> {
  if (step === undefined) return trashSession(context, found.view.id, NAME);
  const { takeOver } = context.common;
  const holding = { name: NAME, waitMs: 0, takeOver };
  const execution = await holdExecution(await openSessionDeps(context), found.view.header, holding);
  try {
    if (!(await execution.deleteCheckpoint(step.id))) throw checkpointNotFound(step.id, []);
  } finally {
    await execution.close();
  }
}
