import { isUtf8 } from "node:buffer";
import { WorldlineError } from "../../record/error.ts";
import type { PathBytes } from "../../record/files.ts";
import type { ObjectHash } from "../../record/ids.ts";

const HASH_BYTES = 32;

/**
 * Reads what `ByteWriter` wrote. Only that: each value has one spelling, so that equal objects have equal
 * hashes. Throws SNAPSHOT_DAMAGED, with `what` in its message, where the bytes are anything else.
 */
export class ByteReader {
  readonly #bytes: Buffer;
  readonly #what: string;
  #at = 0;

  constructor(bytes: Uint8Array, what: string) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#what = what;
  }

  byte(): number {
    return this.#bytes[this.#advance(1)] ?? 0;
  }

  number(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (value > Number.MAX_SAFE_INTEGER) throw this.damaged("a number is too large");
      if (byte < 0x80) {
        if (byte === 0 && scale > 1) throw this.damaged("a number is longer than it need be");
        return value;
      }
      scale *= 0x80;
      if (scale > Number.MAX_SAFE_INTEGER) throw this.damaged("a number is too large");
    }
  }

  hash(): ObjectHash {
    const start = this.#advance(HASH_BYTES);
    return this.#bytes.toString("hex", start, start + HASH_BYTES) as ObjectHash;
  }

  path(): PathBytes {
    const length = this.number();
    const start = this.#advance(length);
    return this.#bytes.toString("latin1", start, start + length);
  }

  text(): string {
    const length = this.number();
    const start = this.#advance(length);
    const bytes = this.#bytes.subarray(start, start + length);
    if (!isUtf8(bytes)) throw this.damaged("a text is not UTF-8");
    return bytes.toString("utf8");
  }

  end(): void {
    if (this.#at < this.#bytes.length) throw this.damaged("more follows than belongs to it");
  }

  damaged(why: string): WorldlineError {
    return new WorldlineError("SNAPSHOT_DAMAGED", `The object of a ${this.#what} cannot be read: ${why}.`, {
      hint: "Run `worldline store verify` to see what else is damaged.",
    });
  }

  #advance(count: number): number {
    const start = this.#at;
    if (count > this.#bytes.length - start) throw this.damaged("it is cut short");
    this.#at += count;
    return start;
  }
}
