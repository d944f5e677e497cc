/**
 * Work on one thing after the other, in the order in which it was asked for: on several connections an append that was
 * asked for later could come first, and would be refused for the line that it expects.
 */
export class InOrder<Key> {
  readonly #last = new Map<Key, Promise<void>>();

  async run(key: Key, work: () => Promise<void>): Promise<void> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.catch(() => undefined).then(work);
    this.#last.set(key, mine);
    try {
      await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}
