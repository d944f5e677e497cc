import { cutOf } from "../../../../agent/compaction/cut.ts";
import { presentAuthor } from "../../../../machine/files/look.ts";
import type { CompactionTold } from "../../../../ports/agent-events.ts";
import { isWorldlineError } from "../../../../record/error.ts";
import { failureOfResult } from "../../sdk/failure.ts";
import type { SdkResult } from "../../sdk/sdk-types.ts";
import { beginTurn, type ClaudeContext } from "../claude-context.ts";
import { KEPT_BY_SDK } from "./note-compaction.ts";

/** The SDK's own command. */
const COMMAND = "/compact";
const NOTHING = "Nothing to compact.";

/** Has the SDK compact its session. What it makes of it is heard and written down as when it does so by itself. */
export async function compactConversation(
  context: ClaudeContext,
  focus: string | undefined,
  signal: AbortSignal,
): Promise<CompactionTold> {
  const { session, captures, now, conversation, recorder, tell } = context;
  // The SDK would compact a single exchange too, and again what it has just compacted: our log could not say so.
  if ((await cutOf(session, KEPT_BY_SDK)) === undefined) return failed(context, NOTHING);
  beginTurn(now, signal);
  now.focus = focus;
  // Since the last turn others may have changed anything, and the checkpoint before the compaction has it.
  captures.beforeGoingOn(await presentAuthor(session, {}));
  const stop = (): void => void conversation.live?.interrupt();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const result = await conversation.command(focus === undefined ? COMMAND : `${COMMAND} ${focus}`, signal);
    await recorder.finish();
    if (result === "nothing-said-yet") return failed(context, NOTHING);
    if (now.refused !== undefined) throw now.refused;
    const { compacted } = now;
    if (compacted?.outcome === "done") return compacted;
    return failed(context, compacted?.why ?? whyNot(result, context));
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return failed(context, [error.message, error.hint ?? ""].join(" ").trim());
  } finally {
    signal.removeEventListener("abort", stop);
    now.turn = "none";
    tell({ type: "doing", doing: { what: "nothing" } });
  }
}

function whyNot(result: SdkResult, { now }: ClaudeContext): string {
  if (now.signal.aborted) return "It was interrupted.";
  const failure = failureOfResult(result, now.said);
  return failure?.message ?? (result.result || NOTHING);
}

function failed({ tell }: ClaudeContext, why: string): CompactionTold {
  const told: CompactionTold = { type: "compaction", outcome: "failed", reason: "asked", why };
  tell(told);
  return told;
}
