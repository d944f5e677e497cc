import type { SavedBody, Unstored } from "../record/entry.ts";
import type { WorldlineError } from "../record/error.ts";
import type { OutcomeCounts } from "../record/files.ts";
import type { CheckpointNumber, SessionId } from "../record/ids.ts";

/** One attempt at a step of an execution. */
export interface StepCheckpoint {
  /** `ckpt-<execution>-<index>@<attempt>`. If the attempt is omitted, the id refers to the latest attempt. */
  readonly id: string;
  readonly execution: string;
  readonly name: string;
  readonly index: number;
  readonly attempt: number;
  readonly status: SavedBody["status"];
  /** What a later run decided about this attempt, if an earlier run left it unfinished. */
  readonly decided?: NonNullable<SavedBody["decided"]>;
  readonly error: unknown;
  readonly state: unknown;
  readonly context: unknown;
  readonly variables: unknown;
  readonly metadata: unknown;
  /** The value that the step returned. */
  readonly output: unknown;
  /**
   * The parts of the output that could not be stored. If the step succeeded, `output` is a plain copy without these
   * parts. If the step is pending, its work has returned, but the result was lost.
   */
  readonly unstored?: readonly Unstored[];
  readonly time: Date;
  /** The session's checkpoint that a rollback goes to; undefined for an unfinished step. */
  readonly checkpoint: CheckpointNumber | undefined;
  /** "here": the execution continues from this attempt. "left": a rollback went back to a place before this attempt. */
  readonly branch: "here" | "left";
}

/**
 * A step that `save` records. Values may contain dates, maps, sets, bytes, errors, bigints, `undefined`, and cycles.
 */
export interface SaveRequest {
  readonly name: string;
  readonly index: number;
  readonly state?: unknown;
  readonly context?: unknown;
  readonly variables?: unknown;
  readonly metadata?: unknown;
  /** "success" by default. */
  readonly status?: SavedBody["status"];
  readonly error?: unknown;
}

export type ExecutionResult<Output> =
  | { readonly success: true; readonly output: Output; readonly error?: undefined }
  | { readonly success: false; readonly output?: undefined; readonly error: WorldlineError };

/** A step that began in an earlier run and has no recorded end. Its work may be complete or only partly done. */
export interface UnfinishedStep {
  readonly checkpoint: StepCheckpoint;
  /** How many times the step has been started in total. */
  readonly attempts: number;
}

/**
 * What to do with an unfinished step. "retry": run it again. "skip": continue as if it had returned `output`. "fail":
 * treat it as failed.
 */
export type Decision = "retry" | "fail" | "skip" | { readonly skip: unknown };

export interface StepOptions {
  /**
   * The step's position, counted from 0; by default, the next position. To call a step again in the same run, pass its
   * index.
   */
  readonly index?: number;
  readonly state?: unknown;
  readonly context?: unknown;
  readonly variables?: unknown;
  readonly metadata?: unknown;
  /** How many times a step that throws is retried within the same call, with increasingly long pauses; 0 by default. */
  readonly maxRetries?: number;
  /**
   * What to do with a step that an earlier run left unfinished. Without this option, `step` rejects with
   * STEP_UNFINISHED.
   */
  readonly unfinished?: Decision | ((step: UnfinishedStep) => Decision | Promise<Decision>);
  /**
   * What to do if the step failed in an earlier run. "retry": run the step as a new attempt. "rethrow": throw the
   * recorded error without running the step. The default is "rethrow" if another step began after the failure, so that
   * the program takes the same path again. Otherwise, the default is "retry".
   */
  readonly onFailed?: "retry" | "rethrow";
}

/** The argument passed to a step's function. */
export interface StepCall {
  readonly attempt: number;
  /** The last successful step before this one; undefined if there is none. */
  readonly previous: StepCheckpoint | undefined;
}

export interface RetryOptions<Output> {
  /** How many times the step can be retried after its first attempt, counted across all runs; 3 by default. */
  readonly maxRetries?: number;
  /** Restores the program's own state. */
  readonly restore?: (checkpoint: StepCheckpoint) => unknown;
  /** The name of the step. Needed only with `run`, for a step that was never started. */
  readonly name?: string;
  /** The step's work, which is retried with increasingly long pauses until it succeeds or no attempts are left. */
  readonly run?: (call: StepCall) => Output | Promise<Output>;
}

export interface CheckpointFilter {
  /**
   * "all" (the default) includes checkpoints on branches that a rollback left behind. "here" includes only the
   * checkpoints that the execution continues from.
   */
  readonly branch?: "here" | "all";
}

export interface SuccessFilter {
  /** Includes only steps whose index is lower than this. */
  readonly before?: number;
}

/** The result of a rollback, including what happened to the files. */
export interface RolledBack {
  readonly checkpoint: StepCheckpoint;
  readonly files: OutcomeCounts | undefined;
}

/**
 * A program's work, recorded step by step, so that a restarted program continues where it stopped. The result of a step
 * is durable before the next step begins.
 */
export interface Execution {
  readonly id: string;
  /** The session that records the execution, for `worldline log --session`. */
  readonly session: SessionId;
  /** Runs `work`, or returns the recorded result if this step has already succeeded. */
  step<Output>(
    name: string,
    work: (call: StepCall) => Output | Promise<Output>,
    options?: StepOptions,
  ): Promise<Output>;
  /** Records a step that the program runs on its own, without `step`. */
  save(request: SaveRequest): Promise<StepCheckpoint>;
  /**
   * The checkpoints, sorted by index and then by attempt. By default, includes the checkpoints on branches that a
   * rollback left behind.
   */
  checkpoints(filter?: CheckpointFilter): Promise<readonly StepCheckpoint[]>;
  /** The checkpoint with this id; undefined if there is none. */
  checkpoint(id: string): Promise<StepCheckpoint | undefined>;
  lastSuccessful(filter?: SuccessFilter): Promise<StepCheckpoint | undefined>;
  /**
   * Goes back to a checkpoint and passes it to `restore`. The steps after the checkpoint will run again. Files are not
   * changed.
   */
  resumeFrom<Output = StepCheckpoint>(
    id: string,
    restore?: (checkpoint: StepCheckpoint) => Output | Promise<Output>,
  ): Promise<ExecutionResult<Output>>;
  /** Goes back to the last successful step before step `index`. If `run` is given, also runs step `index` again. */
  retryFrom<Output = StepCheckpoint>(
    index: number,
    options?: RetryOptions<Output>,
  ): Promise<ExecutionResult<Output>>;
  /**
   * Like `resumeFrom`, but also restores the workspace's files if the execution captures them, including files that
   * other programs have changed since the checkpoint. `worldline redo --session` undoes the whole rollback.
   */
  rollbackTo(id: string): Promise<ExecutionResult<RolledBack>>;
  /**
   * Permanently deletes one checkpoint and the values in it. Resolves with false if no checkpoint has this id. After
   * the deletion, the step counts as unfinished, so it is not run again automatically.
   */
  deleteCheckpoint(id: string): Promise<boolean>;
  /** Moves the whole execution to the trash. */
  delete(): Promise<void>;
  /**
   * Records that the program is done, and closes the execution. Without this call, the execution is never listed as
   * done.
   */
  finish(): Promise<void>;
  /** Releases the right to write to the execution. */
  close(): Promise<void>;
}

/**
 * "running": a program is running one of its steps. "waiting": a program has the execution open and is between two
 * steps. "done": the program called `finish`; for a turn, the agent gave its final answer. "failed": a step failed, and
 * the program did not continue after it. "interrupted": a step began and has no recorded end, and no running program is
 * working on it. "stopped": its steps succeeded, no running program has it open, and no program called `finish`.
 * "empty": a program opened and closed the execution without running a step.
 */
export type ExecutionStatus = "running" | "waiting" | "done" | "failed" | "interrupted" | "stopped" | "empty";

/** An execution in a list: either a program's execution or an agent's turn. */
export interface ExecutionSummary {
  readonly id: string;
  /**
   * The scope in which the id is unique. For a program's execution, this is the workspace, unless the program specifies
   * another scope. For a turn, the scope is the turn's session.
   */
  readonly scope: string;
  readonly kind: "program" | "turn";
  readonly session: SessionId;
  readonly workspace: string;
  /**
   * Set if another home wrote the session and the user has not confirmed it. In that case, `workspace` is only what the
   * session claims.
   */
  readonly unconfirmed?: true;
  /** For a turn: the user's prompt, or the command that the user ran with "!". */
  readonly title?: string;
  /** The status, derived from the log and from whether a running program holds the session. */
  readonly status: ExecutionStatus;
  /** The number of steps on the current branch. A step with several attempts counts once. */
  readonly steps: number;
  /** The latest of the steps counted in `steps`. */
  readonly last: StepCheckpoint | undefined;
  /** When the execution was last used, in milliseconds since 1970. */
  readonly used: number;
}

/** Compares executions in order to sort a list: most recently used first, but unconfirmed executions last. */
export function lastUsedFirst(a: OrderedExecution, b: OrderedExecution): number {
  return Number(a.unconfirmed === true) - Number(b.unconfirmed === true) || b.used - a.used;
}

type OrderedExecution = Pick<ExecutionSummary, "used" | "unconfirmed">;
