import type { SessionId } from "../record/ids.ts";
import type { Part } from "../record/parts.ts";
import type { AgentEvent, Busy, CommandEnd, CompactionTold, TurnEnd } from "./agent-events.ts";
import type { PermissionMode } from "./person.ts";

/** The agent that works on a session: "native" is Worldline's own, and "claude" is the Claude Agent SDK. */
export type HostName = "native" | "claude";

export type PromptSource = "typed" | "piped";

/**
 * The interface of an agent that works on one session. Worldline's own agent and other agents implement it.
 *
 * Contract:
 * - An agent does one thing at a time. While `busy` is not "nothing", `prompt`, `resume`, `compact`, and `run` reject
 *   with TURN_RUNNING. `queue` does not reject, because its prompt waits. `busy` is set before the call returns its
 *   promise, and is emitted as an event.
 * - A turn never rejects because of what the model or a tool did. Such failures are reported in the turn's `TurnEnd`,
 *   which is also emitted as an event.
 * - When the `entry` of a `prompt` is emitted, the prompt is durable. The model is not called until then.
 * - `interrupt` promptly ends the turn and everything that the turn started. Everything produced before the interrupt
 *   is kept.
 * - After `close`, none of the agent's processes or open file handles remain.
 */
export interface Agent {
  readonly session: SessionId;
  readonly workspace: string;
  readonly model: string;
  readonly mode: PermissionMode;
  /** The kind of work that currently has exclusive use of the session. */
  readonly busy: Busy;

  /**
   * Adds a listener. It is first called with a `session` event and then with every later event. Returns a function that
   * unsubscribes it.
   */
  on(listener: (event: AgentEvent) => void): () => void;
  /**
   * Starts a turn. If the source is "piped", the content includes text from other programs, so commands and file
   * mentions in it have no effect. The default is "typed".
   */
  prompt(content: string | readonly Part[], source?: PromptSource): Promise<TurnEnd>;
  /**
   * Adds a prompt that the user sends during a turn. The prompt is added to the conversation after the results of the
   * current step.
   */
  queue(content: string | readonly Part[], onWritten?: () => void): void;
  /** Continues an interrupted turn: "continue" from where it was interrupted, "retry" from its last step. */
  resume(how: "continue" | "retry"): Promise<TurnEnd>;
  interrupt(): Promise<void>;
  compact(focus?: string): Promise<CompactionTold>;
  setMode(mode: PermissionMode): void;
  /**
   * Sets the model for all later model calls. If there is no usable model with this name, rejects and changes nothing.
   */
  setModel(name: string): Promise<void>;
  /**
   * Runs a command for the user. Creates a checkpoint before the command, logs the command's start and end, and
   * records its changes as part of the timeline. If the visibility is "model", the output is added to the conversation.
   * Like a turn, a command can be interrupted and blocks other work.
   */
  run(command: string, visibility: "model" | "user-only"): Promise<CommandEnd>;
  /** Stops waiting for the workspace's first capture, and immediately runs the tools that were waiting for it. */
  skipCaptureWait(): void;
  /** Ends the agent and all its background processes, and releases the session. */
  close(): Promise<void>;
}
