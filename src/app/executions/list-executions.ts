import type { ExecutionStatus, ExecutionSummary } from "../../executions/execution.ts";
import { listExecutions, statusOfProgram } from "../../executions/list-executions.ts";
import type { AppContext } from "../context.ts";
import { type Reach, workspaceWanted } from "../sessions/session-rows.ts";
import { openStore } from "../sessions/store.ts";
import { type FoundPlace, findPlace } from "./find-execution.ts";

interface ListOptions {
  readonly reach: Reach;
  /** If undefined, both programs and turns are listed. */
  readonly kind: ExecutionSummary["kind"] | undefined;
  readonly limit: number;
}

/** Lists the executions in this workspace or in all workspaces, most recently used first. */
export async function executionsInReach(context: AppContext, { reach, kind, limit }: ListOptions) {
  const workspace = await workspaceWanted(context, reach);
  const executions = await listExecutions(openStore(context), {
    kinds: kind === undefined ? ["program", "turn"] : [kind],
    limit,
    ...(workspace === undefined ? {} : { workspace }),
  });
  return { workspace, executions };
}

interface ShownExecution extends FoundPlace {
  /** The status of a program; absent for turns, whose status is in the list. */
  readonly status: ExecutionStatus | undefined;
}

/** Finds an execution by its id or a prefix of its id, or finds a step by the id of its checkpoint. */
export async function showExecution(context: AppContext, id: string): Promise<ShownExecution> {
  const store = openStore(context);
  const place = await findPlace(context, store, { text: id, naming: "beginning" });
  const { found, step } = place;
  const isProgram = step === undefined && found.begins === undefined;
  return { ...place, status: isProgram ? await statusOfProgram(store, found.view) : undefined };
}
