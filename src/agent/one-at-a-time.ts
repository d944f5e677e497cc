import { WorldlineError } from "../record/error.ts";

/** One thing at a time, which an interrupt ends. */
export class OneAtATime {
  #running: { readonly stop: AbortController; readonly ended: Promise<unknown> } | undefined;

  /** Rejects with TURN_RUNNING while something else runs. */
  async alone<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    if (this.#running !== undefined) {
      throw new WorldlineError("turn-running", {});
    }
    const stop = new AbortController();
    // Not before it is known to be at work: whoever looks on may ask for an interrupt at once.
    const working = Promise.resolve().then(async () => work(stop.signal));
    this.#running = { stop, ended: working.catch(() => undefined) };
    try {
      return await working;
    } finally {
      this.#running = undefined;
    }
  }

  async interrupt(): Promise<void> {
    this.#running?.stop.abort();
    await this.#running?.ended;
  }
}
