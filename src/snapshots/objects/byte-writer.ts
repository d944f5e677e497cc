import type { PathBytes } from "../../record/files.ts";

const HASH_BYTES = 32;
/** Of a varint: 53 bits, seven in each byte. */
const LONGEST_NUMBER = 8;
const FIRST_ROOM = 512;

/** Puts numbers, hashes and names behind each other, each in the one way that `ByteReader` accepts. */
export class ByteWriter {
  #buffer = Buffer.allocUnsafe(FIRST_ROOM);
  #length = 0;

  byte(value: number): void {
    this.#makeRoom(1);
    this.#buffer[this.#length++] = value;
  }

  /** Seven bits in each byte, the low ones first; the eighth says that more follow. */
  number(value: number): void {
    this.#makeRoom(LONGEST_NUMBER);
    let rest = value;
    while (rest >= 0x80) {
      this.#buffer[this.#length++] = (rest % 0x80) + 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#buffer[this.#length++] = rest;
  }

  hash(hex: string): void {
    this.#makeRoom(HASH_BYTES);
    this.#length += this.#buffer.write(hex, this.#length, HASH_BYTES, "hex");
  }

  text(text: PathBytes | string, encoding: "latin1" | "utf8"): void {
    const length = encoding === "latin1" ? text.length : Buffer.byteLength(text, encoding);
    this.number(length);
    this.#makeRoom(length);
    this.#length += this.#buffer.write(text, this.#length, length, encoding);
  }

  bytes(): Buffer {
    return Buffer.from(this.#buffer.subarray(0, this.#length));
  }

  #makeRoom(count: number): void {
    if (this.#length + count <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + count));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
