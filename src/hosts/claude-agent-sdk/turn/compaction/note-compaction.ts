import { isWorldlineError } from "../../../../record/error.ts";
import type { SdkCompactBoundary } from "../../sdk/sdk-types.ts";
import type { ClaudeContext } from "../claude-context.ts";

/** The SDK keeps next to nothing, so neither do we; our log lets the last exchange stay in any case. */
export const KEPT_BY_SDK = 1;

const THERE_ONLY =
  "The SDK has compacted its own conversation. The session's log has nothing to compact, and stays as it is.";

/** What the SDK's summary stands between. */
const SUMMARY = /<summary>([\s\S]*?)<\/summary>/u;

/** The SDK has compacted its session: its summary goes into our log too, so that whoever goes on there sees the same. */
export async function noteCompaction(
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
