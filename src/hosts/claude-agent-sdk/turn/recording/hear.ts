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
import type { ClaudeBench } from "../claude-bench.ts";
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
export async function hear(bench: ClaudeBench, message: SdkMessage, ears: Ears): Promise<void> {
  if (!isWhole(message)) return;
  try {
    await hearWhole(bench, message, ears);
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    bench.now.refused ??= error;
    bench.calls.giveUp();
  }
}

async function hearWhole(bench: ClaudeBench, message: SdkMessage, ears: Ears): Promise<void> {
  switch (message.type) {
    case "assistant":
      return hearAssistant(bench, message);
    case "user":
      return hearUser(bench, message);
    case "stream_event":
      if (message.parent_tool_use_id === null) await bench.recorder.hearEvent(message.event);
      return;
    case "system":
      if (message.subtype === "init") ears.init(message);
      if (message.subtype === "api_retry") tellRetry(bench, retryOf(message));
      if (message.subtype === "compact_boundary") await compacted(bench, message);
      return;
    case "result":
      return ears.counted(message);
    default:
      return;
  }
}

async function hearAssistant(
  { recorder, subAgents, now }: ClaudeBench,
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

async function hearUser(bench: ClaudeBench, message: SdkUser): Promise<void> {
  const { recorder, subAgents, now, session, conversation } = bench;
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

function tellRetry({ tell, now }: ClaudeBench, retry: ReturnType<typeof retryOf>): void {
  tell({ type: "retry", checkpoint: now.tally.lastStep, ...retry });
}

async function compacted(bench: ClaudeBench, boundary: SdkCompactBoundary): Promise<void> {
  await bench.recorder.flush();
  await noteCompaction(bench, boundary);
}
