import type { SessionId } from "../record/ids.ts";
import type { Part } from "../record/parts.ts";
import type { AgentEvent, Busy, CommandEnd, CompactionTold, TurnEnd } from "./agent-events.ts";
import type { PermissionMode } from "./person.ts";

/** Which agent works on a session. "claude": the Claude Agent SDK. */
export type HostName = "native" | "claude";

export type PromptSource = "typed" | "piped";

/**
 * An agent that works on one session: ours or another one, with the same interface.
 *
 * Contract:
 * - One thing at a time: `prompt`, `resume`, `compact` and `run` are rejected with TURN_RUNNING while `busy` is not
 *   "nothing"; `queue` waits instead. `busy` is set before the call returns its promise, and emitted as an event.
 * - A turn never rejects because of what the model or a tool did: that is in its `TurnEnd`, and emitted as an event.
 * - When the `entry` of a `prompt` is emitted, the prompt is durable; the model is called after that.
 * - `interrupt` ends the turn soon, with everything that it started; what was produced is kept.
 * - After `close` no process and no file handle of the agent is left.
 */
export interface Agent {
  readonly session: SessionId;
  readonly workspace: string;
  readonly model: string;
  readonly mode: PermissionMode;
  /** The current work on the session. */
  readonly busy: Busy;

  /** Calls the listener with `session` immediately, and then with every event. Returns a function that unsubscribes it. */
  on(listener: (event: AgentEvent) => void): () => void;
  /** "piped": the content includes text of other programs, so commands and file mentions in it are ignored. "typed" by default. */
  prompt(content: string | readonly Part[], source?: PromptSource): Promise<TurnEnd>;
  /**
   * For prompts that the user sends during a turn: they are added to the conversation after the results of the step.
   * `onWritten` is called when the prompt is in the log. A prompt that no step took is in `unheard` of the turn's end, and
   * the agent no longer has it.
   */
  queue(content: string | readonly Part[], onWritten?: () => void): void;
  /** Continues a turn that was cut off: "continue" from where it was cut off, "retry" from its last step. */
  resume(how: "continue" | "retry"): Promise<TurnEnd>;
  interrupt(): Promise<void>;
  compact(focus?: string): Promise<CompactionTold>;
  setMode(mode: PermissionMode): void;
  /** Used from the next model call on. Rejects and changes nothing if the name is not a usable model. */
  setModel(name: string): Promise<void>;
  /**
   * Runs a command of the user's on the timeline: a checkpoint before it, its start and end in the log, and its changes
   * attributed to the timeline. "model": its output is added to the conversation. Like a turn it can be interrupted,
   * and blocks other work.
   */
  run(command: string, visibility: "model" | "user-only"): Promise<CommandEnd>;
  /** Lets tools that are waiting for the workspace's first capture run without it. */
  skipCaptureWait(): void;
  /** Also ends all background processes, and releases the session. */
  close(): Promise<void>;
}
