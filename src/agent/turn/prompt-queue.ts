import type { Part } from "../../record/parts.ts";

/** What the user says while a turn runs, in order, until it is on the log. */
export class PromptQueue {
  readonly #prompts: (readonly Part[])[] = [];

  push(prompt: readonly Part[]): void {
    this.#prompts.push(prompt);
  }

  /** Has the first one written; it leaves the queue when it is. Undefined where there is none. */
  async next<Written>(write: (prompt: readonly Part[]) => Promise<Written>): Promise<Written | undefined> {
    const [first] = this.#prompts;
    if (first === undefined) return undefined;
    const written = await write(first);
    this.#prompts.shift();
    return written;
  }

  /** Has all of them written, those that come meanwhile included; returns how many that were. */
  async all(write: (prompt: readonly Part[]) => Promise<unknown>): Promise<number> {
    let count = 0;
    for (; this.#prompts.length > 0; count += 1) await this.next(write);
    return count;
  }

  /** Takes out what nobody came to hear. */
  takeUnheard(): readonly (readonly Part[])[] {
    return this.#prompts.splice(0);
  }
}
