import type { SessionId } from "../record/ids.ts";
import type { StepCheckpoint } from "./execution.ts";

/**
 * "interrupted": a step began, nothing more is known of it, and nobody who lives is at it. "empty": a program opened it, has
 * left it, and began no step.
 */
export type ExecutionStatus = "running" | "done" | "failed" | "interrupted" | "empty";

/** One execution as a list shows it: of a program, or a turn of an agent. */
export interface ExecutionSummary {
  readonly id: string;
  /** Within which ids are told apart: of a program the workspace, unless it names another; of a turn its session. */
  readonly scope: string;
  readonly kind: "program" | "turn";
  readonly session: SessionId;
  readonly workspace: string;
  /** Of a turn: what the person asked for, or ran with a "!" before it. */
  readonly title?: string;
  /** What its newest step says, and whether a living holder has it. */
  readonly status: ExecutionStatus;
  /** How many steps it has that it goes on from, each counted once. */
  readonly steps: number;
  /** The newest of these. */
  readonly last: StepCheckpoint | undefined;
  /** When it was last used, in milliseconds since 1970. */
  readonly used: number;
}
