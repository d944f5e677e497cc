import { fromSource } from "./from-source.mjs";

export const sessions = 1000;

/** Figure 9: sessions with a bad summarizer, in many ways. */
export async function badSummaries() {
  const { fuzzCompaction } = await fromSource(
    'export { fuzzCompaction } from "./test/agent/compaction/fuzz-compaction.ts";',
  );
  return fuzzCompaction(sessions, 1);
}
