import { cutOf } from "../../../agent/compaction/compact-session.ts";
import { presentAuthor } from "../../../machine/files/look.ts";
import type { CompactionTold } from "../../../ports/agent-events.ts";
import {
  englishText,
  foreignText,
  isWorldlineError,
  type Problem,
  problemIn,
  problemOf,
} from "../../../record/error.ts";
import { failureOfResult } from "../sdk/failures.ts";
import type { SdkCompactBoundary, SdkHookInput, SdkHookOutput, SdkResult } from "../sdk/sdk-types.ts";
import { beginTurn, type ClaudeContext } from "./claude-context.ts";

/** The SDK's own command for compacting. */
const COMMAND = "/compact";
const NOTHING: Problem = { reason: "nothing-to-compact-now", params: {} };

/** Asks the SDK to compact its session. The result is recorded like a compaction that the SDK starts on its own. */
export async function compactConversation(
  context: ClaudeContext,
  focus: string | undefined,
  signal: AbortSignal,
): Promise<CompactionTold> {
  const { session, captures, now, conversation, recorder, emit } = context;
  // The SDK would compact even a single exchange, or compact its latest summary again. Our log cannot record such
  // compactions.
  if ((await cutOf(session, KEPT_BY_SDK)) === undefined) return failed(context, NOTHING);
  beginTurn(now, signal);
  now.focus = focus;
  // Other programs may have changed files since the last turn. The checkpoint before the compaction includes these
  // changes.
  captures.beforeResume(await presentAuthor(session, {}));
  const stop = (): void => void conversation.live?.interrupt();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const result = await conversation.command(focus === undefined ? COMMAND : `${COMMAND} ${focus}`, signal);
    await recorder.finish();
    if (result === "nothing-said-yet") return failed(context, NOTHING);
    if (now.refused !== undefined) throw now.refused;
    const { compacted } = now;
    if (compacted?.outcome === "done") return compacted;
    return failed(context, compacted?.error ?? whyNot(result, context));
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return failed(context, problemOf(error), error.hint);
  } finally {
    signal.removeEventListener("abort", stop);
    now.turn = "none";
    emit({ type: "doing", doing: { what: "nothing" } });
  }
}

function whyNot(result: SdkResult, { now }: ClaudeContext): Problem {
  if (now.signal.aborted) return { reason: "compaction-interrupted", params: {} };
  const failure = failureOfResult(result, now.said);
  if (failure !== undefined) return problemIn({ ...failure, why: failure.message });
  const { result: words = "" } = result;
  return words === "" ? NOTHING : foreignText(words);
}

function failed({ emit }: ClaudeContext, problem: Problem, hint = ""): CompactionTold {
  const event: CompactionTold = {
    type: "compaction",
    outcome: "failed",
    reason: "asked",
    why: `${englishText(problem)} ${hint}`.trim(),
    ...(typeof problem === "string" ? {} : { error: problem }),
  };
  emit(event);
  return event;
}

/**
 * Creates one of our own checkpoints with all files before a compaction, because the SDK drops its own checkpoints when
 * it compacts. Between two turns, this is a manual checkpoint. A step checkpoint would look like the beginning of a
 * reply in a turn that never finished.
 */
export async function beforeCompaction(
  { session, captures, emit }: ClaudeContext,
  { agent_id: agent, trigger }: SdkHookInput,
): Promise<SdkHookOutput> {
  if (agent !== undefined) return {};
  emit({ type: "doing", doing: { what: "compacting" } });
  const isAsked = trigger === "manual";
  captures.atCheckpoint(isAsked ? (await session.mark()).number : await session.step());
  await captures.finished();
  return {};
}

/** Keeps the text of the summary until the message that puts it into effect arrives. */
export async function afterCompaction({ now }: ClaudeContext, input: SdkHookInput): Promise<SdkHookOutput> {
  if (input.agent_id === undefined) now.summary = input.compact_summary;
  return {};
}

/**
 * Number of exchanges that our log keeps in a compaction by the SDK. The SDK keeps almost nothing, so this is only the
 * last exchange, which our log always keeps.
 */
export const KEPT_BY_SDK = 1;

/** The reason used if the SDK has compacted its conversation even though the session's log has nothing to compact. */
const SDK_ONLY = { reason: "sdk-compacted-alone", params: {} } as const;

/** Matches the tags around the SDK's summary. */
const SUMMARY = /<summary>([\s\S]*?)<\/summary>/u;

/**
 * Records that the SDK has compacted its session. The SDK's summary is also written to our log, so that any agent that
 * continues the session sees the same summary.
 */
export async function recordCompaction(
  context: ClaudeContext,
  { compact_metadata: counts }: SdkCompactBoundary,
): Promise<void> {
  const { session, now, emit } = context;
  const reason = counts.trigger === "manual" ? "asked" : "full";
  const summary = summaryIn(now.summary ?? "");
  now.summary = undefined;
  const before = session.tokenCount;
  now.preserved = new Set(counts.preserved_messages?.uuids);
  const isInLog = summary !== "" && (await compactLog(context, { summary, reason })) === "written";
  if (!isInLog) {
    // If the user requested the compaction, this failure is reported to the user. A compaction that is not in the log
    // is never reported as done.
    const why = englishText(SDK_ONLY);
    now.compacted = { type: "compaction", outcome: "failed", reason, why, error: SDK_ONLY };
    if (reason === "full") emit({ type: "warning", code: "COMPACTED_THERE_ONLY", message: why, ...SDK_ONLY });
    return;
  }
  // The tokens are counted as the log counts them, so that users see the same numbers after the session is reopened.
  const after = session.tokenCount;
  now.compacted = { type: "compaction", outcome: "done", reason, before, after, model: context.model() };
  emit(now.compacted);
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
