/** Runs one piece of work after the other, in the order in which they came, whether or not the one before succeeded. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.#last.then(work);
    // The caller learns of a failure; the next in the queue must not fail with it.
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  /** Resolves when everything that was asked for so far has ended. Never rejects. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
