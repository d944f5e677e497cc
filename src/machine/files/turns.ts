/** Lets one work begin when the one before has ended, well or not. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  async take<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.#last.then(work, work);
    this.#last = mine;
    return mine;
  }
}
