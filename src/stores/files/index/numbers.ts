/** Seven bits to a byte, the last byte below 128: small numbers, which most are, take one byte. */
const CONTINUES = 0x80;
const SEVEN_BITS = 0x80;
/** A number of 53 bits takes eight. */
const MOST_NUMBER_BYTES = 8;

/** Writes numbers one after the other; its memory grows. */
export class NumberWriter {
  #bytes = Buffer.allocUnsafe(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  byte(value: number): void {
    this.#room(1);
    this.#bytes[this.#length] = value;
    this.#length += 1;
  }

  uint32(value: number): void {
    this.#room(4);
    this.#length = this.#bytes.writeUInt32LE(value, this.#length);
  }

  /** A whole number from 0 to 2^53 - 1. */
  whole(value: number): void {
    this.#room(MOST_NUMBER_BYTES);
    let rest = value;
    while (rest >= SEVEN_BITS) {
      this.#bytes[this.#length] = (rest % SEVEN_BITS) | CONTINUES;
      this.#length += 1;
      rest = Math.floor(rest / SEVEN_BITS);
    }
    this.#bytes[this.#length] = rest;
    this.#length += 1;
  }

  /** A whole number of either sign: 0, -1, 1, -2, … become 0, 1, 2, 3, … */
  signed(value: number): void {
    this.whole(value < 0 ? -2 * value - 1 : 2 * value);
  }

  /** What was written so far, copied. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    return taken;
  }

  #room(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(this.#bytes.length * 2);
    this.#bytes.copy(larger);
    this.#bytes = larger;
  }
}

/** Reads what a `NumberWriter` wrote. Beyond the end everything is 0: the caller asks `isOver` when it is done. */
export class NumberReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** "exactly": every byte was read, and none beyond. */
  get isOver(): "not yet" | "exactly" | "beyond" {
    if (this.#at === this.#bytes.length) return "exactly";
    return this.#at < this.#bytes.length ? "not yet" : "beyond";
  }

  byte(): number {
    const value = this.#bytes[this.#at] ?? 0;
    this.#at += 1;
    return value;
  }

  uint32(): number {
    const bytes = this.#bytes;
    const at = this.#at;
    this.#at = at + 4;
    const low = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
    return low + (bytes[at + 3] ?? 0) * 0x100_0000;
  }

  whole(): number {
    const first = this.byte();
    return first < CONTINUES ? first : this.#longer(first);
  }

  /** Apart from `whole`, so that this one stays small enough to be inlined where it is called. */
  #longer(first: number): number {
    let byte = first;
    let value = byte - CONTINUES;
    let weight = SEVEN_BITS;
    do {
      byte = this.byte();
      value += (byte % SEVEN_BITS) * weight;
      weight *= SEVEN_BITS;
    } while (byte >= CONTINUES);
    return value;
  }

  signed(): number {
    const value = this.whole();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}
