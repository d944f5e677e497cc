import { fromSource } from "./from-source.mjs";

export const sessions = 1000;

/** Figure 9: sessions whose summarizer fails in many different ways. */
export async function badSummaries() {
  const { fuzzCompaction } = await fromSource(
    'export { fuzzCompaction } from "./test/agent/compaction/fuzz-compaction.ts";',
  );
  return fuzzCompaction(sessions, 1);
}
