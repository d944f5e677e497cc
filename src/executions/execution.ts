import type { SavedBody, Unstored } from "../record/entry.ts";
import type { WorldlineError } from "../record/error.ts";
import type { OutcomeCounts } from "../record/files.ts";
import type { CheckpointNumber, SessionId } from "../record/ids.ts";

/** One attempt of a step of an execution. */
export interface StepCheckpoint {
  /** `ckpt-<execution>-<index>@<attempt>`. If the attempt is omitted, the id refers to the latest attempt. */
  readonly id: string;
  readonly execution: string;
  readonly name: string;
  readonly index: number;
  readonly attempt: number;
  readonly status: SavedBody["status"];
  /** The decision of a later run about this attempt, if an earlier run had left it unfinished. */
  readonly decided?: NonNullable<SavedBody["decided"]>;
  readonly error: unknown;
  readonly state: unknown;
  readonly context: unknown;
  readonly variables: unknown;
  readonly metadata: unknown;
  /** What the step returned. */
  readonly output: unknown;
  /**
   * The parts of the output that could not be stored. If the step succeeded, `output` is a plain copy without them. If
   * it is pending, the work returned, but its result is lost.
   */
  readonly unstored?: readonly Unstored[];
  readonly time: Date;
  /** The session's checkpoint that a rollback goes to; undefined for an unfinished step. */
  readonly checkpoint: CheckpointNumber | undefined;
  /** "here": the execution continues from this attempt. "left": a rollback went back to a place before it. */
  readonly branch: "here" | "left";
}

/**
 * A step to record with `save`. Values may contain dates, maps, sets, bytes, errors, bigints, `undefined`, and cycles.
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

/** A step that began in an earlier run and has no recorded end, so that its work may be done or half done. */
export interface UnfinishedStep {
  readonly checkpoint: StepCheckpoint;
  /** How many times the step has been started in all. */
  readonly attempts: number;
}

/**
 * What to do with an unfinished step. "retry": run it again. "skip": continue as if it had returned `output`. "fail":
 * treat it as failed.
 */
export type Decision = "retry" | "fail" | "skip" | { readonly skip: unknown };

export interface StepOptions {
  /**
   * The position of the step; by default the next one, beginning at 0. To call a step again in the same run, give its
   * index.
   */
  readonly index?: number;
  readonly state?: unknown;
  readonly context?: unknown;
  readonly variables?: unknown;
  readonly metadata?: unknown;
  /** How many times a step that throws is retried immediately, with growing pauses; by default 0. */
  readonly maxRetries?: number;
  /** What to do with a step that an earlier run left unfinished. Without it, `step` rejects with STEP_UNFINISHED. */
  readonly unfinished?: Decision | ((step: UnfinishedStep) => Decision | Promise<Decision>);
  /**
   * What to do if the step failed in an earlier run. "retry": run it, as its next attempt. "rethrow": throw the
   * recorded error, and run nothing. The default is "rethrow" if another step began after the failure, so that the
   * program takes the same path again; otherwise "retry".
   */
  readonly onFailed?: "retry" | "rethrow";
}

/** The argument of a step's function. */
export interface StepCall {
  readonly attempt: number;
  /** The last step before this one that succeeded; undefined if there is none. */
  readonly previous: StepCheckpoint | undefined;
}

export interface RetryOptions<Output> {
  /** How many attempts a step may have in addition to its first, over all runs; by default 3. */
  readonly maxRetries?: number;
  /** Restores the program's own state. */
  readonly restore?: (checkpoint: StepCheckpoint) => unknown;
  /** The name of the step. Needed only with `run`, for a step that was never started. */
  readonly name?: string;
  /** The work of the step. It is retried, with growing pauses, until it succeeds or no attempts are left. */
  readonly run?: (call: StepCall) => Output | Promise<Output>;
}

export interface CheckpointFilter {
  /**
   * "all", the default, includes checkpoints that a rollback left. "here": only those that the execution continues
   * from.
   */
  readonly branch?: "here" | "all";
}

export interface SuccessFilter {
  /** Only steps with a lower index. */
  readonly before?: number;
}

/** The result of a rollback, with its outcome for the files. */
export interface RolledBack {
  readonly checkpoint: StepCheckpoint;
  readonly files: OutcomeCounts | undefined;
}

/**
 * The work of a program, recorded step by step, so that a restarted program continues where it stopped. The result of a
 * step is durable before the next step begins.
 */
export interface Execution {
  readonly id: string;
  /** The session that records the execution, for `worldline log --session`. */
  readonly session: SessionId;
  /** Runs `work`. If this step has already succeeded, returns its recorded result instead. */
  step<Output>(
    name: string,
    work: (call: StepCall) => Output | Promise<Output>,
    options?: StepOptions,
  ): Promise<Output>;
  /** Records a step that the program runs itself. */
  save(request: SaveRequest): Promise<StepCheckpoint>;
  /**
   * The checkpoints by index and then attempt. By default all of them, including those on branches that a rollback
   * left.
   */
  checkpoints(filter?: CheckpointFilter): Promise<readonly StepCheckpoint[]>;
  /** The checkpoint with this id; undefined if there is none. */
  checkpoint(id: string): Promise<StepCheckpoint | undefined>;
  lastSuccessful(filter?: SuccessFilter): Promise<StepCheckpoint | undefined>;
  /** Goes back to a checkpoint: `restore` receives it, and the steps after it will run again. Does not change files. */
  resumeFrom<Output = StepCheckpoint>(
    id: string,
    restore?: (checkpoint: StepCheckpoint) => Output | Promise<Output>,
  ): Promise<ExecutionResult<Output>>;
  /** Goes back to the last success before step `index`. Then runs that step again if `run` is given. */
  retryFrom<Output = StepCheckpoint>(
    index: number,
    options?: RetryOptions<Output>,
  ): Promise<ExecutionResult<Output>>;
  /**
   * Like `resumeFrom`, but also restores the files of the workspace if the execution captures them, even files that
   * other programs have changed since. `worldline redo --session` undoes the whole rollback.
   */
  rollbackTo(id: string): Promise<ExecutionResult<RolledBack>>;
  /**
   * Permanently deletes one checkpoint and the values in it. Resolves with false if no checkpoint has this id. From
   * then on, its step counts as unfinished, so it is not run again automatically.
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
 * "running": a program is in one of its steps. "waiting": a program has it open, and is between two steps. "done": the
 * program called `finish`; for a turn, the agent gave its final answer. "failed": a step failed, and the program did
 * not continue after it. "interrupted": a step began and has no recorded end, and no running program is working on it.
 * "stopped": its steps succeeded, no running program has it open, and none called `finish`. "empty": a program opened
 * and closed it without any step.
 */
export type ExecutionStatus = "running" | "waiting" | "done" | "failed" | "interrupted" | "stopped" | "empty";

/** One execution in a list: a program's execution, or an agent's turn. */
export interface ExecutionSummary {
  readonly id: string;
  /**
   * The scope in which the id is unique. For a program, this is the workspace, unless the program names another scope;
   * for a turn, its session.
   */
  readonly scope: string;
  readonly kind: "program" | "turn";
  readonly session: SessionId;
  readonly workspace: string;
  /**
   * Set if another home wrote the session and the user has not confirmed it. `workspace` is then only the session's
   * claim.
   */
  readonly unconfirmed?: true;
  /** For a turn: the user's prompt, or the command that the user ran with "!". */
  readonly title?: string;
  /** The status, from the log and from whether a running program holds the session. */
  readonly status: ExecutionStatus;
  /** The number of steps that the execution continues from. A step with several attempts counts once. */
  readonly steps: number;
  /** The latest of these steps. */
  readonly last: StepCheckpoint | undefined;
  /** When the execution was last used, in milliseconds since 1970. */
  readonly used: number;
}

/** The order of every list of executions: most recently used first, but unconfirmed executions last. */
export function lastUsedFirst(a: OrderedExecution, b: OrderedExecution): number {
  return Number(a.unconfirmed === true) - Number(b.unconfirmed === true) || b.used - a.used;
}

type OrderedExecution = Pick<ExecutionSummary, "used" | "unconfirmed">;
