import type { Session } from "../../machine/session.ts";
import type { AgentEvent, CompactionFailed, CompactionTold } from "../../ports/agent-events.ts";
import type { Model } from "../../ports/model.ts";
import { type ErrorReason, inEnglish, type Problem } from "../../record/error.ts";
import type { Usage } from "../../record/parts.ts";
import { type AgentSettings, type Reserve, reserveOf } from "../agent-context.ts";
import { type CompactionOutcome, compactSession } from "./compact-session.ts";

type Reason = CompactionTold["reason"];

export interface CompactorOptions {
  readonly session: Session;
  readonly model: () => Model;
  /** A cheaper model for summaries, if the settings name one. The main model is then the fallback. */
  readonly summariser?: Model | undefined;
  readonly settings: AgentSettings["compaction"];
  readonly changedFiles: () => Promise<readonly string[]>;
  readonly emit: (event: AgentEvent) => void;
  readonly onSpent: (model: string, usage: Usage) => void;
}

/** Compacts when the context is full, and stops automatic compactions when they free nothing. */
export class Compactor {
  readonly #options: CompactorOptions;
  #breaker = freshBreaker;

  constructor(options: CompactorOptions) {
    this.#options = options;
  }

  /** Allows automatic compactions again, because they may be useful after a new prompt. */
  renew(): void {
    this.#breaker = freshBreaker;
  }

  async ifDue(signal: AbortSignal): Promise<"done" | "not-done"> {
    const { settings } = this.#options;
    if (settings.auto === "off" || isStopped(this.#breaker) || !this.#isDue()) return "not-done";
    return this.#byItself("full", signal);
  }

  /** Compacts the context because the provider reported that it is too long, regardless of our own count. */
  async compactTooLong(signal: AbortSignal): Promise<"done" | "not-done"> {
    return isStopped(this.#breaker) ? "not-done" : this.#byItself("too-long", signal);
  }

  async asked(focus: string | undefined, signal: AbortSignal): Promise<CompactionTold> {
    this.renew();
    return this.#emitOutcome("asked", await this.#compact("asked", signal, focus));
  }

  async #byItself(reason: Reason, signal: AbortSignal): Promise<"done" | "not-done"> {
    const { session, emit } = this.#options;
    const before = session.tokenCount;
    const end = await this.#compact(reason, signal);
    if (signal.aborted) return "not-done";
    const due = this.#isDue() ? "still" : "no-longer";
    this.#breaker = afterCompacting(this.#breaker, { before, after: session.tokenCount, due });
    this.#emitOutcome(reason, end);
    if (isStopped(this.#breaker)) {
      emit({ type: "compaction", outcome: "stopped", reason, ...whyOf("compacting-stopped") });
    }
    return end.outcome === "done" ? "done" : "not-done";
  }

  async #compact(reason: Reason, signal: AbortSignal, focus?: string): Promise<CompactionOutcome> {
    const { session, model, summariser, settings, changedFiles, emit } = this.#options;
    emit({ type: "doing", doing: { what: "compacting" } });
    const summarises = summariser ?? model();
    const end = await compactSession({
      session,
      model: summarises,
      fallback: summariser && model(),
      keep: settings.keep,
      reason,
      focus,
      changedFiles: await changedFiles(),
      signal,
    });
    if (end.outcome !== "nothing") {
      this.#options.onSpent(end.outcome === "done" ? end.model : summarises.name, end.usage);
    }
    return end;
  }

  #emitOutcome(reason: Reason, end: CompactionOutcome): CompactionTold {
    const event: CompactionTold =
      end.outcome === "done"
        ? {
            type: "compaction",
            outcome: "done",
            reason,
            before: end.before,
            after: end.after,
            model: end.model,
          }
        : {
            type: "compaction",
            outcome: "failed",
            reason,
            ...whyNot(reason, end),
          };
    this.#options.emit(event);
    return event;
  }

  #isDue(): boolean {
    const { session, model, settings } = this.#options;
    const { ratio, reserve } = settings;
    return isDue({ tokens: session.tokenCount, window: model().window, ratio, reserve });
  }
}

type NotCompacted = Exclude<CompactionOutcome, { readonly outcome: "done" }>;

/**
 * Returns the reason why the compaction failed. After an automatic compaction, a hint says what the user can do. A user
 * who requested the compaction does not need the hint.
 */
function whyNot(reason: Reason, end: NotCompacted): Omit<CompactionFailed, "type" | "outcome" | "reason"> {
  if (end.outcome === "nothing")
    return whyOf(reason === "asked" ? "nothing-to-compact-now" : "nothing-left-to-compact");
  const { why, problem } = end;
  return typeof problem === "string" ? { why } : { why, error: problem };
}

type Stated = Extract<
  ErrorReason,
  "nothing-to-compact-now" | "nothing-left-to-compact" | "compacting-stopped"
>;

function whyOf(reason: Stated): { readonly why: string; readonly error: Exclude<Problem, string> } {
  const { message, params } = inEnglish(reason, {});
  return { why: message, error: { reason, params } };
}

interface Fill {
  /** Current number of tokens in the context. */
  readonly tokens: number;
  /** The size of the model's context window in tokens, or 0 if unknown. */
  readonly window: number;
  /** The share of the window that may be used before a compaction (`compaction.ratio`). */
  readonly ratio: number;
  /** Number of tokens to keep free (`compaction.reserve`). The default is "auto". */
  readonly reserve?: Reserve;
}

/**
 * Checks whether a compaction is due. Always returns false if the window is unknown. In that case, the provider will
 * reject a context that is too long.
 */
export function isDue({ tokens, window, ratio, reserve }: Fill): boolean {
  if (window <= 0) return false;
  return tokens + reserveOf(window, reserve) >= window || tokens >= ratio * window;
}

/** Counts automatic compactions that freed nothing. Each further attempt would cost a model call. */
interface Breaker {
  readonly fruitless: number;
}

/** The initial state, and the state after a new prompt or the user's own /compact. */
export const freshBreaker: Breaker = { fruitless: 0 };

const MAX_FRUITLESS = 2;
/** A compaction counts as fruitless if the context is still larger than this share of its previous size. */
const PROGRESS = 0.9;

/** How an automatic compaction ended. A failed or empty compaction leaves the context unchanged. */
interface Tried {
  readonly before: number;
  readonly after: number;
  /** Whether another compaction is still due. */
  readonly due: "still" | "no-longer";
}

export function afterCompacting(breaker: Breaker, { before, after, due }: Tried): Breaker {
  const isProgress = due === "no-longer" || after <= PROGRESS * before;
  return isProgress ? freshBreaker : { fruitless: breaker.fruitless + 1 };
}

/** Checks whether automatic compaction has stopped. */
export function isStopped({ fruitless }: Breaker): boolean {
  return fruitless >= MAX_FRUITLESS;
}
