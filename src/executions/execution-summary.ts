import type { SessionId } from "../record/ids.ts";
import type { StepCheckpoint } from "./execution.ts";

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
