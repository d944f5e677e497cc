import { firstCharacters, lastCharacters } from "../text.ts";

/** What the model gets of an output at most; half of it from the beginning, half from the end. */
export const MOST_CHARACTERS = 30_000;
const HALF = MOST_CHARACTERS / 2;

/** The beginning and the end of a text of any length, in bounded memory. */
export class CappedText {
  #head = "";
  #tail = "";
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(text: string): void {
    this.#length += text.length;
    const toHead = firstCharacters(text, HALF - this.#head.length);
    // Once something has gone to the tail, the head is closed: the rest of a pair must not follow it there.
    const taken = this.#tail === "" ? toHead : "";
    this.#head += taken;
    this.#tail += text.slice(taken.length);
    if (this.#tail.length > MOST_CHARACTERS) this.#tail = lastCharacters(this.#tail, HALF);
  }

  /** All of it, or both ends with what `leftOut` says of the rest between them. */
  text(leftOut: (characters: number) => string): string {
    if (this.#length <= MOST_CHARACTERS) return this.#head + this.#tail;
    const tail = lastCharacters(this.#tail, HALF);
    const missing = this.#length - this.#head.length - tail.length;
    return `${this.#head}\n\n${leftOut(missing)}\n\n${tail}`;
  }
}
