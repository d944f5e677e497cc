import { type CompactionOutcome, compactSession } from "../../../src/agent/compaction/compact-session.ts";
import { afterCompacting, freshBreaker, isDue, isStopped } from "../../../src/agent/compaction/compactor.ts";
import { createSession } from "../../../src/machine/open.ts";
import type { Session } from "../../../src/machine/session.ts";
import type { Entry } from "../../../src/record/entry.ts";
import { type ReplyPart, textPart } from "../../../src/record/parts.ts";
import { openMemoryStore } from "../../../src/stores/memory.ts";
import { ManualClock } from "../../../src/testing/simulated-system.ts";
import type { ContextMessage } from "../../../src/timeline/context/context.ts";
import { faultsIn } from "./compaction-faults.ts";
import { type Behaviour, summariser } from "./summariser.ts";

/** Figure 9: the results of many sessions with a bad summarizer. All but the first five must be 0. */
export interface FuzzReport {
  readonly sessions: number;
  /** Automatic compactions that were attempted. */
  readonly tried: number;
  readonly done: number;
  /** Model calls that those attempts cost. */
  readonly calls: number;
  /** How often the breaker stopped further attempts until the next prompt. */
  readonly stopped: number;
  /** Compactions that made no progress, not counting the first two in a row within one prompt. */
  readonly withoutProgress: number;
  readonly tooManyCalls: number;
  /** Failed compactions that changed the context, even by one byte. */
  readonly touchedOnFailure: number;
  /**
   * Compactions that lost the last prompt or the last exchanges, separated a call from its result, or
   * enlarged the context.
   */
  readonly broken: number;
}

type Counts = { -readonly [Name in keyof FuzzReport]: number };

const RATIO = 0.85;
const KEEP = 2;
const MAX_CALLS = 3;
/** A pool of words to slice texts from; generating each word at random would dominate the run time. */
const POOL = Array.from({ length: 1_000 }, (_, index) => `word${(index * 7_919) % 1_000}`);

/** Plays `count` sessions; the same seed always gives the same sessions. */
export async function fuzzCompaction(count: number, seed: number): Promise<FuzzReport> {
  const counts: Counts = {
    sessions: 0,
    tried: 0,
    done: 0,
    calls: 0,
    stopped: 0,
    withoutProgress: 0,
    tooManyCalls: 0,
    touchedOnFailure: 0,
    broken: 0,
  };
  for (let index = 0; index < count; index += 1) {
    await playSession(new ManualClock({ seed: seed + index * 7_919 }), counts);
    counts.sessions += 1;
  }
  return counts;
}

async function playSession(clock: ManualClock, counts: Counts): Promise<void> {
  const deps = { store: openMemoryStore({ clock }), clock };
  const session = await createSession(deps, { workspace: "/work", system: "Be brief." }, { name: "fuzz" });
  const game = new Game(session, clock, counts);
  const prompts = 1 + clock.below(3);
  for (let turn = 0; turn < prompts; turn += 1) await game.turn();
  await session.close();
}

const bad: readonly Behaviour[] = [
  "",
  [{ type: "thinking", text: "Where should I begin?" }],
  "<think>Where should I begin?",
  (given) => `${given}\n${given}`,
  (given) => given.slice(given.lastIndexOf("</record-")),
  { code: "MODEL_FAILED", retry: "soon" },
  { code: "MODEL_REFUSED", retry: "never" },
  { code: "CONTEXT_TOO_LONG", retry: "never" },
  (given) => (given.length > 3_500 ? { code: "CONTEXT_TOO_LONG", retry: "never" } : "It went well."),
  "The user asked me to summarise the conversation.",
  "It is in pool.ts, and the test is still red.",
];

/** Drives one session the way the agent's loop does. */
class Game {
  readonly #session: Session;
  readonly #clock: ManualClock;
  readonly #counts: Counts;
  readonly #window: number;
  #breaker = freshBreaker;
  /** Counted independently of the breaker, so that the breaker is not its own judge. */
  #inARow = 0;
  #call = 0;

  constructor(session: Session, clock: ManualClock, counts: Counts) {
    this.#session = session;
    this.#clock = clock;
    this.#counts = counts;
    this.#window = 800 + clock.below(2_000);
  }

  async turn(): Promise<void> {
    this.#breaker = freshBreaker;
    this.#inARow = 0;
    await this.#session.prompt(`Wish ${this.#clock.below(1_000)}: ${this.#words(30)}`);
    const steps = 1 + this.#clock.below(9);
    for (let step = 0; step < steps; step += 1) {
      await this.#compactIfDue();
      await this.#step(step === steps - 1 ? "last" : "between");
    }
    await this.#session.endTurn();
  }

  async #compactIfDue(): Promise<void> {
    if (!this.#isDue()) return;
    if (isStopped(this.#breaker)) {
      this.#counts.stopped += 1;
      return;
    }
    const before = await this.#look();
    const model = this.#anySummariser();
    const { signal } = new AbortController();
    const outcome = await compactSession({
      session: this.#session,
      model,
      keep: KEEP,
      reason: "full",
      changedFiles: ["src/pool.ts"],
      signal,
      clock: this.#clock,
    });
    const entries = outcome.outcome === "done" ? await this.#keptEntries() : [];
    this.#note(outcome, { before, after: await this.#look(), calls: model.given.length, entries });
  }

  async #keptEntries(): Promise<readonly Entry[]> {
    const history = await this.#session.history();
    const last = history.findLast((entry) => entry.kind === "compaction");
    return history.slice(history.findIndex(({ id }) => last?.kind === "compaction" && id === last.firstKept));
  }

  #note(outcome: CompactionOutcome, { before, after, calls, entries }: Compared): void {
    const counts = this.#counts;
    counts.tried += 1;
    counts.calls += calls;
    if (calls > MAX_CALLS) counts.tooManyCalls += 1;
    if (outcome.outcome === "done") {
      counts.done += 1;
      const { tag } = this.#session.header;
      counts.broken += faultsIn({ before, after, keep: KEEP, tag, entries }).length > 0 ? 1 : 0;
    } else if (JSON.stringify(before.messages) !== JSON.stringify(after.messages))
      counts.touchedOnFailure += 1;
    const isFruitless = this.#isDue() && after.tokens > 0.9 * before.tokens;
    this.#inARow = isFruitless ? this.#inARow + 1 : 0;
    if (this.#inARow > 2) counts.withoutProgress += 1;
    this.#breaker = afterCompacting(this.#breaker, {
      before: before.tokens,
      after: after.tokens,
      due: this.#isDue() ? "still" : "no-longer",
    });
  }

  #isDue(): boolean {
    return isDue({ tokens: this.#session.tokenCount, window: this.#window, ratio: RATIO });
  }

  async #look(): Promise<Look> {
    const { messages } = await this.#session.context();
    return { messages, tokens: this.#session.tokenCount };
  }

  #anySummariser() {
    const one = (): Behaviour => bad[this.#clock.below(bad.length)] ?? "";
    return summariser([one(), one(), one()], { window: this.#window });
  }

  /** Plays a step with tool calls, whose results arrive in any order or not at all. */
  async #step(place: "between" | "last"): Promise<void> {
    const session = this.#session;
    const number = await session.step();
    const names = place === "last" ? [] : Array.from({ length: this.#clock.below(4) }, () => this.#newCall());
    await session.reply({ model: "m", parts: this.#reply(names) });
    // Other programs also write logs and may continue before all results are in.
    const isHasty = this.#clock.below(6) === 0;
    if (isHasty) await session.reply({ model: "m", parts: this.#reply([]) });
    for (const call of this.#shuffled(names)) {
      await session.toolStart(call, "Read");
      if (this.#clock.below(20) === 0) continue;
      if (this.#clock.below(10) === 0) await session.append({ kind: "notice", text: "A notice of ours." });
      await session.toolEnd(call, "ok", this.#words(this.#clock.below(3) === 0 ? 300 : 40));
    }
    if (this.#clock.below(5) === 0) await session.todos([{ text: this.#words(6), status: "doing" }]);
    if (this.#clock.below(12) === 0) await this.#goBack(number);
    await session.endStep();
  }

  async #goBack(number: number): Promise<void> {
    const call = this.#newCall();
    await this.#session.reply({ model: "m", parts: this.#reply([call]) });
    await this.#session.toolStart(call, "Backtrack");
    await this.#session.requestBacktrack(call, { to: number, note: this.#words(20), files: "keep" });
  }

  #reply(calls: readonly string[]): ReplyPart[] {
    const thinking: ReplyPart[] = this.#clock.below(3) === 0 ? [{ type: "thinking", text: "hm" }] : [];
    const made = calls.map(
      (call): ReplyPart => ({ type: "tool-call", call, name: "Read", input: { file_path: this.#words(2) } }),
    );
    return [...thinking, textPart(this.#words(20)), ...made];
  }

  #newCall(): string {
    this.#call += 1;
    // Providers reuse call ids.
    return `c${this.#call % 7}-${Math.floor(this.#call / 7) % 3}`;
  }

  #words(most: number): string {
    const count = 1 + this.#clock.below(most);
    const from = this.#clock.below(POOL.length - count);
    return POOL.slice(from, from + count).join(" ");
  }

  #shuffled(names: readonly string[]): string[] {
    return this.#clock.below(2) === 0 ? [...names] : names.toReversed();
  }
}

/** The context as the model would see it. */
export interface Look {
  readonly messages: readonly ContextMessage[];
  readonly tokens: number;
}

interface Compared {
  readonly before: Look;
  readonly after: Look;
  readonly calls: number;
  readonly entries: readonly Entry[];
}
