import type { AgentContext } from "../../../agent/agent-context.ts";
import { Tally } from "../../../agent/agent-context.ts";
import type { CompactionTold } from "../../../ports/agent-events.ts";
import type { WorldlineError } from "../../../record/error.ts";
import type { Conversation } from "../conversation/conversation.ts";
import type { PermissionContext } from "../permissions/permit-call.ts";
import type { SdkAssistant } from "../sdk/sdk-types.ts";
import type { CallBook } from "./call-book.ts";
import type { Recorder } from "./recorder.ts";
import type { SubAgents } from "./sub-agents.ts";

/** Everything that a turn with the SDK needs. All turns of an agent share the same object. */
export interface ClaudeContext extends AgentContext {
  readonly conversation: Conversation;
  readonly permits: PermissionContext;
  readonly calls: CallBook;
  readonly recorder: Recorder;
  readonly subAgents: SubAgents;
  /** Returns the requested model's name in our log. */
  readonly model: () => string;
  /** Asks the process for the model's window, if it is not known yet. */
  readonly learnWindow: () => Promise<void>;
  /** Ends programs that a dead SDK process left running. */
  readonly endOrphans: () => Promise<void>;
  /** The state of the running turn. */
  readonly now: TurnState;
}

/** The state of the running turn, shared by hooks and messages. */
export interface TurnState {
  /** "none" if no Worldline turn is running. If the SDK tries to start a turn by itself, our hooks refuse it. */
  turn: "running" | "none";
  tally: Tally;
  signal: AbortSignal;
  /**
   * "due": a prompt was just sent, and its model call has no checkpoint yet. "open": the model call has a checkpoint
   * and is running.
   */
  step: "due" | "open" | "none";
  /** Why the turn ends even though the SDK would continue. */
  stop?: "backtrack" | "step-limit" | undefined;
  /** The error from our own store that stops all further work. */
  refused?: WorldlineError | undefined;
  /** The message that the SDK sent instead of a reply, if a model could not answer. */
  said?: SdkAssistant | undefined;
  /**
   * The SDK's summary. A hook reports the summary, which is kept until the message that puts it into effect arrives.
   */
  summary?: string | undefined;
  compacted?: CompactionTold | undefined;
  /** The topic that the user wants the summary to focus on. */
  focus?: string | undefined;
  /** Messages that the SDK keeps after its summary. The messages are stored here until the summary arrives. */
  preserved?: ReadonlySet<string> | undefined;
}

/** Resets the state for a new turn. */
export function beginTurn(now: TurnState, signal: AbortSignal, tally: Tally = new Tally()): void {
  const fresh: TurnState = { turn: "running", tally, signal, step: "none" };
  for (const known of Object.keys(now)) Reflect.deleteProperty(now, known);
  Object.assign(now, fresh);
}
