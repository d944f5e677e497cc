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
  /** A cheaper one, where the settings name it; the main one is then the fallback. */
  readonly summariser?: Model | undefined;
  readonly settings: AgentSettings["compaction"];
  readonly changedFiles: () => Promise<readonly string[]>;
  readonly emit: (event: AgentEvent) => void;
  readonly onSpent: (model: string, usage: Usage) => void;
}

/** Compacts when it is time, and stops doing so by itself when it brings nothing. */
export class Compactor {
  readonly #options: CompactorOptions;
  #breaker = freshBreaker;

  constructor(options: CompactorOptions) {
    this.#options = options;
  }

  /** The person has spoken: what brought nothing before may bring something now. */
  renew(): void {
    this.#breaker = freshBreaker;
  }

  async ifDue(signal: AbortSignal): Promise<"done" | "not-done"> {
    const { settings } = this.#options;
    if (settings.auto === "off" || isStopped(this.#breaker) || !this.#isDue()) return "not-done";
    return this.#byItself("full", signal);
  }

  /** The provider says that the context is too long, whatever we counted. */
  async tooLong(signal: AbortSignal): Promise<"done" | "not-done"> {
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
    const told: CompactionTold =
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
    this.#options.emit(told);
    return told;
  }

  #isDue(): boolean {
    const { session, model, settings } = this.#options;
    const { ratio, reserve } = settings;
    return isDue({ tokens: session.tokenCount, window: model().window, ratio, reserve });
  }
}

type NotCompacted = Exclude<CompactionOutcome, { readonly outcome: "done" }>;

/** Whoever asked knows what there is; whoever did not is told what helps. */
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
  /** What the context holds now. */
  readonly tokens: number;
  /** What the model's context can hold; 0 where nobody knows. */
  readonly window: number;
  /** The part of the window from which on it is time, whatever is left: `compaction.ratio`. */
  readonly ratio: number;
  /** How many tokens stay free: `compaction.reserve`. Absent: "auto". */
  readonly reserve?: Reserve;
}

/** Whether it is time to compact. Without a known window it never is: then the provider says so. */
export function isDue({ tokens, window, ratio, reserve }: Fill): boolean {
  if (window <= 0) return false;
  return tokens + reserveOf(window, reserve) >= window || tokens >= ratio * window;
}

/** Counts automatic compactions that brought nothing. Each one costs a model call, and the next would cost it again. */
interface Breaker {
  readonly fruitless: number;
}

/** As it begins, and as a new prompt of the person or their own /compact leaves it. */
export const freshBreaker: Breaker = { fruitless: 0 };

const MAX_FRUITLESS = 2;
/** A context that is still larger than this part of what it was has not become smaller. */
const PROGRESS = 0.9;

/** How an automatic compaction went. One that failed, or that found nothing, leaves the context as it was. */
interface Tried {
  readonly before: number;
  readonly after: number;
  /** Whether it is time to compact all the same. */
  readonly due: "still" | "no-longer";
}

export function afterCompacting(breaker: Breaker, { before, after, due }: Tried): Breaker {
  const isProgress = due === "no-longer" || after <= PROGRESS * before;
  return isProgress ? freshBreaker : { fruitless: breaker.fruitless + 1 };
}

/** Whether the agent may compact by itself no more. */
export function isStopped({ fruitless }: Breaker): boolean {
  return fruitless >= MAX_FRUITLESS;
}
