import type { Entry, EntryOf } from "../record/entry.ts";
import { noUsage, sumOfUsage, type Usage } from "../record/parts.ts";
import { isOnBranch, type Outline } from "./outline.ts";
import { isEntryToCount, type Row } from "./row.ts";
import { contextTokens } from "./token-count.ts";

/**
 * Statistics about the work and usage of one or more sessions. All branches count, because the user paid for abandoned
 * branches, too.
 */
export interface Stats {
  readonly sessions: number;
  readonly prompts: number;
  /** The number of step checkpoints, which are created before model calls. */
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
  /** The number of replies for which the provider did not report usage. `usage` does not include them. */
  readonly uncounted: number;
  readonly usage: Usage;
  /**
   * The number of tokens that were not sent in this model's requests because the agent had gone back; see
   * BacktrackStats.
   */
  readonly notSent: number;
}

export interface ToolStats {
  readonly name: string;
  readonly calls: number;
  readonly failed: number;
  readonly denied: number;
  /** The number of calls that were interrupted or whose end is unknown. */
  readonly interrupted: number;
}

interface BacktrackStats {
  readonly count: number;
  /** The number of entries that the backtracks left behind. */
  readonly entries: number;
  /** The number of context tokens in these entries. */
  readonly tokens: number;
  /**
   * The number of tokens that backtracks removed from the context and that no redo brought back. Each token is counted
   * once.
   */
  readonly saved: number;
  /**
   * The number of tokens that were not sent because of backtracks. For every request on a branch after a backtrack,
   * adds the tokens that the backtrack left behind and subtracts the tokens in its note. The sum ends at a compaction,
   * because a compaction would have removed the tokens as well. The result can be negative, because a note can be
   * longer than what it replaces.
   */
  readonly notSent: number;
}

interface CompactionStats {
  readonly reason: EntryOf<"compaction">["reason"];
  readonly before: number;
  readonly after: number;
}

/** Merges the statistics from several sessions. */
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

/** Merges the statistics for each model. The model with the most replies comes first. */
function mergedModels(models: readonly ModelStats[]): readonly ModelStats[] {
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

function mergedTools(tools: readonly ToolStats[]): readonly ToolStats[] {
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

type Outcome = EntryOf<"tool-end">["outcome"];

/** Counts the entries of one session. Entries must be added in log order. The entries' long strings are not needed. */
export class Tally {
  readonly #outline: Outline;
  /**
   * The time of the earliest entry that counts. In a fork, earlier entries were copied from the original session and
   * are counted there.
   */
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

  /** Adds a reply. Calls are counted when they are requested, because a denied call never starts. */
  #addReply({ seq, model, usage, parts }: EntryOf<"reply">): void {
    for (const part of parts) {
      if (part.type === "tool-call")
        this.#calls.push({ call: part.call, name: part.name, outcome: "interrupted" });
    }
    const uncounted = usage === undefined ? 1 : 0;
    this.#models.push({ line: seq, model, replies: 1, uncounted, usage: usage ?? noUsage, notSent: 0 });
  }

  /** Records the outcome of the newest call with this id, because providers reuse ids. */
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

/** The size of the path that one backtrack abandoned. */
interface LeftBehind {
  readonly entries: number;
  readonly tokens: number;
}

/** The path that a backtrack abandoned, with the lines where the backtrack started and landed. */
export interface WayLeft extends LeftBehind {
  readonly from: number;
  readonly landing: number;
}

/**
 * The size of the path that a backtrack abandoned. The size is 0 if the start of the path is lost or is not in this
 * log, as in a fork.
 */
export function leftBehind(outline: Outline, backtrack: EntryOf<"backtrack">): LeftBehind {
  const { entries, tokens } = wayLeftBy(outline, backtrack);
  return { entries, tokens };
}

export function wayLeftBy(outline: Outline, { seq, from: left }: EntryOf<"backtrack">): WayLeft {
  const from = outline.byId(left);
  const landing = outline.at(outline.at(seq)?.parent ?? 0);
  if (from === undefined || landing === undefined) return { entries: 0, tokens: 0, from: 0, landing: 0 };
  const tokens = contextTokens(outline, from, seq) - contextTokens(outline, landing, seq);
  return {
    entries: distance(outline, from, landing),
    tokens: Math.max(0, tokens),
    from: from.seq,
    landing: landing.seq,
  };
}

/**
 * The number of tokens that backtracks removed from the context. Tokens that a redo brought back do not count. If the
 * same part of the log was abandoned twice, it counts once.
 */
export function savedByBacktracks(outline: Outline, ways: Iterable<WayLeft>): number {
  const left = new Set<number>();
  let tokens = 0;
  for (const way of [...ways].sort((a, b) => b.from - a.from)) {
    const from = outline.at(way.from);
    if (from === undefined || left.has(way.from) || isOnBranch(outline, from)) continue;
    tokens += way.tokens;
    let row: Row | undefined = from;
    while (row !== undefined && row.seq > way.landing) {
      left.add(row.seq);
      row = outline.at(row.parent);
    }
  }
  return tokens;
}

function distance(outline: Outline, from: Row, landing: Row): number {
  let count = 0;
  let row: Row | undefined = from;
  while (row !== undefined && row.seq > landing.seq) {
    if (isEntryToCount(row)) count += 1;
    row = outline.at(row.parent);
  }
  return count;
}

/**
 * For each reply's line, the number of tokens that its request did not contain because earlier backtracks on the branch
 * had left them behind. A parent always comes before its children, so one pass over the log is enough.
 */
function notSentByReply(
  outline: Outline,
  leftByLine: ReadonlyMap<number, LeftBehind>,
): ReadonlyMap<number, number> {
  const carried = new Map<number, number>();
  const notSent = new Map<number, number>();
  for (const row of outline.rows()) {
    const before = carried.get(row.parent) ?? 0;
    if (row.kind === "reply" && before !== 0) notSent.set(row.seq, before);
    const now = afterRow(row, before, leftByLine);
    if (now !== 0) carried.set(row.seq, now);
  }
  return notSent;
}

/**
 * Returns the number of tokens that are missing from requests after `row`. `before`: the number that is missing from
 * requests after its parent.
 */
function afterRow(row: Row, before: number, leftByLine: ReadonlyMap<number, LeftBehind>): number {
  if (row.kind === "compaction") return 0;
  const left = leftByLine.get(row.seq);
  return left === undefined ? before : before + left.tokens - row.estimate;
}
