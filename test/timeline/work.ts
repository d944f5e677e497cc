import type { Entry, EntryOf } from "../../src/record/entry.ts";
import { type EntryId, toCheckpointNumber } from "../../src/record/ids.ts";
import { textPart, type Usage } from "../../src/record/parts.ts";
import { Story } from "../../src/testing/story.ts";
import { Outline } from "../../src/timeline/outline.ts";
import { type Stats, Tally } from "../../src/timeline/stats.ts";

/** A story with statistics. The test specifies every estimate, so it knows all token counts in advance. */
export class Work extends Story {
  says(estimate: number, given: { readonly model?: string; readonly usage?: Usage } = {}): EntryOf<"reply"> {
    return this.tell({ kind: "reply", model: "m", parts: [textPart("Yes.")], estimate, ...given });
  }

  /** A reply that makes these calls: `requests("a Read", "b Bash")`. */
  requests(...calls: readonly string[]): EntryOf<"reply"> {
    const parts = calls.map((each) => {
      const [call = "", name = ""] = each.split(" ");
      return { type: "tool-call" as const, call, name, input: {} };
    });
    return this.tell({ kind: "reply", model: "m", parts: [textPart("I will."), ...parts], estimate: 0 });
  }

  ends(call: string, outcome: EntryOf<"tool-end">["outcome"]): void {
    this.tell({ kind: "tool-end", call, outcome, parts: [], estimate: 0 });
  }

  /** Goes back to an entry; the note has this estimate. */
  goesBack(landing: Entry, estimate = 0, from: EntryId = this.last.id): EntryOf<"backtrack"> {
    const to = toCheckpointNumber(1);
    const said = { prompts: [], told: [], changed: [], running: [] };
    return this.tell(
      { kind: "backtrack", to, from, files: "keep", note: "n", ...said, times: 1, estimate },
      landing.id,
    );
  }

  redoes(journey: EntryOf<"backtrack">): EntryOf<"redo"> {
    const body = { journey: journey.id, from: this.last.id, scope: "conversation", revokes: "note" } as const;
    return this.tell({ kind: "redo", ...body, estimate: 0 }, journey.from);
  }

  compacts(given: { readonly model?: string; readonly usage?: Usage } = {}): EntryOf<"compaction"> {
    const body = { summary: "s", firstKept: this.last.id, pinned: [], reason: "full", kept: 40 } as const;
    return this.tell({ kind: "compaction", ...body, tokensBefore: 900, estimate: 10, ...given });
  }

  get outline(): Outline {
    const outline = new Outline();
    for (const entry of this.entries) outline.add(entry);
    return outline;
  }

  get stats(): Stats {
    const tally = new Tally(this.outline, this.entries[0] as EntryOf<"session">);
    for (const entry of this.entries) tally.add(entry);
    return tally.finish();
  }

  /** What all backtracks together removed from the context. */
  get saved(): number {
    return this.stats.backtracks.saved;
  }
}

export const usage = (input: number): Usage => ({ input, output: 2, cacheRead: 3, cacheWrite: 4 });

export function begun(): Work {
  const work = new Work();
  work.begin();
  return work;
}
