import { cutOf } from "../../../agent/compaction/compact-session.ts";
import { presentAuthor } from "../../../machine/files/look.ts";
import type { CompactionTold } from "../../../ports/agent-events.ts";
import { isWorldlineError } from "../../../record/error.ts";
import { failureOfResult } from "../sdk/failures.ts";
import type { SdkCompactBoundary, SdkHookInput, SdkHookOutput, SdkResult } from "../sdk/sdk-types.ts";
import { beginTurn, type ClaudeContext } from "./claude-context.ts";

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

/** The SDK keeps next to nothing, so neither do we; our log lets the last exchange stay in any case. */
export const KEPT_BY_SDK = 1;

const THERE_ONLY =
  "The SDK has compacted its own conversation. The session's log has nothing to compact, and stays as it is.";

/** What the SDK's summary stands between. */
const SUMMARY = /<summary>([\s\S]*?)<\/summary>/u;

/** The SDK has compacted its session: its summary goes into our log too, so that whoever goes on there sees the same. */
export async function recordCompaction(
  context: ClaudeContext,
  { compact_metadata: counts }: SdkCompactBoundary,
): Promise<void> {
  const { session, now, tell } = context;
  const reason = counts.trigger === "manual" ? "asked" : "full";
  const summary = summaryIn(now.summary ?? "");
  now.summary = undefined;
  const before = session.tokenCount;
  now.preserved = new Set(counts.preserved_messages?.uuids);
  const isInLog = summary !== "" && (await compactLog(context, { summary, reason })) === "written";
  if (!isInLog) {
    // Whoever asked gets it as the answer. A compaction that the log does not have is never told as one.
    now.compacted = { type: "compaction", outcome: "failed", reason, why: THERE_ONLY };
    if (reason === "full") tell({ type: "warning", code: "COMPACTED_THERE_ONLY", message: THERE_ONLY });
    return;
  }
  // Counted as the log is: after the session is opened again, the same numbers are shown.
  const after = session.tokenCount;
  now.compacted = { type: "compaction", outcome: "done", reason, before, after, model: context.model() };
  tell(now.compacted);
}

function summaryIn(text: string): string {
  return (SUMMARY.exec(text)?.[1] ?? text).trim();
}

async function compactLog(
  { session, now: { focus } }: ClaudeContext,
  compaction: { readonly summary: string; readonly reason: "asked" | "full" },
): Promise<"written" | "too-short"> {
  try {
    await session.compact({ ...compaction, keep: KEPT_BY_SDK, ...(focus === undefined ? {} : { focus }) });
    return "written";
  } catch (error) {
    if (!isWorldlineError(error, "NOTHING_TO_COMPACT")) throw error;
    return "too-short";
  }
}
