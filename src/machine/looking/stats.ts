import type { EntryKind } from "../../record/entry.ts";
import type { Stats } from "../../timeline/stats/stats.ts";
import { Tally } from "../../timeline/stats/tally.ts";
import type { SessionView } from "../view.ts";

const COUNTED: readonly EntryKind[] = [
  "prompt",
  "step",
  "reply",
  "tool-end",
  "backtrack",
  "rewind",
  "redo",
  "compaction",
];

/** How many lines are read at once: results are long, and are dropped as soon as they are counted. */
const PAGE = 1_000;

/** What the session has done and used, on all its branches. */
export async function statsOf(view: SessionView): Promise<Stats> {
  const tally = new Tally(view.outline, view.header);
  const lines = COUNTED.flatMap((kind) => view.outline.linesOf(kind)).sort((a, b) => a - b);
  for (let from = 0; from < lines.length; from += PAGE) {
    for (const entry of await view.storedEntries(lines.slice(from, from + PAGE))) tally.add(entry);
  }
  return tally.finish();
}
