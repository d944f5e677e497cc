import type { SavedBody, Unstored } from "../record/entry.ts";
import type { WorldlineError } from "../record/error.ts";
import type { OutcomeCounts } from "../record/files.ts";
import type { CheckpointNumber, SessionId } from "../record/ids.ts";

/** A step of an execution as it stands: one for each attempt. */
export interface StepCheckpoint {
  /** `ckpt-<execution>-<index>@<attempt>`. Without the attempt it names the latest one. */
  readonly id: string;
  readonly execution: string;
  readonly name: string;
  readonly index: number;
  readonly attempt: number;
  readonly status: SavedBody["status"];
  /** What a later run decided of it, where an earlier one had left it open. */
  readonly decided?: NonNullable<SavedBody["decided"]>;
  readonly error: unknown;
  readonly state: unknown;
  readonly context: unknown;
  readonly variables: unknown;
  readonly metadata: unknown;
  /** What the step gave back. */
  readonly output: unknown;
  /**
   * What of the output could not be stored. Of a success: `output` is a plain copy without it. Of a pending one: the work
   * returned, and its result is lost.
   */
  readonly unstored?: readonly Unstored[];
  readonly time: Date;
  /** The place on the timeline that a rollback goes to; a step that is still open has none. */
  readonly checkpoint: CheckpointNumber | undefined;
  /** "here": the execution goes on from behind it. "left": a rollback went back before it. */
  readonly branch: "here" | "left";
}

/** What is handed to `save`. Values may hold dates, maps, sets, bytes, errors, bigints, `undefined`, and cycles. */
export interface SaveRequest {
  readonly name: string;
  readonly index: number;
  readonly state?: unknown;
  readonly context?: unknown;
  readonly variables?: unknown;
  readonly metadata?: unknown;
  /** "success", unless something else is said. */
  readonly status?: SavedBody["status"];
  readonly error?: unknown;
}

export type ExecutionResult<Output> =
  | { readonly success: true; readonly output: Output; readonly error?: undefined }
  | { readonly success: false; readonly output?: undefined; readonly error: WorldlineError };

/** A step that began in an earlier run and of which nothing more is known: it may have done its work, or half of it. */
export interface UnfinishedStep {
  readonly checkpoint: StepCheckpoint;
  /** How often the step was begun, this time included. */
  readonly attempts: number;
}

/** "retry": run it again. "skip": go on without it, as if it had given back `output`. "fail": it counts as failed. */
export type Decision = "retry" | "fail" | "skip" | { readonly skip: unknown };

export interface StepOptions {
  /** By default the next place: the first call of `step` is 0. To call a step again in the same run, say its place. */
  readonly index?: number;
  readonly state?: unknown;
  readonly context?: unknown;
  readonly variables?: unknown;
  readonly metadata?: unknown;
  /** How often a step that throws is tried again at once, with growing pauses; 0 unless said. */
  readonly maxRetries?: number;
  /** What becomes of a step that an earlier run left open. Without it `step` rejects with STEP_UNFINISHED. */
  readonly unfinished?: Decision | ((step: UnfinishedStep) => Decision | Promise<Decision>);
  /**
   * What to do where the step failed in an earlier run. "retry": run it, as its next attempt. "rethrow": throw the recorded
   * error, and run nothing. By default "rethrow" where another step began after it had failed, so that the program takes the same
   * way again; else "retry".
   */
  readonly onFailed?: "retry" | "rethrow";
}

/** What a step's function is told. */
export interface StepCall {
  readonly attempt: number;
  /** The last step before this one that succeeded, if any. */
  readonly previous: StepCheckpoint | undefined;
}

export interface RetryOptions<Output> {
  /** How many attempts a step may have beyond its first, over all runs; 3 unless said. */
  readonly maxRetries?: number;
  /** Puts the program's own state back. */
  readonly restore?: (checkpoint: StepCheckpoint) => unknown;
  /** What the step is called, where it was never begun: only then `run` needs it. */
  readonly name?: string;
  /** The step itself: tried, with growing pauses, until it succeeds or its attempts are spent. */
  readonly run?: (call: StepCall) => Output | Promise<Output>;
}

export interface CheckpointFilter {
  /** "all", the default: also those that a rollback has left. "here": those that the execution goes on from. */
  readonly branch?: "here" | "all";
}

export interface SuccessFilter {
  /** Only steps of lower places. */
  readonly before?: number;
}

/** What became of the files of a rollback. */
export interface RolledBack {
  readonly checkpoint: StepCheckpoint;
  readonly files: OutcomeCounts | undefined;
}

/**
 * The work of a program, step by step, so that a program that is started again goes on where it was. What a
 * step gave back is durable before the next one begins.
 */
export interface Execution {
  readonly id: string;
  /** The session whose timeline it is: `worldline log --session`. */
  readonly session: SessionId;
  /** Runs `work`, or gives back what it gave back when it succeeded before. */
  step<Output>(
    name: string,
    work: (call: StepCall) => Output | Promise<Output>,
    options?: StepOptions,
  ): Promise<Output>;
  /** Writes down a step that the program runs by itself. */
  save(request: SaveRequest): Promise<StepCheckpoint>;
  /** By index, then attempt; of all branches, also those that were left. "here": only those that the execution goes on from. */
  checkpoints(filter?: CheckpointFilter): Promise<readonly StepCheckpoint[]>;
  /** One of them, by its id; undefined when there is none. */
  checkpoint(id: string): Promise<StepCheckpoint | undefined>;
  lastSuccessful(filter?: SuccessFilter): Promise<StepCheckpoint | undefined>;
  /** Goes on from behind a checkpoint: `restore` gets it, and the steps after it will be run again. Files stay. */
  resumeFrom<Output = StepCheckpoint>(
    id: string,
    restore?: (checkpoint: StepCheckpoint) => Output | Promise<Output>,
  ): Promise<ExecutionResult<Output>>;
  /** Resumes from the last success before step `index`, and runs it again where `run` is given. */
  retryFrom<Output = StepCheckpoint>(
    index: number,
    options?: RetryOptions<Output>,
  ): Promise<ExecutionResult<Output>>;
  /**
   * As `resumeFrom`, and the files of the workspace are brought back too, where the execution has them: whoever changed them
   * since. `worldline redo --session` brings all of it forward again.
   */
  rollbackTo(id: string): Promise<ExecutionResult<RolledBack>>;
  /**
   * Deletes one checkpoint, with the values that it holds, for good; false when there is none of that id. Its step counts as
   * unfinished from then on: it is not run again by itself.
   */
  deleteCheckpoint(id: string): Promise<boolean>;
  /** Moves the whole execution to the trash. */
  delete(): Promise<void>;
  /** Records that the program is done, and closes: only then is the execution listed as done. */
  finish(): Promise<void>;
  /** Gives the right to write back. */
  close(): Promise<void>;
}

/**
 * "running": a living program is in one of its steps. "waiting": a living program has it open, and is between two steps.
 * "done": the program said so with `finish`; of a turn, the agent gave its final answer. "failed": a step failed, and the
 * program did not go on after it. "interrupted": a step began, nothing more is known of it, and no living program is
 * at it. "stopped": its steps succeeded, no living program has it, and none has said that it is done. "empty": a program opened
 * it, has left it, and began no step.
 */
export type ExecutionStatus = "running" | "waiting" | "done" | "failed" | "interrupted" | "stopped" | "empty";

/** One execution as a list shows it: of a program, or a turn of an agent. */
export interface ExecutionSummary {
  readonly id: string;
  /** Within which ids are told apart: of a program the workspace, unless it names another; of a turn its session. */
  readonly scope: string;
  readonly kind: "program" | "turn";
  readonly session: SessionId;
  readonly workspace: string;
  /** This home did not write its session, and its user has not confirmed it: `workspace` is what it claims. */
  readonly unconfirmed?: true;
  /** Of a turn: what the person asked for, or ran with a "!" before it. */
  readonly title?: string;
  /** What its log says, and whether a living program has it. */
  readonly status: ExecutionStatus;
  /** How many steps it has that it goes on from, each counted once. */
  readonly steps: number;
  /** The newest of these. */
  readonly last: StepCheckpoint | undefined;
  /** When it was last used, in milliseconds since 1970. */
  readonly used: number;
}

/** The order of every list of executions: last used first, and those that are not confirmed last. */
export function lastUsedFirst(a: OrderedExecution, b: OrderedExecution): number {
  return Number(a.unconfirmed === true) - Number(b.unconfirmed === true) || b.used - a.used;
}

type OrderedExecution = Pick<ExecutionSummary, "used" | "unconfirmed">;
