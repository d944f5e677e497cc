/** The answer to a question that costs something, as long as it can be no other. */
export class Kept<Value> {
  #answer: { readonly key: number; readonly value: Value } | undefined;

  async of(key: number, answer: () => Value | Promise<Value>): Promise<Value> {
    // Only what was answered is kept: a question that failed is asked again.
    if (this.#answer?.key !== key) this.#answer = { key, value: await answer() };
    return this.#answer.value;
  }
}
