import type { EntryOf } from "../../record/entry.ts";
import type { Usage } from "../../record/parts.ts";

/** What a session, or several, has done and used: all branches, because what was left was paid for as well. */
export interface Stats {
  readonly sessions: number;
  readonly prompts: number;
  /** Checkpoints before model calls. */
  readonly steps: number;
  readonly models: readonly ModelStats[];
  readonly tools: readonly ToolStats[];
  readonly backtracks: BacktrackStats;
  readonly rewinds: number;
  readonly redos: number;
  readonly compactions: readonly CompactionStats[];
}

export interface ModelStats {
  readonly model: string;
  readonly replies: number;
  /** Replies whose provider did not say what they used: they are missing in `usage`. */
  readonly uncounted: number;
  readonly usage: Usage;
  /** Tokens that its requests did not carry because the agent had gone back; see BacktrackStats. */
  readonly notSent: number;
}

export interface ToolStats {
  readonly name: string;
  readonly calls: number;
  readonly failed: number;
  readonly denied: number;
  /** Interrupted, or not known to have ended. */
  readonly interrupted: number;
}

export interface BacktrackStats {
  readonly count: number;
  /** Entries that the agent went back behind. */
  readonly entries: number;
  /** What these took of the context. */
  readonly tokens: number;
  /** Of that, what is out of the context now, each token once: a redo brings some of it back. */
  readonly saved: number;
  /**
   * For every later request that stands on a backtrack: what was left behind, less what the note takes. Adds up over
   * requests, and ends with a compaction, which would have taken it out as well. May be negative: a note can be longer
   * than what it replaces.
   */
  readonly notSent: number;
}

export interface CompactionStats {
  readonly reason: EntryOf<"compaction">["reason"];
  readonly before: number;
  readonly after: number;
}

export const noUsage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export function sumOfUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}

/** The part of what was sent that the provider had in its cache; undefined when nothing was counted. */
export function cacheHitRate({ input, cacheRead }: Usage): number | undefined {
  return input === 0 ? undefined : cacheRead / input;
}

/** Several sessions as one. */
export function mergeStats(all: readonly Stats[]): Stats {
  const sum = (pick: (stats: Stats) => number): number =>
    all.reduce((total, stats) => total + pick(stats), 0);
  return {
    sessions: sum(({ sessions }) => sessions),
    prompts: sum(({ prompts }) => prompts),
    steps: sum(({ steps }) => steps),
    models: mergedModels(all.flatMap(({ models }) => models)),
    tools: mergedTools(all.flatMap(({ tools }) => tools)),
    backtracks: {
      count: sum(({ backtracks }) => backtracks.count),
      entries: sum(({ backtracks }) => backtracks.entries),
      tokens: sum(({ backtracks }) => backtracks.tokens),
      saved: sum(({ backtracks }) => backtracks.saved),
      notSent: sum(({ backtracks }) => backtracks.notSent),
    },
    rewinds: sum(({ rewinds }) => rewinds),
    redos: sum(({ redos }) => redos),
    compactions: all.flatMap(({ compactions }) => compactions),
  };
}

/** Those that were used most come first. */
export function mergedModels(models: readonly ModelStats[]): readonly ModelStats[] {
  const byName = new Map<string, ModelStats>();
  for (const each of models) {
    const known = byName.get(each.model);
    byName.set(each.model, {
      model: each.model,
      replies: each.replies + (known?.replies ?? 0),
      uncounted: each.uncounted + (known?.uncounted ?? 0),
      usage: sumOfUsage(each.usage, known?.usage ?? noUsage),
      notSent: each.notSent + (known?.notSent ?? 0),
    });
  }
  return [...byName.values()].sort((a, b) => b.replies - a.replies || compare(a.model, b.model));
}

export function mergedTools(tools: readonly ToolStats[]): readonly ToolStats[] {
  const byName = new Map<string, ToolStats>();
  for (const each of tools) {
    const known = byName.get(each.name);
    byName.set(each.name, {
      name: each.name,
      calls: each.calls + (known?.calls ?? 0),
      failed: each.failed + (known?.failed ?? 0),
      denied: each.denied + (known?.denied ?? 0),
      interrupted: each.interrupted + (known?.interrupted ?? 0),
    });
  }
  return [...byName.values()].sort((a, b) => b.calls - a.calls || compare(a.name, b.name));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : 1;
}
