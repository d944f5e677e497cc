import { counted } from "../measures/counted.ts";

/** `executions`, and the executions in the lists of places to go back to. */
export const executions = {
  none: "No executions found.",
  elsewhere: (command: (words: string) => string) =>
    `See those of all workspaces: ${command("executions --all")}`,
  more: (count: number) => `The newest ${count}. See more: --limit ${count * 5}`,
  kinds: { program: "program", turn: "turn" },
  statuses: {
    running: "running",
    waiting: "open, between steps",
    done: "done",
    failed: "failed",
    interrupted: "interrupted",
    stopped: "stopped",
    empty: "empty",
  },
  stoppedAfter: (step: number) => `stopped after step ${step}`,
  stepStatuses: { pending: "pending", success: "success", failed: "failed" },
  steps: (count: number) => counted(count, "step", "steps"),
  stepOf: (execution: string, step: string) => `${execution}, step ${step}`,
  /** A row of the lists that one goes back from. */
  restoreRow: (execution: string, step: string) => `Restore ${execution}, step ${step}`,
  restoreHeading: "Executions of programs in this workspace",
  /** Of files: a program's changes cannot be told from a person's. */
  takesAll: (command: string) => `What anybody changed since is taken back too; ${command} brings it back.`,
  /** Of the fork of one. */
  forkIsForLooking:
    "It is a fork of an execution: it can be looked at and gone back in, and no program can open it and go on.",
  /** Of a program, which has no conversation. */
  back: (count: number) => `Back in the execution: ${counted(count, "entry", "entries")}`,
  forward: (command: string) => `${command} goes forward again`,
  attempt: (attempt: number) => `attempt ${attempt}`,
  left: "(left by a rollback)",
  decisions: { retry: "(decided: retry)", skip: "(decided: skip)", fail: "(decided: fail)" },
  noSteps: "No steps yet.",
  inWorkspace: (workspace: string) => `in ${workspace}`,
  fields: {
    execution: "execution",
    kind: "kind",
    session: "session",
    workspace: "workspace",
    title: "title",
    status: "status",
    used: "last used",
    step: "step",
    attempt: "attempt",
    time: "time",
    checkpoint: "checkpoint",
    error: "error",
    state: "state",
    context: "context",
    variables: "variables",
    metadata: "metadata",
    output: "output",
    unstored: "not stored",
  },
  /** What of a result could not be stored, after its path. */
  unstored: {
    function: "function",
    symbol: "symbol",
    promise: "promise",
    class: "class",
    fields: "extra field",
    live: "live object",
    unreadable: "cannot be read",
    nested: "nested too deeply",
    size: "too large",
  },
  showStep: (id: string, command: (words: string) => string) =>
    `One step with its values: ${command(`executions show ${id}`)}`,
  deleteQuestion: (execution: string, steps: number) =>
    `Move ${execution} with ${counted(steps, "step", "steps")} to the trash?`,
  deleted: (execution: string) => `Moved to the trash: ${execution}`,
  wouldDelete: (execution: string) => `Would be moved to the trash: ${execution}`,
  deleteCheckpointQuestion: (checkpoint: string, name: string) =>
    `Delete checkpoint ${checkpoint} (${name}) with its values? This cannot be undone.`,
  checkpointDeleted: (checkpoint: string) => `Deleted: ${checkpoint}`,
  wouldDeleteCheckpoint: (checkpoint: string) => `Would be deleted: ${checkpoint}`,
  bringBack: (session: string, command: (words: string) => string) =>
    `To have it back: ${command(`sessions undelete ${session}`)}`,
};
