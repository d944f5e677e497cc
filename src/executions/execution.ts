import type { SavedBody, Unstored } from "../record/entry.ts";
import type { WorldlineError } from "../record/error.ts";
import type { OutcomeCounts } from "../record/files.ts";
import type { CheckpointNumber, SessionId } from "../record/ids.ts";

/** One attempt of a step of an execution. */
export interface StepCheckpoint {
  /** `ckpt-<execution>-<index>@<attempt>`. Without the attempt it names the latest one. */
  readonly id: string;
  readonly execution: string;
  readonly name: string;
  readonly index: number;
  readonly attempt: number;
  readonly status: SavedBody["status"];
  /** What a later run decided about it, where an earlier run had left it unfinished. */
  readonly decided?: NonNullable<SavedBody["decided"]>;
  readonly error: unknown;
  readonly state: unknown;
  readonly context: unknown;
  readonly variables: unknown;
  readonly metadata: unknown;
  /** What the step returned. */
  readonly output: unknown;
  /**
   * What part of the output could not be stored. For a success: `output` is a plain copy without it. For a pending step: the work
   * returned, and its result is lost.
   */
  readonly unstored?: readonly Unstored[];
  readonly time: Date;
  /** The checkpoint that a rollback goes to; an unfinished step has none. */
  readonly checkpoint: CheckpointNumber | undefined;
  /** "here": the execution continues from it. "left": a rollback went back to before it. */
  readonly branch: "here" | "left";
}

/** The argument of `save`. Values may hold dates, maps, sets, bytes, errors, bigints, `undefined`, and cycles. */
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

/** A step that began in an earlier run and has no recorded end: its work may be done, or half done. */
export interface UnfinishedStep {
  readonly checkpoint: StepCheckpoint;
  /** How many times the step was started, including this time. */
  readonly attempts: number;
}

/** "retry": run it again. "skip": continue without it, as if it had returned `output`. "fail": it counts as failed. */
export type Decision = "retry" | "fail" | "skip" | { readonly skip: unknown };

export interface StepOptions {
  /** By default the next index: the first call of `step` is 0. To call a step again in the same run, give its index. */
  readonly index?: number;
  readonly state?: unknown;
  readonly context?: unknown;
  readonly variables?: unknown;
  readonly metadata?: unknown;
  /** How many times a step that throws is retried at once, with growing pauses; 0 by default. */
  readonly maxRetries?: number;
  /** What to do with a step that an earlier run left unfinished. Without it, `step` rejects with STEP_UNFINISHED. */
  readonly unfinished?: Decision | ((step: UnfinishedStep) => Decision | Promise<Decision>);
  /**
   * What to do if the step failed in an earlier run. "retry": run it, as its next attempt. "rethrow": throw the recorded
   * error, and run nothing. The default is "rethrow" if another step began after the failure, so that the program takes the same
   * path again; otherwise "retry".
   */
  readonly onFailed?: "retry" | "rethrow";
}

/** What a step's function receives. */
export interface StepCall {
  readonly attempt: number;
  /** The last step before this one that succeeded, if any. */
  readonly previous: StepCheckpoint | undefined;
}

export interface RetryOptions<Output> {
  /** How many attempts a step may have beyond its first, over all runs; 3 by default. */
  readonly maxRetries?: number;
  /** Restores the program's own state. */
  readonly restore?: (checkpoint: StepCheckpoint) => unknown;
  /** The step's name, if it was never started: only then `run` needs it. */
  readonly name?: string;
  /** The step itself: retried, with growing pauses, until it succeeds or no attempts are left. */
  readonly run?: (call: StepCall) => Output | Promise<Output>;
}

export interface CheckpointFilter {
  /** "all", the default: also those that a rollback left. "here": only those that the execution continues from. */
  readonly branch?: "here" | "all";
}

export interface SuccessFilter {
  /** Only steps with a lower index. */
  readonly before?: number;
}

/** What a rollback did to the files. */
export interface RolledBack {
  readonly checkpoint: StepCheckpoint;
  readonly files: OutcomeCounts | undefined;
}

/**
 * The work of a program, step by step, so that a program that is restarted continues where it was. The result of a step is
 * durable before the next step begins.
 */
export interface Execution {
  readonly id: string;
  /** The session that holds its timeline: `worldline log --session`. */
  readonly session: SessionId;
  /** Runs `work`, or returns its recorded result if it succeeded before. */
  step<Output>(
    name: string,
    work: (call: StepCall) => Output | Promise<Output>,
    options?: StepOptions,
  ): Promise<Output>;
  /** Records a step that the program runs itself. */
  save(request: SaveRequest): Promise<StepCheckpoint>;
  /** By index, then attempt, on all branches, including those that were left. "here": only those that the execution continues from. */
  checkpoints(filter?: CheckpointFilter): Promise<readonly StepCheckpoint[]>;
  /** One of them, by its id; undefined if there is none. */
  checkpoint(id: string): Promise<StepCheckpoint | undefined>;
  lastSuccessful(filter?: SuccessFilter): Promise<StepCheckpoint | undefined>;
  /** Continues after a checkpoint: `restore` receives it, and the steps after it will run again. Files are not changed. */
  resumeFrom<Output = StepCheckpoint>(
    id: string,
    restore?: (checkpoint: StepCheckpoint) => Output | Promise<Output>,
  ): Promise<ExecutionResult<Output>>;
  /** Resumes from the last success before step `index`, and runs that step again if `run` is given. */
  retryFrom<Output = StepCheckpoint>(
    index: number,
    options?: RetryOptions<Output>,
  ): Promise<ExecutionResult<Output>>;
  /**
   * Like `resumeFrom`, and also restores the files of the workspace, if the execution captures them, whoever changed them
   * since. `worldline redo --session` undoes all of it.
   */
  rollbackTo(id: string): Promise<ExecutionResult<RolledBack>>;
  /**
   * Deletes one checkpoint and the values that it holds, permanently; false if there is none with that id. Its step counts as
   * unfinished from then on: it is not run again automatically.
   */
  deleteCheckpoint(id: string): Promise<boolean>;
  /** Moves the whole execution to the trash. */
  delete(): Promise<void>;
  /** Records that the program is done, and closes: only then the execution is listed as done. */
  finish(): Promise<void>;
  /** Releases the right to write. */
  close(): Promise<void>;
}

/**
 * "running": a running program is in one of its steps. "waiting": a running program has it open, and is between two steps.
 * "done": the program called `finish`; for a turn, the agent gave its final answer. "failed": a step failed, and the
 * program did not continue after it. "interrupted": a step began and has no recorded end, and no running program is
 * working on it. "stopped": its steps succeeded, no running program has it open, and none called `finish`. "empty": a program
 * opened it and closed it without a step.
 */
export type ExecutionStatus = "running" | "waiting" | "done" | "failed" | "interrupted" | "stopped" | "empty";

/** One execution in a list: a program's, or a turn of an agent. */
export interface ExecutionSummary {
  readonly id: string;
  /** The scope in which ids are unique: for a program the workspace, unless it names another; for a turn its session. */
  readonly scope: string;
  readonly kind: "program" | "turn";
  readonly session: SessionId;
  readonly workspace: string;
  /** Another home wrote its session, and the user has not confirmed it: `workspace` is only what the session claims. */
  readonly unconfirmed?: true;
  /** For a turn: the user's prompt, or the command that the user ran with "!". */
  readonly title?: string;
  /** From its log, and from whether a running program holds it. */
  readonly status: ExecutionStatus;
  /** How many steps it continues from, each counted once. */
  readonly steps: number;
  /** The newest of these steps. */
  readonly last: StepCheckpoint | undefined;
  /** When it was last used, in milliseconds since 1970. */
  readonly used: number;
}

/** The order of every list of executions: last used first, unconfirmed ones last. */
export function lastUsedFirst(a: OrderedExecution, b: OrderedExecution): number {
  return Number(a.unconfirmed === true) - Number(b.unconfirmed === true) || b.used - a.used;
}

type OrderedExecution = Pick<ExecutionSummary, "used" | "unconfirmed">;
