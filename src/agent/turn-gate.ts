import { Listeners } from "../machine/events.ts";
import type { Busy } from "../ports/agent-events.ts";
import { WorldlineError } from "../record/error.ts";

interface Holder {
  readonly busy: Exclude<Busy, "nothing">;
  /** Aborted by an interrupt; undefined for work that must come to its own end. */
  readonly stop: AbortController | undefined;
  readonly ended: Promise<void>;
}

/**
 * Lets one thing at a time work on a session: a turn, a command of the user's, a compaction, or a front end that holds the
 * session for a journey. The second to come is rejected with TURN_RUNNING. A front end that replaces its agent hands the same
 * gate to the next one, so that nothing begins while the agents change.
 */
export class TurnGate {
  #holder: Holder | undefined;
  readonly #listeners = new Listeners<Busy>();

  get busy(): Busy {
    return this.#holder?.busy ?? "nothing";
  }

  /** Calls the listener with every change of `busy`; returns how to stop that. */
  on(listener: (busy: Busy) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** For an agent: work that an interrupt ends. */
  async run<Result>(
    busy: "turn" | "command" | "compaction",
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const stop = new AbortController();
    return this.#take({ busy, stop }, async () => work(stop.signal));
  }

  /** For a front end: work that is never cut short, because files that are being restored must not stop in the middle. */
  async hold<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#take({ busy: "held", stop: undefined }, work);
  }

  /** Interrupts what can be interrupted, and resolves when it has ended. Does not wait for `hold`, which may close the agent. */
  async interrupt(): Promise<void> {
    const holder = this.#holder;
    if (holder?.stop === undefined) return;
    holder.stop.abort();
    await holder.ended;
  }

  /** Resolves when no work of `hold` is under way. */
  async released(): Promise<void> {
    while (this.#holder?.busy === "held") await this.#holder.ended;
  }

  async #take<Result>(by: Omit<Holder, "ended">, work: () => Promise<Result>): Promise<Result> {
    if (this.#holder !== undefined) throw new WorldlineError("running-here", {});
    // Begun after the holder is set: a listener may ask for an interrupt at once.
    const working = Promise.resolve()
      .then(work)
      .finally(() => {
        this.#holder = undefined;
        this.#listeners.tell("nothing");
      });
    const ended = working.then(
      () => undefined,
      () => undefined,
    );
    this.#holder = { ...by, ended };
    this.#listeners.tell(by.busy);
    return working;
  }
}
