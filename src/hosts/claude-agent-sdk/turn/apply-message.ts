import type { EndedCall } from "../../../agent/turn/files/running-calls.ts";
import { isWorldlineError } from "../../../record/error.ts";
import type { OutsideChange } from "../../../record/files.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../record/parts.ts";
import { toolResults } from "../sdk/content.ts";
import { retryOf } from "../sdk/failures.ts";
import type {
  SdkAssistant,
  SdkCompactBoundary,
  SdkInit,
  SdkMessage,
  SdkResult,
  SdkUser,
} from "../sdk/sdk-types.ts";
import type { Call } from "./call-book.ts";
import type { ClaudeContext } from "./claude-context.ts";
import { recordCompaction } from "./compaction.ts";

/** Receives reports about which model answers and how large its window is. */
export interface ModelListener {
  readonly init: (init: SdkInit) => void;
  readonly counted: (result: SdkResult) => void;
}

/**
 * Records what the SDK reports, message by message. Unknown and malformed messages are ignored. If our store refuses an
 * entry, the turn ends at its next hook, so that the process survives but does not make useless model calls.
 */
export async function applyMessage(
  context: ClaudeContext,
  message: SdkMessage,
  ears: ModelListener,
): Promise<void> {
  if (!isWhole(message)) return;
  try {
    await applyWhole(context, message, ears);
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    context.now.refused ??= error;
    context.calls.giveUp();
  }
}

async function applyWhole(context: ClaudeContext, message: SdkMessage, ears: ModelListener): Promise<void> {
  switch (message.type) {
    case "assistant":
      return applyAssistant(context, message);
    case "user":
      return applyUser(context, message);
    case "stream_event":
      if (message.parent_tool_use_id === null) await context.recorder.addEvent(message.event);
      return;
    case "system":
      if (message.subtype === "init") ears.init(message);
      if (message.subtype === "api_retry") emitRetry(context, retryOf(message));
      if (message.subtype === "compact_boundary") await compacted(context, message);
      return;
    case "result":
      return ears.counted(message);
    default:
      return;
  }
}

async function applyAssistant(
  { recorder, subAgents, now }: ClaudeContext,
  message: SdkAssistant,
): Promise<void> {
  if (message.parent_tool_use_id !== null) return subAgents.applyMessage(message.parent_tool_use_id, message);
  // No model wrote this message. The message is the SDK's way of telling the user that there was no answer.
  if (message.error !== undefined || message.message.model === "<synthetic>") {
    now.said = message;
    return;
  }
  await recorder.addBlock(message);
}

async function applyUser(context: ClaudeContext, message: SdkUser): Promise<void> {
  const { recorder, subAgents, now, session, conversation } = context;
  if (message.parent_tool_use_id !== null) return subAgents.applyMessage(message.parent_tool_use_id, message);
  if (toolResults(message.message.content).length > 0) return recorder.addResults(message);
  // After a compaction, the SDK's session continues from its own summary and no longer from the place in our log.
  if (now.compacted === undefined || message.uuid === undefined) return;
  const { preserved } = now;
  now.preserved = undefined;
  const places =
    preserved === undefined
      ? [conversation.placed(message.uuid)]
      : conversation.compacted(message.uuid, preserved);
  await session.write(places.map((draft) => ({ draft })));
}

function emitRetry({ emit, now }: ClaudeContext, retry: ReturnType<typeof retryOf>): void {
  emit({ type: "retry", checkpoint: now.tally.lastStep, ...retry });
}

async function compacted(context: ClaudeContext, boundary: SdkCompactBoundary): Promise<void> {
  await context.recorder.flush();
  await recordCompaction(context, boundary);
}

/**
 * Returns a call's changes outside the workspace, so that they can be logged. Changes in the workspace are left to the
 * next capture. The outside changes of a sub-agent are logged with the session's own call, because only the session's
 * log can be rewound.
 */
export async function onResult(context: ClaudeContext, call: Call): Promise<readonly OutsideChange[]> {
  const { subAgents } = context;
  const changes = [...(await changesOf(context, call)), ...(await subAgents.end(call.id))];
  if (call.task === undefined) return changes;
  await subAgents.addOutside(call.task, changes);
  return [];
}

/**
 * Returns the facts about a call that has ended. A command's result arrives when its shell has ended, but a background
 * command may run until the end of the turn.
 */
function endOf({ now }: ClaudeContext, { name, input, differs, facts }: Call): EndedCall {
  if (name !== "Bash") return { wrote: facts?.writes };
  const given = differs ?? input;
  const isSent = isJsonObject(given) && given["run_in_background"] === true;
  return { processes: isSent ? { isRunning: () => now.turn === "running" } : { endedAt: Date.now() } };
}

async function changesOf(context: ClaudeContext, call: Call): Promise<readonly OutsideChange[]> {
  const { captures, outside } = context;
  // A call that was denied, or that the SDK found invalid, has changed nothing.
  if (call.state !== "started") return [];
  captures.ended(call.id, endOf(context, call));
  const changes = (await call.watch?.changes()) ?? [];
  outside.add(changes);
  return changes;
}

/**
 * Checks whether a message has the fields that its kind needs. The message came as JSON from a process that may be
 * running a different version.
 */
function isWhole(message: object): boolean {
  const { type, parent_tool_use_id: parent, message: said, event, ...rest } = message as JsonObject;
  switch (type) {
    case "assistant":
      return (
        isParent(parent) && isJsonObject(said) && typeof said["id"] === "string" && isBlocks(said["content"])
      );
    case "user":
      return isParent(parent) && isJsonObject(said) && isUserContent(said["content"]);
    case "stream_event":
      return isParent(parent) && isJsonObject(event) && isEvent(event);
    case "system":
      return rest["subtype"] !== "compact_boundary" || isJsonObject(rest["compact_metadata"]);
    default:
      return true;
  }
}

function isParent(parent: Json | undefined): boolean {
  return parent === null || typeof parent === "string";
}

function isUserContent(content: Json | undefined): boolean {
  return typeof content === "string" || isBlocks(content);
}

function isBlocks(content: Json | undefined): boolean {
  return Array.isArray(content) && content.every(isJsonObject);
}

function isEvent(event: JsonObject): boolean {
  switch (event["type"]) {
    case "message_start":
      return isJsonObject(event["message"]);
    case "content_block_start":
      return isJsonObject(event["content_block"]);
    case "content_block_delta":
      return isJsonObject(event["delta"]);
    default:
      return true;
  }
}
