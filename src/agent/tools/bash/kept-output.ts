import { faultOf } from "../files.ts";
import { firstCharacters, lastCharacters, plural } from "../text.ts";

/** Maximum number of bytes to save. A longer output may be endless and could fill the disk. */
const MAX_BYTES = 64 * 1_024 * 1_024;

/**
 * Appends bytes to the saved output of a call. Returns the file's path. Called in order, and only if the output is
 * longer than what the model sees. `file` is the path that was returned earlier for the same output. `file` is absent
 * for new output, which needs its own file because call ids repeat.
 */
export type KeepOutput = (call: string, bytes: Uint8Array, file?: string) => Promise<string>;

/** The whole output of a command. The output is moved to a file as soon as it is too long to be shown. */
export class KeptOutput {
  readonly #keep: (bytes: Uint8Array) => Promise<string>;
  /** The bytes that are not in the file yet. */
  #waiting: Uint8Array[] = [];
  #size = 0;
  #path: string | undefined;
  #fault: string | undefined;

  constructor(keep: (bytes: Uint8Array) => Promise<string>) {
    this.#keep = keep;
  }

  async add(bytes: Uint8Array): Promise<void> {
    const room = MAX_BYTES - this.#size;
    this.#size += bytes.length;
    if (room <= 0 || this.#fault !== undefined) return;
    this.#waiting.push(bytes.subarray(0, room));
    // Every character takes up at least one byte. Output that does not exceed the limit in bytes can be shown in full.
    if (this.#size <= MAX_CHARACTERS) return;
    const whole = Buffer.concat(this.#waiting);
    this.#waiting = [];
    try {
      this.#path = await this.#keep(whole);
    } catch (error) {
      this.#fault = faultOf(error).why;
    }
  }

  /** Returns the text to insert between the beginning and the end of an output that is too long. */
  leftOutText(characters: number): string {
    const missing = `${plural(characters, "character")} omitted`;
    if (this.#fault !== undefined)
      return `[... ${missing}; the full output could not be saved: ${this.#fault} ...]`;
    return `[... ${missing}; ${this.#where()}. Search it with Grep, or read parts of it with Read ...]`;
  }

  /** Returns the note for users, who see only the end of a long output. */
  moreText(characters: number): string {
    const missing = `[Not all of the output is shown: ${plural(characters, "character")} omitted above`;
    return this.#fault === undefined
      ? `${missing}; ${this.#where()}]`
      : `${missing}; the full output could not be saved: ${this.#fault}]`;
  }

  #where(): string {
    const what = this.#size > MAX_BYTES ? "the first 64 MiB of the output are" : "the full output is";
    return `${what} in ${this.#path ?? "no file"}`;
  }
}

/** Maximum number of characters of output that the model sees: half from the beginning, half from the end. */
const MAX_CHARACTERS = 30_000;
const HALF = MAX_CHARACTERS / 2;

/** Keeps the beginning and the end of text of any length in bounded memory. */
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
    // Once the tail contains text, nothing more is added to the head. Otherwise, the two halves of a surrogate pair
    // could end up in the tail and the head.
    const taken = this.#tail === "" ? toHead : "";
    this.#head += taken;
    this.#tail += text.slice(taken.length);
    if (this.#tail.length > MAX_CHARACTERS) this.#tail = lastCharacters(this.#tail, HALF);
  }

  /** Returns the whole text, or both ends with the result of `leftOut` between them. */
  text(leftOut: (characters: number) => string): string {
    if (this.#length <= MAX_CHARACTERS) return this.#head + this.#tail;
    const tail = lastCharacters(this.#tail, HALF);
    const missing = this.#length - this.#head.length - tail.length;
    return `${this.#head}\n\n${leftOut(missing)}\n\n${tail}`;
  }
}
