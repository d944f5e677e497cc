import type { CompactionTold } from "../../../../ports/agent-events.ts";
import { isWorldlineError } from "../../../../record/error.ts";
import type { SdkCompactBoundary } from "../../sdk/sdk-types.ts";
import type { ClaudeBench } from "../claude-bench.ts";

const TOO_SHORT =
  "The SDK has compacted its conversation. In the session's log it is too short for that, and stays as it is.";

/** What the SDK's summary stands between. */
const SUMMARY = /<summary>([\s\S]*?)<\/summary>/u;

/** The SDK has compacted its session: its summary goes into our log too, so that whoever goes on there sees the same. */
export async function noteCompaction(
  bench: ClaudeBench,
  { compact_metadata: counts }: SdkCompactBoundary,
): Promise<void> {
  const { session, now, tell } = bench;
  const reason = counts.trigger === "manual" ? "asked" : "full";
  const summary = summaryIn(now.summary ?? "");
  now.summary = undefined;
  const before = session.tokenCount;
  const isInLog = summary !== "" && (await compactLog(bench, { summary, reason })) === "written";
  // What is in the log is counted as the log is: after the session is opened again, the same numbers are shown.
  const numbers = isInLog
    ? { before, after: session.tokenCount }
    : { before: counts.pre_tokens, after: counts.post_tokens ?? before };
  const told: CompactionTold = {
    type: "compaction",
    outcome: "done",
    reason,
    ...numbers,
    model: bench.model(),
  };
  now.compacted = told;
  now.preserved = new Set(counts.preserved_messages?.uuids);
  tell(told);
}

function summaryIn(text: string): string {
  return (SUMMARY.exec(text)?.[1] ?? text).trim();
}

/** The SDK keeps next to nothing, so neither do we. Our log lets the last exchange stay in any case, and says so. */
async function compactLog(
  { session, tell, now: { focus } }: ClaudeBench,
  compaction: { readonly summary: string; readonly reason: "asked" | "full" },
): Promise<"written" | "too-short"> {
  try {
    await session.compact({ ...compaction, keep: 1, ...(focus === undefined ? {} : { focus }) });
    return "written";
  } catch (error) {
    if (!isWorldlineError(error, "NOTHING_TO_COMPACT")) throw error;
    tell({ type: "warning", code: "COMPACTED_THERE_ONLY", message: TOO_SHORT });
    return "too-short";
  }
}
