import type { SessionId } from "../record/ids.ts";
import type { Part } from "../record/parts.ts";
import type { AgentEvent, Busy, CommandEnd, CompactionTold, TurnEnd } from "./agent-events.ts";
import type { PermissionMode } from "./person.ts";

/** The agent that works on a session: "native" is Worldline's own, "claude" is the Claude Agent SDK. */
export type HostName = "native" | "claude";

export type PromptSource = "typed" | "piped";

/**
 * An agent that works on one session: Worldline's own or another one, with the same interface.
 *
 * Contract:
 * - An agent does one thing at a time: while `busy` is not "nothing", `prompt`, `resume`, `compact` and `run` reject
 *   with TURN_RUNNING. `queue` does not reject; its prompt waits instead. `busy` is set before the call returns its
 *   promise, and is emitted as an event.
 * - A turn never rejects because of what the model or a tool did. Such failures are in its `TurnEnd`, which is also
 *   emitted as an event.
 * - When the `entry` of a `prompt` is emitted, the prompt is durable. The model is called after that.
 * - `interrupt` soon ends the turn and everything that it started. What was produced until then is kept.
 * - After `close`, none of the agent's processes or file handles are left.
 */
export interface Agent {
  readonly session: SessionId;
  readonly workspace: string;
  readonly model: string;
  readonly mode: PermissionMode;
  /** The kind of work that currently has exclusive use of the session. */
  readonly busy: Busy;

  /**
   * Subscribes a listener, which is called immediately with `session`, and then with every event. Returns a function
   * that unsubscribes it.
   */
  on(listener: (event: AgentEvent) => void): () => void;
  /**
   * Starts a turn. With source "piped", the content includes text from other programs, so commands and file mentions in
   * it have no effect. The default is "typed".
   */
  prompt(content: string | readonly Part[], source?: PromptSource): Promise<TurnEnd>;
  /**
   * Adds a prompt that the user sends during a turn. It joins the conversation after the results of the current step.
   */
  queue(content: string | readonly Part[], onWritten?: () => void): void;
  /** Continues an interrupted turn: "continue" from where it was interrupted, "retry" from its last step. */
  resume(how: "continue" | "retry"): Promise<TurnEnd>;
  interrupt(): Promise<void>;
  compact(focus?: string): Promise<CompactionTold>;
  setMode(mode: PermissionMode): void;
  /**
   * Sets the model for all later model calls. Rejects and changes nothing if the name does not belong to a usable
   * model.
   */
  setModel(name: string): Promise<void>;
  /**
   * Runs a command for the user on the timeline: makes a checkpoint before it, logs its start and end, and attributes
   * its changes to the timeline. With visibility "model", its output is added to the conversation. Like a turn, a
   * command can be interrupted, and blocks other work.
   */
  run(command: string, visibility: "model" | "user-only"): Promise<CommandEnd>;
  /** Lets tools that are waiting for the workspace's first capture run without it. */
  skipCaptureWait(): void;
  /** Ends the agent and all its background processes, and releases the session. */
  close(): Promise<void>;
}
