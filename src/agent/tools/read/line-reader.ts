import { isUtf8 } from "node:buffer";
import { firstCharacters } from "../text.ts";

export const MOST_IN_A_LINE = 2_000;
/** Of all lines together. */
const MOST_CHARACTERS = 100_000;
/** Enough bytes for that many characters of any kind. */
const MOST_LINE_BYTES = 4 * MOST_IN_A_LINE + 4;
const NEW_LINE = 0x0a;
const RETURN = 0x0d;

/**
 * Picks lines out of a file that passes by in pieces. However long the file and its lines are, it holds only what will
 * be shown.
 */
export class LineReader {
  readonly #first: number;
  readonly #last: number;
  readonly #shown: string[] = [];
  #characters = 0;
  #room: "left" | "none" = "left";
  /** The line that is being read, its first bytes and its whole length. */
  #pieces: Buffer[] = [];
  #kept = 0;
  #length = 0;
  #number = 1;
  #cut = 0;
  #odd = 0;
  #returns = 0;

  constructor(range: { readonly first: number; readonly count: number }) {
    this.#first = range.first;
    this.#last = range.first + range.count - 1;
  }

  add(bytes: Buffer): void {
    let start = 0;
    for (let end = bytes.indexOf(NEW_LINE); end !== -1; end = bytes.indexOf(NEW_LINE, start)) {
      this.#addToLine(bytes.subarray(start, end));
      this.#endLine();
      start = end + 1;
    }
    this.#addToLine(bytes.subarray(start));
  }

  end(): ReadLines {
    if (this.#length > 0) this.#endLine();
    return {
      shown: this.#shown,
      total: this.#number - 1,
      cut: this.#cut,
      odd: this.#odd,
      returns: this.#returns,
    };
  }

  #addToLine(bytes: Buffer): void {
    this.#length += bytes.length;
    if (!this.#isWanted() || this.#kept >= MOST_LINE_BYTES) return;
    const piece = Buffer.from(bytes.subarray(0, MOST_LINE_BYTES - this.#kept));
    this.#pieces.push(piece);
    this.#kept += piece.length;
  }

  #endLine(): void {
    if (this.#isWanted()) this.#show(Buffer.concat(this.#pieces));
    this.#pieces = [];
    this.#kept = 0;
    this.#length = 0;
    this.#number += 1;
  }

  #show(bytes: Buffer): void {
    const isWhole = bytes.length === this.#length;
    const hasReturn = isWhole && bytes.at(-1) === RETURN;
    const whole = (hasReturn ? bytes.subarray(0, -1) : bytes).toString("utf8");
    const text = firstCharacters(this.#number === 1 ? whole.replace(/^\ufeff/, "") : whole, MOST_IN_A_LINE);
    const isCut = !isWhole || whole.length > MOST_IN_A_LINE;
    const line = `${String(this.#number).padStart(6)}\t${text}${isCut ? " … (cut)" : ""}`;
    if (this.#shown.length > 0 && this.#characters + line.length > MOST_CHARACTERS) {
      this.#room = "none";
      return;
    }
    this.#shown.push(line);
    this.#characters += line.length + 1;
    if (isCut) this.#cut += 1;
    if (isWhole && !isUtf8(bytes)) this.#odd += 1;
    if (hasReturn) this.#returns += 1;
  }

  #isWanted(): boolean {
    return this.#room === "left" && this.#number >= this.#first && this.#number <= this.#last;
  }
}

export interface ReadLines {
  /** Numbered, as `cat -n` does. */
  readonly shown: readonly string[];
  /** Of the whole file. */
  readonly total: number;
  /** How many of those shown are not whole, hold bytes that are no UTF-8, or end with a carriage return. */
  readonly cut: number;
  readonly odd: number;
  readonly returns: number;
}
