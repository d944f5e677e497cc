import { isWorldlineError } from "../../../../record/error.ts";
import { retryOf } from "../../sdk/failure.ts";
import { isWhole } from "../../sdk/is-whole.ts";
import type {
  SdkAssistant,
  SdkCompactBoundary,
  SdkInit,
  SdkMessage,
  SdkResult,
  SdkUser,
} from "../../sdk/sdk-types.ts";
import type { ClaudeContext } from "../claude-context.ts";
import { noteCompaction } from "../compaction/note-compaction.ts";
import { toolResults } from "./reply-parts.ts";

/** Who hears which model answers, and what it holds. */
export interface Ears {
  readonly init: (init: SdkInit) => void;
  readonly counted: (result: SdkResult) => void;
}

/**
 * Writes down what the SDK says, message by message. What we do not know, or cannot read, is passed over. What our store
 * refuses ends the turn at its next hook, so that the process goes on to live and asks no model in vain.
 */
export async function hear(context: ClaudeContext, message: SdkMessage, ears: Ears): Promise<void> {
  if (!isWhole(message)) return;
  try {
    await hearWhole(context, message, ears);
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    context.now.refused ??= error;
    context.calls.giveUp();
  }
}

async function hearWhole(context: ClaudeContext, message: SdkMessage, ears: Ears): Promise<void> {
  switch (message.type) {
    case "assistant":
      return hearAssistant(context, message);
    case "user":
      return hearUser(context, message);
    case "stream_event":
      if (message.parent_tool_use_id === null) await context.recorder.hearEvent(message.event);
      return;
    case "system":
      if (message.subtype === "init") ears.init(message);
      if (message.subtype === "api_retry") tellRetry(context, retryOf(message));
      if (message.subtype === "compact_boundary") await compacted(context, message);
      return;
    case "result":
      return ears.counted(message);
    default:
      return;
  }
}

async function hearAssistant(
  { recorder, subAgents, now }: ClaudeContext,
  message: SdkAssistant,
): Promise<void> {
  if (message.parent_tool_use_id !== null) return subAgents.hear(message.parent_tool_use_id, message);
  // No model said it: it is how the SDK tells the person that there was no answer.
  if (message.error !== undefined || message.message.model === "<synthetic>") {
    now.said = message;
    return;
  }
  await recorder.hearBlock(message);
}

async function hearUser(context: ClaudeContext, message: SdkUser): Promise<void> {
  const { recorder, subAgents, now, session, conversation } = context;
  if (message.parent_tool_use_id !== null) return subAgents.hear(message.parent_tool_use_id, message);
  if (toolResults(message.message.content).length > 0) return recorder.hearResults(message);
  // Behind a compaction the SDK's session stands at what it says itself, and no longer where our log had it.
  if (now.compacted === undefined || message.uuid === undefined) return;
  const { preserved } = now;
  now.preserved = undefined;
  const places =
    preserved === undefined
      ? [conversation.placed(message.uuid)]
      : conversation.compacted(message.uuid, preserved);
  await session.write(places.map((draft) => ({ draft })));
}

function tellRetry({ tell, now }: ClaudeContext, retry: ReturnType<typeof retryOf>): void {
  tell({ type: "retry", checkpoint: now.tally.lastStep, ...retry });
}

async function compacted(context: ClaudeContext, boundary: SdkCompactBoundary): Promise<void> {
  await context.recorder.flush();
  await noteCompaction(context, boundary);
}
