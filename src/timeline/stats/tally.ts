import type { Entry, EntryOf } from "../../record/entry.ts";
import type { Outline } from "../outline.ts";
import { contextTokens } from "../tokens/count.ts";
import { notSentByReply, savedByBacktracks, type WayLeft, wayLeftBy } from "./left-behind.ts";
import {
  type CompactionStats,
  type ModelStats,
  mergedModels,
  mergedTools,
  noUsage,
  type Stats,
  type ToolStats,
} from "./stats.ts";

type Outcome = EntryOf<"tool-end">["outcome"];

/**
 * Counts the entries of one session, given one after the other in the order of the log. Long texts may be missing in
 * them: none is looked at.
 */
export class Tally {
  readonly #outline: Outline;
  /** Entries from before belong to the session that this one was forked from, and were counted there. */
  readonly #since: string;
  readonly #counts = { prompt: 0, step: 0, rewind: 0, redo: 0 };
  readonly #models: (ModelStats & { readonly line: number })[] = [];
  readonly #calls: { readonly call: string; readonly name: string; outcome: Outcome }[] = [];
  readonly #left = new Map<number, WayLeft>();
  readonly #compactions: CompactionStats[] = [];

  constructor(outline: Outline, header: EntryOf<"session">) {
    this.#outline = outline;
    this.#since = header.forkedFrom === undefined ? "" : header.at;
  }

  add(entry: Entry): void {
    if (entry.at < this.#since) return;
    switch (entry.kind) {
      case "prompt":
      case "step":
      case "rewind":
      case "redo":
        this.#counts[entry.kind] += 1;
        break;
      case "reply":
        this.#addReply(entry);
        break;
      case "tool-end":
        this.#endCall(entry);
        break;
      case "backtrack":
        this.#left.set(entry.seq, wayLeftBy(this.#outline, entry));
        break;
      case "compaction":
        this.#addCompaction(entry);
        break;
      default:
    }
  }

  finish(): Stats {
    const notSent = notSentByReply(this.#outline, this.#left);
    const models = this.#models.map(({ line, ...model }) => ({ ...model, notSent: notSent.get(line) ?? 0 }));
    const left = [...this.#left.values()];
    const { prompt, step, rewind, redo } = this.#counts;
    return {
      sessions: 1,
      prompts: prompt,
      steps: step,
      models: mergedModels(models),
      tools: mergedTools(this.#calls.map(toolOf)),
      backtracks: {
        count: left.length,
        entries: sum(left.map(({ entries }) => entries)),
        tokens: sum(left.map(({ tokens }) => tokens)),
        saved: savedByBacktracks(this.#outline, left),
        notSent: sum(models.map((model) => model.notSent)),
      },
      rewinds: rewind,
      redos: redo,
      compactions: this.#compactions,
    };
  }

  /** Calls are counted as they were asked for: one that was denied never starts. */
  #addReply({ seq, model, usage, parts }: EntryOf<"reply">): void {
    for (const part of parts) {
      if (part.type === "tool-call")
        this.#calls.push({ call: part.call, name: part.name, outcome: "interrupted" });
    }
    const uncounted = usage === undefined ? 1 : 0;
    this.#models.push({ line: seq, model, replies: 1, uncounted, usage: usage ?? noUsage, notSent: 0 });
  }

  /** Providers use ids again: the newest call of that id is meant. */
  #endCall({ call, outcome }: EntryOf<"tool-end">): void {
    const asked = this.#calls.findLast((each) => each.call === call);
    if (asked !== undefined) asked.outcome = outcome;
  }

  #addCompaction({ seq, reason, tokensBefore, model, usage }: EntryOf<"compaction">): void {
    if (model !== undefined) {
      this.#models.push({ line: seq, model, replies: 0, uncounted: 0, usage: usage ?? noUsage, notSent: 0 });
    }
    const after = contextTokens(this.#outline, this.#outline.at(seq), seq);
    this.#compactions.push({ reason, before: tokensBefore, after });
  }
}

function toolOf({ name, outcome }: { readonly name: string; readonly outcome: Outcome }): ToolStats {
  return {
    name,
    calls: 1,
    failed: outcome === "error" ? 1 : 0,
    denied: outcome === "denied" ? 1 : 0,
    interrupted: outcome === "interrupted" ? 1 : 0,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
