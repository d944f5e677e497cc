import { TOMBSTONE } from "../wish.ts";

/** Taking a text out can put it together anew from what stood around it, so it is looked for again. */
const MOST_ROUNDS = 20;
/** A shorter beginning of the text is a beginning of many. */
const SHORTEST_BEGINNING = 4;

/** A text as it may be written: plain, and as JSON has it within a string, such as in the output of a tool. */
export class TextForms {
  readonly #forms: readonly string[];

  constructor(text: string) {
    const escaped = JSON.stringify(text).slice(1, -1);
    this.#forms = escaped === text ? [text] : [escaped, text];
  }

  isIn(content: string | Buffer): boolean {
    return this.#forms.some((form) => content.includes(form));
  }

  eraseFrom(content: string): { readonly erased: string; readonly times: number } {
    let erased = content;
    let times = 0;
    for (let round = 0; round < MOST_ROUNDS && this.isIn(erased); round += 1) {
      for (const form of this.#forms) {
        const pieces = erased.split(form);
        times += pieces.length - 1;
        erased = pieces.join(TOMBSTONE);
      }
    }
    return { erased, times };
  }

  /** Puts zeros over every byte of it, and says how often it was there. */
  overwriteIn(bytes: Buffer): number {
    let times = 0;
    for (const form of this.#forms) {
      for (let at = bytes.indexOf(form); at !== -1; at = bytes.indexOf(form, at)) {
        bytes.fill(0, at, at + Buffer.byteLength(form));
        times += 1;
      }
    }
    return times;
  }

  /** How many characters at the end of `content` are the beginning of the text, without being all of it. */
  beginningAtEnd(content: string): number {
    const lengths = this.#forms.map((form) => {
      for (let length = form.length - 1; length >= SHORTEST_BEGINNING; length -= 1) {
        if (content.endsWith(form.slice(0, length))) return length;
      }
      return 0;
    });
    return Math.max(...lengths);
  }

  /** Whether it occurs in what a line of the log says, its structure included. */
  isInLine(line: string): boolean {
    return this.isIn(line) || this.#forms.some((form) => line.includes(JSON.stringify(form).slice(1, -1)));
  }
}
