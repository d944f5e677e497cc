import type { SdkHookInput, SdkHookOutput } from "../../sdk/sdk-types.ts";
import type { ClaudeContext } from "../claude-context.ts";

/**
 * The SDK lets go of its own checkpoints when it compacts: ours, with all files, is there before. Between two turns it is one
 * that somebody wanted: a step would be the beginning of a reply, and a turn that was never finished.
 */
export async function beforeCompaction(
  { session, captures, tell }: ClaudeContext,
  { agent_id: agent, trigger }: SdkHookInput,
): Promise<SdkHookOutput> {
  if (agent !== undefined) return {};
  tell({ type: "doing", doing: { what: "compacting" } });
  const isAsked = trigger === "manual";
  captures.afterStep(isAsked ? (await session.mark()).number : await session.step());
  await captures.finished();
  return {};
}

/** Its words, until the message comes that says that they are in force. */
export async function afterCompaction({ now }: ClaudeContext, input: SdkHookInput): Promise<SdkHookOutput> {
  if (input.agent_id === undefined) now.summary = input.compact_summary;
  return {};
}
