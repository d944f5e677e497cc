import { systemClock } from "../../disk/system-clock.ts";
import type { Session } from "../../machine/session.ts";
import { type SessionView, todosAtHead } from "../../machine/view.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Model, ModelEvent, ModelFailure } from "../../ports/model.ts";
import type { Entry, EntryOf } from "../../record/entry.ts";
import {
  type ErrorCode,
  type ErrorParams,
  type ErrorReason,
  englishText,
  inEnglish,
  isWorldlineError,
  type Problem,
  problemIn,
} from "../../record/error.ts";
import { noUsage, sumOfUsage, type Usage } from "../../record/parts.ts";
import { reachesOf } from "../../timeline/calls.ts";
import { branchOf } from "../../timeline/outline.ts";
import type { Row } from "../../timeline/row.ts";
import { weighSummary } from "../../timeline/token-count.ts";
import { type CompactionCut, compactionCut } from "../../travel/compact.ts";
import { errorEntry } from "../failure.ts";
import { type Standing, withStanding } from "./material.ts";
import { type Summarised, summarise } from "./summarise.ts";

export interface CompactionOptions {
  readonly session: Session;
  /** The model that summarizes. */
  readonly model: Model;
  /** The model that summarizes if the first one has failed twice or cannot summarize. */
  readonly fallback?: Model | undefined;
  /** Number of exchanges to keep unchanged. */
  readonly keep: number;
  readonly reason: EntryOf<"compaction">["reason"];
  readonly focus?: string | undefined;
  /** Files that have changed since before the session's first turn. */
  readonly changedFiles: readonly string[];
  readonly signal: AbortSignal;
  readonly onModelEvent?: (event: ModelEvent) => void;
  readonly clock?: Pick<Clock, "wait">;
}

export type CompactionOutcome =
  | {
      readonly outcome: "done";
      /** Number of tokens in the context before the compaction. */
      readonly before: number;
      readonly after: number;
      readonly model: string;
      readonly usage: Usage;
    }
  | {
      readonly outcome: "failed";
      readonly why: string;
      readonly problem: Problem;
      readonly code: ErrorCode;
      readonly attempts: number;
      readonly usage: Usage;
    }
  | { readonly outcome: "nothing" };

/**
 * The share of the material to send in each attempt. A model that fails with all of the material may succeed with less.
 */
const SHARES = [1, 0.5, 0.25] as const;
/**
 * The pause before the second attempt. The pause before the third is twice as long. The pause is longer if the provider
 * is busy than if the request failed for another reason.
 */
const PAUSE_MS = { busy: 1_000, failed: 250 } as const;
const MAX_PAUSE_MS = 30_000;
/** The user's prompts may use this share of the tokens that the summary replaces, up to `MAX_QUOTED_CHARACTERS`. */
const QUOTED = 0.2;
const MAX_QUOTED_CHARACTERS = 4_000;

/**
 * Replaces the older part of the conversation with a summary. Writes nothing until a model has returned an acceptable
 * summary. After three failed attempts, it logs an `error` entry and leaves the context unchanged.
 */
export async function compactSession(options: CompactionOptions): Promise<CompactionOutcome> {
  const { session, keep } = options;
  const decided = await decideCompaction(session, options);
  if (decided === undefined) return { outcome: "nothing" };
  const { cut, standing } = decided;
  const tried = await tryToSummarise(options, cut, standing);
  const { attempts, usage } = tried;
  if (tried.got === "nothing") {
    await noteFailure(session, tried);
    return {
      outcome: "failed",
      why: englishText(tried.problem),
      problem: tried.problem,
      code: tried.code,
      attempts,
      usage,
    };
  }
  const before = session.tokenCount;
  const { reason, focus } = options;
  await session.compact({
    summary: tried.summary,
    keep,
    reason,
    ...(focus === undefined ? {} : { focus }),
    by: { model: tried.model, usage },
  });
  return { outcome: "done", before, after: session.tokenCount, model: tried.model, usage };
}

/**
 * Decides which entries a compaction would summarize and which facts it must keep. Returns undefined if there is
 * nothing to compact.
 */
export async function decideCompaction(
  view: SessionView,
  { keep, changedFiles }: Pick<CompactionOptions, "keep" | "changedFiles">,
): Promise<{ readonly cut: Cut; readonly standing: Standing } | undefined> {
  const cut = await cutOf(view, keep);
  if (cut === undefined) return undefined;
  const standing: Standing = {
    todos: await todosAtHead(view),
    changedFiles,
    prompts: await promptsBefore(view, cut),
    budget: Math.min(MAX_QUOTED_CHARACTERS, QUOTED * cut.replaced),
  };
  // If what must be kept is as long as what would be replaced, no summary can help.
  return weightOf(view, withStanding("", standing)) < cut.replaced ? { cut, standing } : undefined;
}

/** Why no attempt produced a summary. */
interface Trouble {
  readonly problem: Problem;
  readonly code: ErrorCode;
}

type Tried = { readonly attempts: number; readonly usage: Usage } & (
  | { readonly got: "summary"; readonly summary: string; readonly model: string }
  | ({ readonly got: "nothing" } & Trouble)
);

async function tryToSummarise(options: CompactionOptions, cut: Cut, standing: Standing): Promise<Tried> {
  let usage: Usage = noUsage;
  let attempts = 0;
  let { model } = options;
  let trouble: Trouble = troubleOf("summary-not-tried", {});
  for (const share of SHARES) {
    attempts += 1;
    if (attempts === SHARES.length) model = options.fallback ?? model;
    const answer = await summarise({
      ...options,
      model,
      share,
      entries: cut.summarised,
      framing: options.session.header,
    });
    if ("usage" in answer && answer.usage !== undefined) usage = sumOfUsage(usage, answer.usage);
    const judged = await judge(options, answer, { cut, standing });
    if ("summary" in judged)
      return { got: "summary", summary: judged.summary, model: model.name, attempts, usage };
    trouble = judged;
    const next = await nextModel(options, model, { answer, attempts, trouble });
    if (next === undefined) break;
    model = next;
  }
  return { got: "nothing", ...trouble, attempts, usage };
}

/** Returns the summary as it would be stored, or the reason for rejecting it. */
async function judge(
  { session, keep }: CompactionOptions,
  answer: Summarised,
  { cut, standing }: { readonly cut: Cut; readonly standing: Standing },
): Promise<{ readonly summary: string } | Trouble> {
  if (answer.got === "failure")
    return { problem: problemOfFailure(answer.failure), code: answer.failure.code };
  if (answer.got === "rejected") return troubleOf("summary-unusable", { fault: answer.why });
  const summary = withStanding(answer.summary, standing);
  if (weightOf(session, summary) >= cut.replaced) {
    return troubleOf("summary-unusable", { fault: "longer" });
  }
  // If entries were written while the model was summarizing, the summary would replace entries that it does not cover.
  if (isSameCut(cut, await cutOf(session, keep))) return { summary };
  return troubleOf("summary-too-late", {});
}

function troubleOf<Reason extends ErrorReason>(reason: Reason, params: ErrorParams<Reason>): Trouble {
  return { problem: { reason, params }, code: inEnglish(reason, params).code };
}

function problemOfFailure({ reason, params, message }: ModelFailure): Problem {
  return problemIn({ why: message, reason, params });
}

/**
 * Waits for the pause, then returns the model for the next attempt. Returns undefined if another attempt would be
 * pointless.
 */
async function nextModel(
  options: CompactionOptions,
  model: Model,
  {
    answer,
    attempts,
    trouble,
  }: { readonly answer: Summarised; readonly attempts: number; readonly trouble: Trouble },
): Promise<Model | undefined> {
  // The material has changed, so another attempt with the same text would be pointless.
  if (options.signal.aborted || trouble.code === "TURN_RUNNING") return undefined;
  if (answer.got !== "failure" || answer.failure.code === "CONTEXT_TOO_LONG") return model;
  const { failure } = answer;
  if (failure.code === "CANCELLED") return undefined;
  if (failure.retry === "never") return options.fallback === model ? undefined : options.fallback;
  if (attempts === SHARES.length) return model;
  await (options.clock ?? systemClock).wait(pauseBefore(attempts, failure), options.signal);
  return options.signal.aborted ? undefined : model;
}

function pauseBefore(attempts: number, { code, retryAfterMs }: ModelFailure): number {
  const first = PAUSE_MS[code === "MODEL_FAILED" ? "failed" : "busy"];
  return Math.min(MAX_PAUSE_MS, retryAfterMs ?? first * 2 ** (attempts - 1));
}

/** Logs why the compaction failed. Writes nothing if the user canceled it, because the user already knows. */
async function noteFailure(session: Session, { problem, code }: Trouble): Promise<void> {
  if (code === "CANCELLED") return;
  await session.append(errorEntry({ ...inEnglish("not-compacted", { problem }), code }));
}

function weightOf({ header }: SessionView, summary: string): number {
  return weighSummary(summary, header);
}

/**
 * The part of the conversation that a compaction would replace. The cut is determined before the model is called and
 * before anything is written.
 */
export interface Cut {
  /** The entries that the summary will replace, oldest first, including an earlier compaction. */
  readonly summarised: readonly Entry[];
  readonly kept: readonly Row[];
  readonly pinned: readonly Row[];
  /** A rough estimate of how many tokens the summary replaces. A summary that is not shorter is rejected. */
  readonly replaced: number;
}

/** Returns the cut for a compaction, or undefined if there is nothing to compact. */
export async function cutOf(view: SessionView, keep: number): Promise<Cut | undefined> {
  const { compaction: last, pinned, entries } = await view.shownAt();
  const cut = tryCut(view, [...pinned, ...entries], { keep, last });
  if (cut === undefined) return undefined;
  const summarised = await view.entries(cut.summarised.map((row) => row.seq));
  const weights = cut.summarised.map((row) => (row.kind === "compaction" ? 0 : row.estimate));
  return {
    summarised,
    kept: cut.kept,
    pinned: cut.pinned,
    replaced: sum(weights) + (last === undefined ? 0 : weighSummary(last.summary, view.header)),
  };
}

/**
 * Returns the user's prompts on this branch that the context will no longer show. These include prompts before earlier
 * compactions and prompts on branches that the agent backtracked from.
 */
async function promptsBefore(view: SessionView, cut: Cut): Promise<readonly Entry[]> {
  const shown = new Set([...cut.kept, ...cut.pinned].map((row) => row.seq));
  const lines = branchOf(view.outline)
    .filter((row) => (row.kind === "prompt" || row.kind === "backtrack") && !shown.has(row.seq))
    .map((row) => row.seq);
  return view.entries(lines);
}

/** Checks whether both cuts would replace the same entries. */
function isSameCut(a: Cut, b: Cut | undefined): boolean {
  if (b === undefined || a.summarised.length !== b.summarised.length) return false;
  return a.summarised.every((entry, index) => entry.id === b.summarised[index]?.id);
}

interface Wanted {
  readonly keep: number;
  readonly last: EntryOf<"compaction"> | undefined;
}

function tryCut(view: SessionView, shown: readonly Entry[], wanted: Wanted): CompactionCut | undefined {
  const asking = shown.filter((entry) => entry.kind === "backtrack" && entry.prompts.length > 0);
  try {
    return compactionCut(view.outline, {
      ...wanted,
      asking: new Set(asking.map(({ id }) => id)),
      reaches: reachesOf(shown),
    });
  } catch (error) {
    if (isWorldlineError(error, "NOTHING_TO_COMPACT")) return undefined;
    throw error;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
