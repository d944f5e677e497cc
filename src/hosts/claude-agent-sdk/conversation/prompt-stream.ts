import type { SdkPrompt } from "../sdk/sdk-types.ts";

/** What is said to a process, as long as it runs: it reads one prompt after the other, and waits in between. */
export class PromptStream implements AsyncIterable<SdkPrompt> {
  readonly #waiting: SdkPrompt[] = [];
  #wake: () => void = () => undefined;
  #isOpen = true;

  push(prompt: SdkPrompt): void {
    this.#waiting.push(prompt);
    this.#wake();
  }

  end(): void {
    this.#isOpen = false;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SdkPrompt> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) yield next;
      else if (!this.#isOpen) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
