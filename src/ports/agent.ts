import type { SessionId } from "../record/ids.ts";
import type { Part } from "../record/parts.ts";
import type { AgentEvent, Busy, CommandEnd, CompactionTold, TurnEnd } from "./agent-events.ts";
import type { PermissionMode } from "./person.ts";

/** Which agent works on a session. "claude": the Claude Agent SDK. */
export type HostName = "native" | "claude";

export type PromptSource = "typed" | "piped";

/**
 * An agent at work on one session: ours, or somebody else's behind the same door.
 *
 * Contract:
 * - One thing at a time: `prompt`, `resume`, `compact` and `run` are rejected with TURN_RUNNING while `busy` is not "nothing";
 *   `queue` waits instead. `busy` is set before the call returns its promise, and told as an event.
 * - A turn never rejects because of what the model or a tool did: that is in its `TurnEnd`, and told as an event.
 * - When `prompt` has told its `entry`, the prompt is durable; the model is called after that.
 * - `interrupt` ends the turn soon, with all that it started; what was produced is kept.
 * - After `close` no process and no file handle of the agent is left.
 */
export interface Agent {
  readonly session: SessionId;
  readonly workspace: string;
  readonly model: string;
  readonly mode: PermissionMode;
  /** What works on the session now. */
  readonly busy: Busy;

  /** Listeners hear `session` at once and everything from now on; returns how to stop that. */
  on(listener: (event: AgentEvent) => void): () => void;
  /** "piped": text of other programs is in it, which must not be taken for commands or mentions of files. By default "typed". */
  prompt(content: string | readonly Part[], source?: PromptSource): Promise<TurnEnd>;
  /** For what the person says while a turn runs: it is put into the conversation when the results of the step are in. */
  queue(content: string | readonly Part[]): void;
  /** Goes on with a turn that was cut: "continue" from where it stands, "retry" from its last step. */
  resume(how: "continue" | "retry"): Promise<TurnEnd>;
  interrupt(): Promise<void>;
  compact(focus?: string): Promise<CompactionTold>;
  setMode(mode: PermissionMode): void;
  /** From the next model call on; rejects where the name means no model that can be used, and changes nothing. */
  setModel(name: string): Promise<void>;
  /**
   * Runs a command of the person's on the timeline: a checkpoint before it, its start and its end on the log, and what it
   * changed is the timeline's. "model": the conversation gets its output. As a turn it can be interrupted, and refuses others.
   */
  run(command: string, visibility: "model" | "user-only"): Promise<CommandEnd>;
  /** Ends the wait of tools for the workspace's first capture: they go on without it. */
  skipCaptureWait(): void;
  /** Ends what it started in the background too, and lets others have the session. */
  close(): Promise<void>;
}
