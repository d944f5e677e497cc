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

/** Everything that a turn with the SDK works with; the same object for all turns of an agent. */
export interface ClaudeContext extends AgentContext {
  readonly conversation: Conversation;
  readonly permits: PermissionContext;
  readonly calls: CallBook;
  readonly recorder: Recorder;
  readonly subAgents: SubAgents;
  /** The model that is asked, as our log names it. */
  readonly model: () => string;
  /** Asks the process how much the model's context holds, where that is not known yet. */
  readonly learnWindow: () => Promise<void>;
  /** Ends what a process of the SDK that has died left running. */
  readonly endOrphans: () => Promise<void>;
  /** What is known of the turn that runs. */
  readonly now: TurnState;
}

/** The turn that runs, as hooks and messages find it. */
export interface TurnState {
  /** "none": the SDK may want to begin one by itself, and must not. */
  turn: "running" | "none";
  tally: Tally;
  signal: AbortSignal;
  /** "due": the words that were just said have no checkpoint of their model call yet. "open": that call is being made. */
  step: "due" | "open" | "none";
  /** Why the turn ends although the SDK would go on. */
  stop?: "backtrack" | "step-limit" | undefined;
  /** What our own store refused: nothing more may run. */
  refused?: WorldlineError | undefined;
  /** What the SDK says in the place of a model that could not answer. */
  said?: SdkAssistant | undefined;
  /** The SDK's summary, from the hook that tells of it to the message that says it is in force. */
  summary?: string | undefined;
  compacted?: CompactionTold | undefined;
  /** What the person wants the summary to be about. */
  focus?: string | undefined;
  /** Messages that the SDK keeps behind its summary, until that is heard. */
  preserved?: ReadonlySet<string> | undefined;
}

/** A turn begins: nothing of the one before it holds any more. */
export function beginTurn(now: TurnState, signal: AbortSignal, tally: Tally = new Tally()): void {
  const fresh: TurnState = { turn: "running", tally, signal, step: "none" };
  for (const known of Object.keys(now)) Reflect.deleteProperty(now, known);
  Object.assign(now, fresh);
}
