import { viewSession } from "../machine/open.ts";
import { lastUsedFirst as lastUsedSessionFirst, listedWorkspace } from "../machine/queries/sessions.ts";
import type { SessionView } from "../machine/view.ts";
import type { Holder } from "../ports/lease.ts";
import type { LogStore } from "../ports/log-store.ts";
import { isWorldlineError } from "../record/error.ts";
import { checkArguments, checkOptions, type OptionsOf, option } from "../record/options.ts";
import { type ExecutionStatus, type ExecutionSummary, lastUsedFirst } from "./execution.ts";
import { readStep, type StepRecord, StepRecords } from "./step-records.ts";
import { listTurns } from "./turns/list-turns.ts";

export interface ExecutionFilter {
  /** The real path of the folder that the executions work in; by default, any folder. */
  readonly workspace?: string;
  /** What to list: program executions, agent turns, or both (the default). */
  readonly kinds?: readonly ExecutionSummary["kind"][];
  /** The maximum number of executions to list; by default, unlimited. */
  readonly limit?: number;
}

const filterOptions: OptionsOf<ExecutionFilter> = {
  call: "listExecutions",
  kinds: {
    workspace: option.text,
    kinds: option.listOf(option.oneOf("program", "turn")),
    limit: option.amount,
  },
};

/**
 * Lists executions, most recently used first. Executions that cannot be read are left out, but `worldline doctor`
 * reports them.
 */
export async function listExecutions(
  store: LogStore,
  filter: ExecutionFilter = {},
): Promise<readonly ExecutionSummary[]> {
  checkArguments("listExecutions", { store: [store, option.openStore] });
  checkOptions(filter, filterOptions);
  const { kinds = ["program", "turn"], limit = Number.POSITIVE_INFINITY, workspace } = filter;
  const where = workspace === undefined ? {} : { workspace };
  const programs = kinds.includes("program") ? await listPrograms(store, where, limit) : [];
  const turns = kinds.includes("turn") ? await listTurns(store, { ...where, limit }) : [];
  return [...programs, ...turns].sort(lastUsedFirst).slice(0, limit);
}

type Where = Pick<ExecutionFilter, "workspace">;

/**
 * Opens every session, one at a time, because only a session's outline shows when the session was last used. Keeps at
 * most twice as many views as will be shown, and reads steps only for the views that are shown.
 */
async function listPrograms(
  store: LogStore,
  where: Where,
  limit: number,
): Promise<readonly ExecutionSummary[]> {
  let views: SessionView[] = [];
  for (const id of await store.list({ ...where, mode: "execution" })) {
    const view = await orNothing(async () => viewSession(store, id));
    if (view?.header.execution === undefined) continue;
    views.push(view);
    if (views.length >= 2 * limit) views = newestOf(views, limit);
  }
  const found: ExecutionSummary[] = [];
  for (const view of newestOf(views, limit)) {
    const summary = await orNothing(async () => summariseExecution(view, await store.holder(view.id)));
    if (summary !== undefined) found.push(summary);
  }
  return found;
}

function newestOf(views: readonly SessionView[], limit: number): SessionView[] {
  return [...views].sort(lastUsedSessionFirst).slice(0, limit);
}

/** Returns undefined for a damaged or recently deleted execution, so that the other executions can still be listed. */
async function orNothing<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isWorldlineError(error)) return undefined;
    throw error;
  }
}

/**
 * Returns undefined if the session is not a program's execution, because it is a fork of one or its first line is lost.
 */
async function summariseExecution(
  view: SessionView,
  holder: Holder | undefined,
): Promise<ExecutionSummary | undefined> {
  const { execution, confirmation } = view.header;
  if (execution === undefined) return undefined;
  const records = await StepRecords.read(view);
  const newest = records.newest();
  return {
    ...execution,
    kind: "program",
    session: view.id,
    workspace: listedWorkspace(view.header),
    ...(confirmation?.state === "needed" ? { unconfirmed: true } : {}),
    status: programStatus(records, holder),
    steps: records.count,
    last: newest === undefined ? undefined : await readStep(view, records, newest),
    used: view.used,
  };
}

/** Returns the status of one program's execution, the same status that `listExecutions` returns. */
export async function statusOfProgram(store: LogStore, view: SessionView): Promise<ExecutionStatus> {
  return programStatus(await StepRecords.read(view), await store.holder(view.id));
}

/** The status of a program's execution. A holder whose process cannot be checked counts as running. */
function programStatus(records: StepRecords, holder: Holder | undefined): ExecutionStatus {
  const isHeld = holder !== undefined && holder.life !== "dead";
  const steps = records.latest();
  const isOpen = steps.some(({ status }) => status === "pending");
  if (isHeld) return isOpen ? "running" : "waiting";
  if (records.isFinished) return "done";
  if (steps.length === 0) return "empty";
  if (isOpen) return "interrupted";
  const isUncaught = (step: StepRecord): boolean => step.status === "failed" && !records.wentOnAfter(step);
  return steps.some(isUncaught) ? "failed" : "stopped";
}
